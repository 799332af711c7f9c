// A click on a column's title sorts by it; numbers sort as numbers, gaps go last.
const exact = (cell) => cell.dataset.value ?? cell.textContent;
const key = (cell) => {
  const text = exact(cell), value = Number(text);
  return text === "" ? null : Number.isNaN(value) ? text : value;
};
function compare(a, b) {
  if (a === null || b === null) return a === b ? 0 : a === null ? 1 : -1;
  if (typeof a === typeof b) return a < b ? -1 : a > b ? 1 : 0;
  return typeof a === "number" ? -1 : 1;
}
for (const table of $$("table[data-name]")) {
  const heads = [...table.tHead.rows[0].cells], body = table.tBodies[0];
  const titles = heads.map((head) => head.textContent);
  heads.forEach((head, column) => {
    const button = make("button", { type: "button", onclick: () => {
      const up = head.getAttribute("aria-sort") !== "ascending";
      for (const other of heads) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", up ? "ascending" : "descending");
      body.append(...[...body.rows].sort((r, s) => {
        const a = key(r.cells[column]), b = key(s.cells[column]);
        return a === null || b === null || up ? compare(a, b) : compare(b, a);
      }));
    } }, head.textContent);
    head.replaceChildren(button);
  });
  const rows = () => [titles, ...[...body.rows].map((row) => [...row.cells].map(exact))];
  tools(table.closest("figure")).append(
    make("button", { type: "button", onclick: () => download(table.dataset.name + ".csv", csv(rows())) }, "Download as CSV"));
  if (body.querySelector("details")) filtered(table, titles);
}

// Rows with the chosen entries and all of the words stay; columns of few different texts are asked for.
function filtered(table, titles) {
  const rows = [...table.tBodies[0].rows], count = make("output", { "aria-live": "polite" });
  const choices = titles.map((title, column) => {
    const values = [...new Set(rows.map((row) => row.cells[column].textContent).filter(Boolean))];
    const few = values.length > 1 && values.length < 10 && values.every((value) => Number.isNaN(Number(value)) && value.length < 30);
    return few && make("label", {}, title + " ",
      make("select", { name: title }, make("option", { value: "" }, "any"), ...values.map((value) => make("option", { value }, value))));
  }).filter(Boolean);
  const filters = make("form", { class: "filters", onsubmit: (event) => event.preventDefault(), oninput: () => {
    const { words, ...asked } = Object.fromEntries(new FormData(filters));
    const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
    for (const row of rows) {
      const text = row.textContent.toLowerCase();
      row.hidden = wanted.some((word) => !text.includes(word))
        || Object.entries(asked).some(([title, value]) => value && row.cells[titles.indexOf(title)].textContent !== value);
    }
    count.textContent = `${rows.filter((row) => !row.hidden).length} of ${rows.length}`;
  } }, ...choices, make("label", {}, "With the words ", make("input", { name: "words", type: "search" })), count);
  table.closest(".scroll").before(filters);
}
