// Every interaction, in the order in which a reader might try them; what was seen is returned.
// Downloads are caught in `saved`, by the names of the files.
const saved = {};
URL.createObjectURL = (blob) => { saved.last = blob.text(); return "blob:"; };
const click = HTMLAnchorElement.prototype.click;
HTMLAnchorElement.prototype.click = function () {
  if (this.download) saved[this.download] = saved.last;
  else click.call(this);
};
const all = (selector, root = document) => [...root.querySelectorAll(selector)];
const one = (selector, root = document) => root.querySelector(selector);
const found = {};

const finder = one("#finder"), form = one("form", finder);
const choose = (name, pick) => {
  const select = form.elements[name];
  select.value = [...select.options].find(pick).value;
  select.dispatchEvent(new Event("change", { bubbles: true }));
  return one(".words", finder).textContent;
};
choose("given", (option) => option.text.includes("samples"));
found.few = choose("queries", (option) => option.text === "1 value") && choose("error", (option) => option.text === "10⁻³");
found.many = choose("queries", (option) => option.text.startsWith("100"));
found.none = choose("error", (option) => option.text === "10⁻⁸");
found.live = one(".answer", finder).getAttribute("aria-live");
found.row = one(one(".evidence a", finder).getAttribute("href")).cells[2].textContent;
one("a[data-cells]", finder).click();
found.dialog = [one("dialog").open, all("dialog tbody tr").length];
all("dialog button")[1].click();
found.closed = !one("dialog").open;

const figure = one("#figure-samples");
const mark = one(".marks [data-runs]", figure), tip = one(".tip");
mark.dispatchEvent(new PointerEvent("pointerover", { bubbles: true }));
found.tip = tip.hidden ? "" : tip.textContent;
mark.dispatchEvent(new PointerEvent("pointerout", { bubbles: true }));
found.untipped = tip.hidden;
const first = one('.marks [tabindex="0"]', figure);
first.focus();
first.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight", bubbles: true }));
found.moved = [document.activeElement !== first, document.activeElement.tagName, tip.hidden, all('.marks [tabindex="0"]', figure).length];
document.activeElement.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true }));
found.entered = one("dialog").open;
one("dialog").close();

found.address = location.hash;

const ledger = one('table[data-name="ledger"]'), filters = one("form.filters");
const titles = [...ledger.tHead.rows[0].cells].map((head) => head.textContent), rows = () => [...ledger.tBodies[0].rows].filter((row) => row.offsetParent);
const verdicts = () => rows().map((row) => row.cells[titles.indexOf("verdict")].textContent);
const ask = (title, value) => {
  filters.elements[title].value = value;
  filters.dispatchEvent(new Event("input", { bubbles: true }));
  return verdicts();
};
found.claims = [verdicts(), ask("verdict", "holds"), ask("verdict", ""), ask("standing", "exploratory"), ask("standing", ""),
  ask("part", "control"), ask("part", ""), ask("words", "PAIRED one")];
found.count = one("output", filters).textContent;
ask("words", "");
const claim = one("details", ledger);
claim.open = true;
one("a[data-cells]", claim).click();
found.claim = [one("dialog").open, claim.textContent.includes("errors, paired")];
one("dialog").close();

for (const button of all("button").filter((each) => each.textContent === "Download as CSV")) button.click();
found.saved = Object.fromEntries(await Promise.all(Object.entries(saved).map(async ([name, text]) => [name, await text])));
found.tables = all("table[data-name]").map((table) => table.dataset.name + ".csv");
found.figures = all("figure > .numbers").map((data) => data.parentElement.id.replace("figure-", "") + ".csv");
return found;
