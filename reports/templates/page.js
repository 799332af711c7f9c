"use strict";
// Everything here is an extra: the page reads without it.

// On a narrow screen the answer comes before the contents.
if (matchMedia("(max-width: 64rem)").matches) document.querySelector("nav details")?.removeAttribute("open");

// A click on a legend entry hides or shows its series in that figure.
for (const entry of document.querySelectorAll("svg [data-legend]")) {
  entry.closest("svg").setAttribute("role", "group"); // an image may not hold buttons
  entry.setAttribute("role", "button");
  entry.setAttribute("tabindex", "0");
  entry.setAttribute("aria-pressed", "true");
  entry.setAttribute("aria-label", "Show or hide " + (entry.textContent.trim() || entry.dataset.legend));
  const toggle = () => {
    const svg = entry.closest("svg"), name = entry.dataset.legend;
    const hidden = entry.getAttribute("aria-pressed") === "true";
    for (const part of svg.querySelectorAll(`[data-series="${name}"]`)) part.classList.toggle("off", hidden);
    for (const twin of svg.querySelectorAll(`[data-legend="${name}"]`)) {
      twin.setAttribute("aria-pressed", String(!hidden));
      twin.classList.toggle("off-label", hidden);
    }
  };
  entry.addEventListener("click", toggle);
  entry.addEventListener("keydown", (event) => {
    if (event.key === "Enter" || event.key === " ") { event.preventDefault(); toggle(); }
  });
}

// A click on a column's title sorts by it; numbers sort as numbers, gaps go last.
const key = (cell) => {
  const text = cell.dataset.value, value = Number(text);
  return text === "" ? null : Number.isNaN(value) ? text : value;
};
function compare(a, b) {
  if (a === null || b === null) return a === b ? 0 : a === null ? 1 : -1;
  if (typeof a === typeof b) return a < b ? -1 : a > b ? 1 : 0;
  return typeof a === "number" ? -1 : 1;
}
for (const table of document.querySelectorAll("table[data-name]")) {
  const heads = [...table.tHead.rows[0].cells], body = table.tBodies[0];
  heads.forEach((head, column) => {
    const button = document.createElement("button");
    button.textContent = head.textContent;
    head.replaceChildren(button);
    button.addEventListener("click", () => {
      const up = head.getAttribute("aria-sort") !== "ascending";
      for (const other of heads) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", up ? "ascending" : "descending");
      const rows = [...body.rows].sort((r, s) => {
        const a = key(r.cells[column]), b = key(s.cells[column]);
        return a === null || b === null || up ? compare(a, b) : compare(b, a);
      });
      body.append(...rows);
    });
  });
  const quote = (text) => /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  const csv = () => [heads.map((h) => quote(h.textContent)).join(",")]
    .concat([...body.rows].map((r) => [...r.cells].map((c) => quote(c.dataset.value)).join(","))).join("\n") + "\n";
  const tools = document.createElement("div"), save = document.createElement("button");
  tools.className = "tools";
  save.textContent = "Download as CSV";
  save.addEventListener("click", () => {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([csv()], { type: "text/csv" }));
    link.download = table.dataset.name + ".csv";
    link.click();
    URL.revokeObjectURL(link.href);
  });
  tools.append(save);
  table.parentElement.after(tools);
}

// The table of contents marks the section in view.
const links = new Map([...document.querySelectorAll("nav a")].map((a) => [a.hash.slice(1), a]));
const seen = new IntersectionObserver((entries) => {
  for (const entry of entries) links.get(entry.target.id)?.classList.toggle("here", entry.isIntersecting);
}, { rootMargin: "-10% 0px -70% 0px" });
for (const section of document.querySelectorAll("main section")) seen.observe(section);
