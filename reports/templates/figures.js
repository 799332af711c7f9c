// Figures to explore: marks that say which run they are, series, kinds and panels to choose, zoom.
const MOST_CHIPS = 16;
const FAMILIES = { "finite element": "finite elements", "net": "nets", "linear model": "linear models" };
const slugged = (text) => text.normalize("NFKD").replaceAll("τ", "tau").toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "") || "x";

const tip = document.body.appendChild(make("div", { class: "tip", role: "status", hidden: true }));
const runsOf = (mark) => mark.parentElement.dataset.runs; // of its group: what its marks share
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

// `N₀: 4; 0.02` is what a mark says by itself; its group knows what is on the axes.
function inFull(mark) {
  const text = mark.querySelector("title").textContent, { x = "", y = "" } = mark.parentElement.dataset;
  const second = text.lastIndexOf("; "), first = text.slice(0, second).lastIndexOf(": ") + 2;
  const name = first > 1 ? text.slice(0, first) : "", at = text.slice(first > 1 ? first : 0, second);
  return name + [[x, at], [y, text.slice(second + 2)]].map((each) => each.filter(Boolean).join(" ")).join(", ");
}

// One stop for the Tab key per figure; arrows go from mark to mark.
function marksOf(svg) {
  const marks = $$(".marks circle", svg);
  marks.forEach((mark, k) => {
    mark.setAttribute("aria-label", inFull(mark));
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
      const shown = marks.filter((each) => !each.closest(".off"));
      const next = shown[(shown.indexOf(mark(event)) + step + shown.length) % shown.length];
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

// Series by name, kinds of methods by family, and by what they were told: what is off is hidden, in
// the legend as well.
const GIVEN = { field: "given the field", samples: "given samples", equation: "given the equation" };
function filtersOf(figure, svg, { series, tracks = {} }) {
  const names = [...new Set(series.map(([, name]) => name.replace(/, (low|high)$/, "")).filter(Boolean))];
  const family = new Map(series.map(([, name, kind]) => [name, kind]));
  const off = new Set();
  const buttons = new Map();
  const paint = () => {
    for (const name of names) {
      const slug = slugged(name), hidden = off.has(name);
      for (const part of $$(`[data-series="${slug}"]`, svg)) part.classList.toggle("off", hidden);
      for (const entry of $$(`[data-legend="${slug}"]`, svg)) {
        entry.classList.toggle("off-label", hidden);
        if (entry.hasAttribute("role")) entry.setAttribute("aria-pressed", String(!hidden));
      }
      buttons.get(name)?.setAttribute("aria-pressed", String(!hidden));
    }
    for (const [button, members] of kinds) button.setAttribute("aria-pressed", String(members.some((name) => !off.has(name))));
  };
  const turn = (which, hide) => { for (const name of which) off[hide ? "add" : "delete"](name); paint(); };
  const chip = (text, click) => make("button", { type: "button", class: "chip", "aria-pressed": "true", onclick: click }, text);
  const kinds = [];
  function offer(words, belongs, label) {
    const found = Object.keys(words).map((kind) => [kind, names.filter((name) => belongs(name) === kind)]).filter(([, members]) => members.length);
    if (found.length < 2) return;
    const row = found.map(([kind, members]) => {
      const button = chip(words[kind], () => turn(members, members.some((name) => !off.has(name))));
      button.classList.add(slugged(kind));
      kinds.push([button, members]);
      return button;
    });
    tools(figure, "filters").append(make("span", { role: "group", "aria-label": label }, ...row));
  }
  offer(FAMILIES, (name) => family.get(name), "Kinds of methods");
  offer(GIVEN, (name) => tracks[name], "What methods are given");
  if (names.length > 1 && names.length <= MOST_CHIPS) {
    for (const name of names) buttons.set(name, chip(name, () => turn([name], !off.has(name))));
    const fold = make("details", { class: "series" }, make("summary", {}, `${names.length} series`), make("span", { role: "group", "aria-label": "Series" }, ...buttons.values()));
    tools(figure, "filters").append(fold);
  }
  for (const entry of $$("text[data-legend], g[data-legend]", svg)) {
    const name = names.find((each) => slugged(each) === entry.dataset.legend);
    if (!name) continue;
    entry.addEventListener("click", () => turn([name], !off.has(name)));
    if (!entry.textContent.trim()) continue; // its handle: one stop for the keyboard is enough
    for (const [key, value] of [["role", "button"], ["tabindex", "0"], ["aria-pressed", "true"], ["aria-label", "Show or hide " + name]]) entry.setAttribute(key, value);
    entry.addEventListener("keydown", (event) => {
      if (event.key === "Enter" || event.key === " ") { event.preventDefault(); turn([name], !off.has(name)); }
    });
  }
}

// Zoom moves the window through which the drawing is seen.
function zoomOf(figure, svg, panels) {
  const whole = svg.getAttribute("viewBox").split(" ").map(Number);
  let box = [...whole];
  const set = (next) => {
    box = next;
    svg.style.cssText = "";
    svg.setAttribute("viewBox", box.map((value) => value.toFixed(1)).join(" "));
    svg.classList.toggle("zoomed", box[2] < whole[2] - 0.1);
  };
  const at = (x, y, factor) => {
    const [left, top, width, height] = box;
    const wide = Math.min(whole[2], Math.max(whole[2] / 20, width * factor)), high = wide * whole[3] / whole[2];
    const inside = (low, size, limit) => Math.min(Math.max(low, 0), limit - size);
    set([inside(left + (width - wide) * x, wide, whole[2]), inside(top + (height - high) * y, high, whole[3]), wide, high]);
  };
  const place = (event) => {
    const view = svg.getBoundingClientRect();
    return [(event.clientX - view.left) / view.width, (event.clientY - view.top) / view.height];
  };
  const reset = () => { choose(-1); set([...whole]); };
  const button = (text, label, click) => make("button", { type: "button", "aria-label": label, title: label, onclick: click }, text);
  tools(figure, "filters").append(make("span", { class: "zoom", role: "group", "aria-label": "Zoom" },
    button("−", "Zoom out", () => at(0.5, 0.5, 1.5)), button("+", "Zoom in", () => at(0.5, 0.5, 1 / 1.5)), button("Reset", "Show the whole figure", reset)));
  // The wheel scrolls the page, unless Ctrl is held or the figure is zoomed already.
  svg.addEventListener("wheel", (event) => {
    if (!event.ctrlKey && !svg.classList.contains("zoomed")) return;
    event.preventDefault();
    at(...place(event), event.deltaY > 0 ? 1.2 : 1 / 1.2);
  }, { passive: false });
  svg.addEventListener("dblclick", (event) => at(...place(event), 0.5));
  let held = null;
  svg.addEventListener("pointerdown", (event) => { if (svg.classList.contains("zoomed")) held = [place(event), [...box]]; });
  svg.addEventListener("pointermove", (event) => {
    if (!held) return;
    const [x, y] = place(event), [[x0, y0], [left, top, width, height]] = held;
    const inside = (low, size, limit) => Math.min(Math.max(low, 0), limit - size);
    set([inside(left - (x - x0) * width, width, whole[2]), inside(top - (y - y0) * height, height, whole[3]), width, height]);
  });
  for (const end of ["pointerup", "pointerleave"]) svg.addEventListener(end, () => { held = null; });

  // A panel alone: what was told, or which problem. One that shares its scale borrows the labels.
  const titled = panels.map((panel, k) => [panel, k]).filter(([panel]) => panel.title);
  const drawn = $$("g[id*='-axes_']", svg);
  const buttons = new Map();
  let borrowed = null;
  function choose(chosen) {
    borrowed?.remove();
    drawn.forEach((axes, k) => axes.classList.toggle("aside", chosen >= 0 && k !== chosen && k < panels.length));
    for (const [k, each] of buttons) each.setAttribute("aria-pressed", String(k === chosen));
    if (chosen < 0) return;
    const [left, top, width, height] = panels[chosen].box;
    let room = 0;
    const axis = drawn[0]?.querySelector("g[id*='-matplotlib.axis_2']");
    if (chosen && axis && !drawn[chosen].querySelector("g[id*='-matplotlib.axis_2'] text") && panels[0].y === panels[chosen].y) {
      const frame = (axes) => axes.querySelector("path").getBBox().x;
      room = frame(drawn[0]) - panels[0].box[0];
      borrowed = axis.cloneNode(true);
      for (const line of $$("path, use, defs", borrowed)) line.remove();
      for (const part of [borrowed, ...$$("[id]", borrowed)]) part.removeAttribute("id");
      borrowed.setAttribute("transform", `translate(${frame(drawn[chosen]) - frame(drawn[0])} 0)`);
      borrowed.setAttribute("aria-hidden", "true");
      svg.append(borrowed);
    }
    set([left - room - 4, top - 4, width + room + 8, height + 8]);
    svg.style.cssText = `width: min(100%, ${2 * box[2]}pt); aspect-ratio: ${box[2]} / ${box[3]}`;
  }
  if (titled.length > 1 && titled.length === new Set(titled.map(([panel]) => panel.title)).size && drawn.length >= panels.length) {
    const chip = (text, k, click) => {
      const each = make("button", { type: "button", class: "chip", "aria-pressed": String(k < 0), onclick: click }, text);
      buttons.set(k, each);
      return each;
    };
    const all = chip("all panels", -1, reset);
    const row = titled.map(([panel, k]) => chip(panel.title, k, () => choose(k)));
    tools(figure, "filters").prepend(make("span", { class: "panels", role: "group", "aria-label": "Panels" }, all, ...row));
  }
}

// The numbers that are drawn, one point a line; a heat map has a value at every place.
function numbersOf({ panels, series }) {
  const same = (name) => new Set(panels.map((panel) => panel[name])).size === 1 && panels[0][name];
  const x = same("x") || "x", y = same("y") || "y", mesh = series.some((each) => each[5]);
  const word = (panel, axis, value) => panel.names?.[axis]?.[String(value)] ?? value;
  const rows = series.flatMap(([k, name, , xs, ys, values]) => values
    ? values.map((value, i) => [panels[k].title, name, xs[i % xs.length], ys[Math.floor(i / xs.length)], value])
    : xs.map((value, i) => [panels[k].title, name, word(panels[k], "x", value), word(panels[k], "y", ys[i]), ...(mesh ? [""] : [])]));
  return [["panel", "series", x, y, ...(mesh ? ["value"] : [])], ...rows];
}

for (const numbers of $$("figure > .numbers")) {
  const figure = numbers.parentElement, svg = figure.querySelector(".scroll > svg");
  svg.setAttribute("role", "group"); // an image may not hold buttons
  marksOf(svg);
  unpacked(numbers, (data) => {
    filtersOf(figure, svg, data);
    zoomOf(figure, svg, data.panels);
    if (data.series.length) tools(figure, "filters").append(make("button", { type: "button", onclick: () => download(figure.id.replace("figure-", "") + ".csv", csv(numbersOf(data))) }, "Download as CSV"));
  });
}

// Figures of one kind about several problems: one is shown, the others can be chosen.
function switchOf(figures) {
  if (figures.length < 2) return;
  const frame = (figure) => figure.closest("details.other") ?? figure;
  for (const figure of figures.filter((each) => each.closest("details.other"))) {
    frame(figure).open = true;
    frame(figure).classList.add("switched");
  }
  const select = make("select", { onchange: () => choose(select.value) },
    ...figures.map((figure) => make("option", { value: figure.id }, figure.dataset.problem)));
  const choose = (id) => { select.value = id; for (const figure of figures) frame(figure).hidden = figure.id !== id; };
  frame(figures[0]).before(make("label", { class: "switch" }, "Problem ", select));
  choose(figures[0].id);
  const follow = () => figures.some((figure) => figure.id === location.hash.slice(1)) && choose(location.hash.slice(1));
  addEventListener("hashchange", follow);
  follow();
}
const groups = new Map();
for (const figure of $$("figure[data-switch]")) {
  const group = figure.closest("section").id + " " + figure.dataset.switch;
  groups.set(group, [...(groups.get(group) ?? []), figure]);
}
// Panels are measured before any figure is hidden.
waiting.push(Promise.all(waiting).then(() => { for (const figures of groups.values()) switchOf(figures); }));
