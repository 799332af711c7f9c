// The runs behind a mark, a table or a claim, looked up in the list at the end of the page.
const listings = $$("#cells pre").map((pre) => {
  const [head, ...rows] = parsed(pre.textContent);
  return { kind: pre.dataset.kind, head, rows: new Map(rows.map((row) => [row[0], row])) };
});

function parsed(text) {
  const rows = [];
  for (const line of text.trimEnd().split("\n")) {
    const fields = [...line.matchAll(/("(?:[^"]|"")*"|[^,]*)(,|$)/g)];
    const ends = fields.findIndex((found) => found[2] === "");
    rows.push(fields.slice(0, ends + 1).map(([, field]) => field.startsWith('"') ? field.slice(1, -1).replaceAll('""', '"') : field));
  }
  return rows;
}

// Kind by kind, the head of its list and the rows of these runs; `keys` are separated by spaces.
const found = (keys) => listings.map(({ kind, head, rows }) => ({
  kind, head, rows: keys.split(" ").map((key) => rows.get(key)).filter(Boolean),
})).filter(({ rows }) => rows.length);

// For a tooltip: what the runs of a kind share, and from where to where the rest goes.
const inWords = (keys) => found(keys).map(({ kind, head, rows }) => {
  const said = head.slice(1).map((name, k) => {
    const values = [...new Set(rows.map((row) => row[k + 1]))];
    if (values.length === 1) return values[0] && `${name} ${values[0]}`;
    const sorted = values.sort((a, b) => a - b);
    return `${name} ${values.length > 3 ? sorted[0] + " … " + sorted.at(-1) : sorted.join(", ")}`;
  });
  return `${rows.length === 1 ? `${kind} ${rows[0][0]}` : `${rows.length} runs, ${kind}`}: ${said.filter(Boolean).join("; ")}`;
});

const dialog = document.body.appendChild(make("dialog", { "aria-labelledby": "runs-title" }));
function showRuns(keys) {
  const kinds = found(keys), count = kinds.reduce((sum, { rows }) => sum + rows.length, 0);
  const tables = kinds.flatMap(({ kind, head, rows }) => [
    make("h3", {}, `${kind}: ${rows.length}`),
    tableOf(head, rows, kind),
  ]);
  const all = () => csv(kinds.flatMap(({ kind, head, rows }) => [["kind", ...head], ...rows.map((row) => [kind, ...row])]));
  dialog.replaceChildren(
    make("h2", { id: "runs-title" }, count === 1 ? "The run behind it" : `The ${count} runs behind it`),
    make("p", { class: "tools" },
      make("button", { type: "button", onclick: () => download("runs.csv", all()) }, "Download as CSV"), " ",
      make("button", { type: "button", onclick: () => dialog.close() }, "Close")),
    ...tables);
  dialog.showModal();
}
document.addEventListener("click", (event) => {
  const link = event.target.closest("a[data-cells]");
  if (!link) return;
  event.preventDefault();
  showRuns(link.dataset.cells);
});

// The list of all runs: a table where it is opened, and one file with everything.
const tableOf = (head, rows, label) => make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": label },
  make("table", {}, make("thead", {}, make("tr", {}, ...head.map((name) => make("th", { scope: "col", class: "text" }, name)))),
    make("tbody", {}, ...rows.map((row) => make("tr", {}, ...row.map((text) => make("td", { class: "text" }, text)))))));
$$("#cells details").forEach((fold, k) => fold.addEventListener("toggle", () => {
  const pre = fold.querySelector("pre");
  if (pre.hidden) return;
  pre.hidden = true;
  pre.after(tableOf(listings[k].head, [...listings[k].rows.values()], "Runs of " + listings[k].kind));
}));
if (listings.length) {
  const all = () => csv(listings.flatMap(({ kind, head, rows }) => [["kind", ...head], ...[...rows.values()].map((row) => [kind, ...row])]));
  document.querySelector("#cells > p").append(" ", make("button", { type: "button", onclick: () => download("all-runs.csv", all()) }, "Download all as CSV"));
}
