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
}
