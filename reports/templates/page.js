"use strict";
// Everything here is an extra: the page reads without it.

const $$ = (selector, root = document) => [...root.querySelectorAll(selector)];

// An element with its text, attributes and listeners: text from outside is never markup.
function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value !== null && value !== false) element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children);
  return element;
}

const quote = (value) => {
  const text = value === null || value === undefined ? "" : String(value);
  return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};
const csv = (rows) => rows.map((row) => row.map(quote).join(",")).join("\n") + "\n";

function download(name, text) {
  const link = make("a", { href: URL.createObjectURL(new Blob([text], { type: "text/csv" })), download: name });
  link.click();
  URL.revokeObjectURL(link.href);
}

// Where the tools of a figure or table go; made when first asked for.
function tools(figure) {
  let bar = figure.querySelector(":scope > .tools");
  if (!bar) {
    bar = make("div", { class: "tools" });
    figure.querySelector(":scope > .scroll").after(bar);
  }
  return bar;
}

// On a narrow screen the answer comes before the contents.
if (matchMedia("(max-width: 64rem)").matches) document.querySelector("nav details")?.removeAttribute("open");

// The table of contents marks the section in view.
const links = new Map($$("nav a").map((a) => [a.hash.slice(1), a]));
const seen = new IntersectionObserver((entries) => {
  for (const entry of entries) links.get(entry.target.id)?.classList.toggle("here", entry.isIntersecting);
}, { rootMargin: "-10% 0px -70% 0px" });
for (const section of $$("main section")) seen.observe(section);

// A link into something folded opens it.
function reveal(id) {
  const target = id ? document.getElementById(id) : null;
  for (let fold = target?.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true;
  return target;
}
addEventListener("hashchange", () => reveal(decodeURIComponent(location.hash.slice(1)))?.scrollIntoView());
reveal(decodeURIComponent(location.hash.slice(1)));

// Commands can be copied where the browser lets us.
for (const code of $$("code.command")) {
  const button = make("button", { type: "button", class: "copy", onclick: async () => {
    await navigator.clipboard.writeText(code.textContent);
    button.textContent = "Copied";
  } }, "Copy");
  if (navigator.clipboard) code.after(" ", button);
}
