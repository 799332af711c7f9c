// The runs behind a mark, a table or a claim, looked up in the list at the end of the page.
const listings = $$("#cells pre").map((pre) => {
  const lines = parsed(pre.textContent);
  return { kind: pre.dataset.kind, first: Number(pre.dataset.first), head: lines[0], rows: lines.slice(1) };
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

// "0-3,7" as [0, 1, 2, 3, 7].
const numbers = (ranges) => ranges.split(",").flatMap((part) => {
  const [from, to = from] = part.split("-").map(Number);
  return Array.from({ length: to - from + 1 }, (_, k) => from + k);
});

// Kind by kind, the head of its list and the rows of these runs.
const found = (ranges) => listings.map(({ kind, first, head, rows }) => ({
  kind, head, rows: numbers(ranges).filter((n) => n >= first && n < first + rows.length).map((n) => rows[n - first]),
})).filter(({ rows }) => rows.length);

// "net hidden=2, seed=3: l2_error=1e-3", for a tooltip.
const inWords = (ranges, most = 4) => {
  const lines = found(ranges).flatMap(({ kind, head, rows }) => rows.map((row) =>
    `${kind} ${row[0]}: ` + head.slice(1).map((name, k) => row[k + 1] === "" ? "" : `${name}=${row[k + 1]}`).filter(Boolean).join(", ")));
  return lines.length > most ? [...lines.slice(0, most), `and ${lines.length - most} more`] : lines;
};

const dialog = document.body.appendChild(make("dialog", { "aria-labelledby": "runs-title" }));
function showRuns(ranges) {
  const kinds = found(ranges), count = kinds.reduce((sum, { rows }) => sum + rows.length, 0);
  const tables = kinds.flatMap(({ kind, head, rows }) => [
    make("h3", {}, `${kind}: ${rows.length}`),
    make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": kind },
      make("table", {}, make("thead", {}, make("tr", {}, ...head.map((name) => make("th", { scope: "col", class: "text" }, name)))),
        make("tbody", {}, ...rows.map((row) => make("tr", {}, ...row.map((text) => make("td", {}, text))))))),
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
