// Figures to explore: marks that say which run they are, and the numbers as CSV.
const tip = document.body.appendChild(make("div", { class: "tip", role: "status", hidden: true }));
const runsOf = (mark) => mark.dataset.runs;
function showTip(mark) {
  const runs = runsOf(mark) ? inWords(runsOf(mark)) : [];
  tip.replaceChildren(make("p", {}, mark.getAttribute("aria-label")), ...runs.map((line) => make("p", { class: "run" }, line)),
    ...(runs.length ? [make("p", { class: "hint" }, "Click or press Enter for all of it.")] : []));
  tip.hidden = false;
  const at = mark.getBoundingClientRect();
  tip.style.left = Math.max(8, Math.min(at.left + 12, innerWidth - tip.offsetWidth - 8)) + "px";
  tip.style.top = (at.bottom + tip.offsetHeight + 8 < innerHeight ? at.bottom + 6 : Math.max(8, at.top - tip.offsetHeight - 6)) + "px";
}
const hideTip = () => { tip.hidden = true; };
addEventListener("scroll", hideTip, { passive: true });

// One stop for the Tab key per figure; arrows go from mark to mark.
function marksOf(svg) {
  const marks = $$(".marks circle", svg);
  marks.forEach((mark, k) => {
    mark.setAttribute("aria-label", mark.querySelector("title").textContent);
    mark.querySelector("title").remove(); // or the browser would show a second tooltip
    mark.setAttribute("role", runsOf(mark) ? "button" : "img");
    mark.setAttribute("tabindex", k ? "-1" : "0");
  });
  const group = svg.querySelector(".marks");
  if (!group) return;
  const mark = (event) => event.target.closest("circle");
  group.addEventListener("pointerover", (event) => mark(event) && showTip(mark(event)));
  group.addEventListener("pointerout", hideTip);
  group.addEventListener("focusin", (event) => showTip(mark(event)));
  group.addEventListener("focusout", hideTip);
  group.addEventListener("click", (event) => mark(event) && runsOf(mark(event)) && showRuns(runsOf(mark(event))));
  group.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (step) {
      const next = marks[(marks.indexOf(mark(event)) + step + marks.length) % marks.length];
      event.preventDefault();
      mark(event).setAttribute("tabindex", "-1");
      next.setAttribute("tabindex", "0");
      next.focus({ preventScroll: true });
    } else if ((event.key === "Enter" || event.key === " ") && runsOf(mark(event))) {
      event.preventDefault();
      showRuns(runsOf(mark(event)));
    } else if (event.key === "Escape") hideTip();
  });
}

// The numbers that are drawn, one point a line; a heat map has a value at every place.
function numbersOf({ panels, series }) {
  const same = (name) => new Set(panels.map((panel) => panel[name])).size === 1 && panels[0][name];
  const x = same("x") || "x", y = same("y") || "y", mesh = series.some((each) => each[4]);
  const rows = series.flatMap(([k, name, xs, ys, values]) => values
    ? values.map((value, i) => [panels[k].title, name, xs[i % xs.length], ys[Math.floor(i / xs.length)], value])
    : xs.map((value, i) => [panels[k].title, name, value, ys[i], ...(mesh ? [""] : [])]));
  return [["panel", "series", x, y, ...(mesh ? ["value"] : [])], ...rows];
}

for (const numbers of $$("figure > .numbers")) {
  const figure = numbers.parentElement, svg = figure.querySelector(".scroll > svg"), data = JSON.parse(numbers.textContent);
  svg.setAttribute("role", "group"); // an image may not hold buttons
  marksOf(svg);
  if (data.series.length) tools(figure).append(make("button", { type: "button", onclick: () => download(figure.id.replace("figure-", "") + ".csv", csv(numbersOf(data))) }, "Download as CSV"));
}

// A slider along the training: earlier moments of a figure, the last one as it was drawn.
for (const along of $$(".along")) {
  const frames = $$("img", along), last = along.parentElement.querySelector(":scope > .scroll");
  const words = make("output", {}, "end");
  const slider = make("input", { type: "range", min: "0", max: String(frames.length), value: String(frames.length), "aria-label": "Moment of the training" });
  slider.addEventListener("input", () => {
    const at = Number(slider.value), end = at === frames.length;
    frames.forEach((frame, k) => { frame.hidden = k !== at; });
    last.hidden = !end;
    words.textContent = end ? "end" : `moment ${at + 1} of ${frames.length}`;
  });
  along.prepend(make("label", {}, "Along the training ", slider, " ", words));
  along.hidden = false;
}
