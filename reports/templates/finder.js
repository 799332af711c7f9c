// Which situation are you in? Whatever questions the page has, the answers are looked up.
const finder = document.getElementById("finder");
if (finder) unpacked(document.getElementById("situations"), ({ strings, answers, choices }) => {
  const form = finder.querySelector("form"), answer = finder.querySelector(".answer");
  const selects = [...form.elements].filter((element) => element.name);
  const known = Object.keys(choices).map((choice) => choice.split("."));

  // Options that nothing was measured for, given the questions before, cannot be chosen.
  function narrow() {
    selects.forEach((select, k) => {
      const before = selects.slice(0, k).map((other) => other.value);
      const able = new Set(known.filter((choice) => before.every((value, i) => choice[i] === value)).map((choice) => choice[k]));
      for (const option of select.options) option.disabled = !able.has(option.value);
      if (!able.has(select.value)) select.value = [...able][0];
    });
  }

  function tell() {
    narrow();
    const [winner, family, words, facts, cells, row] = answers[choices[selects.map((select) => select.value).join(".")]];
    const kind = strings[winner] === "nobody" ? "nobody" : strings[family];
    answer.replaceChildren(
      make("p", { class: "case" }, selects.map((select) => select.selectedOptions[0].text).join(", ") + ":"), // for print
      make("p", { class: "words " + kind }, strings[words]),
      make("dl", {}, ...facts.map(([term, text]) => make("div", {}, make("dt", {}, strings[term]), make("dd", {}, strings[text])))),
      make("p", { class: "evidence" }, "Evidence: ",
        make("a", { href: "#situation-" + row }, "its row in the table"),
        ...(strings[cells] ? [", ", make("a", { href: "#cells", "data-cells": strings[cells] }, "the runs")] : []), "."));
  }
  form.addEventListener("change", tell);
  form.addEventListener("submit", (event) => event.preventDefault());
  form.hidden = false;
  tell();
});
