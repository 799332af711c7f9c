// What leaves the page to the right, what scrolls sideways, and what the first screen holds.
const width = document.documentElement.clientWidth;
const wide = [...document.querySelectorAll("body *")].filter((e) => e.checkVisibility() &&
  e.getBoundingClientRect().right > width + 1 && !e.closest(".scroll, .formula, .skip, svg"));
const scrolling = [...document.querySelectorAll("header, #finder")]
  .filter((e) => e.scrollWidth > e.clientWidth + 1).map((e) => e.outerHTML.slice(0, 80));
const bottom = (selector) => document.querySelector(selector).getBoundingClientRect().bottom;
return { width, page: document.documentElement.scrollWidth, scrolling, answer: bottom(".answer"),
         wide: wide.slice(0, 5).map((e) => e.outerHTML.slice(0, 80)) };
