// Which situation are you in? Whatever questions the page has, the answers are looked up.
const finder = document.getElementById("finder");
if (finder) {
  const answers = JSON.parse(document.getElementById("situations").textContent);
  const form = finder.querySelector("form"), answer = finder.querySelector(".answer");
  const selects = [...form.elements].filter((element) => element.name);
  const known = Object.keys(answers).map((choice) => choice.split("."));

  // Options that nothing was measured for, given the questions before, cannot be chosen.
  function narrow() {
    selects.forEach((select, k) => {
      const before = selects.slice(0, k).map((other) => other.value);
      const able = new Set(known.filter((choice) => before.every((value, i) => choice[i] === value)).map((choice) => choice[k]));
      for (const option of select.options) option.disabled = !able.has(option.value);
      if (!able.has(select.value)) select.value = [...able][0];
    });
  }

  // The state is in the address: #finder=0.1.2.1 opens the page at this answer.
  const remember = () => history.replaceState(null, "", "#finder=" + selects.map((select) => select.value).join("."));
  function recall() {
    const chosen = location.hash.startsWith("#finder=") ? location.hash.slice(8).split(".") : [];
    if (chosen.length !== selects.length) return false;
    selects.forEach((select, k) => { if (select.options[chosen[k]]) select.value = chosen[k]; });
    finder.scrollIntoView();
    return true;
  }

  function show() {
    narrow();
    const { look, words, facts, runs, row } = answers[selects.map((select) => select.value).join(".")];
    answer.replaceChildren(
      make("p", { class: "case" }, selects.map((select) => select.selectedOptions[0].text).join(", ") + ":"), // for print
      make("p", { class: "words " + look }, words),
      make("dl", {}, ...facts.map(([term, text]) => make("div", {}, make("dt", {}, term), make("dd", {}, text)))),
      make("p", { class: "evidence" }, "Evidence: ",
        make("a", { href: "#situation-" + row }, "its row in the table"),
        ...(runs ? [", ", make("a", { href: "#cells", "data-cells": runs }, "the runs")] : []), "."));
  }
  form.addEventListener("change", () => { show(); remember(); });
  addEventListener("hashchange", () => recall() && show());
  form.addEventListener("submit", (event) => event.preventDefault());
  form.hidden = false;
  recall();
  show();
}
