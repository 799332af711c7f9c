// The ledger: what is asked for stays, the rest is hidden, and a line says how many are left.
const claims = $$("details.claim");
if (claims.length) {
  const values = (name) => [...new Set(claims.map((claim) => claim.dataset[name]).filter(Boolean))];
  const choice = (name, title, all) => make("label", {}, title + " ", make("select", { name },
    make("option", { value: "" }, all), ...values(name).map((value) => make("option", { value }, value))));
  const count = make("output", { "aria-live": "polite" });
  const filters = make("form", { class: "filters", "aria-label": "Filter the claims", onsubmit: (event) => event.preventDefault() },
    choice("status", "Verdict", "any"), choice("part", "Part", "all"), choice("standing", "Standing", "any"),
    make("label", {}, "With the words ", make("input", { name: "words", type: "search" })), count);
  claims[0].closest("figure").before(filters);

  function filter() {
    const asked = Object.fromEntries(new FormData(filters));
    const words = asked.words.toLowerCase().split(/\s+/).filter(Boolean);
    for (const claim of claims) {
      const text = claim.textContent.toLowerCase();
      claim.hidden = ["status", "part", "standing"].some((name) => asked[name] && claim.dataset[name] !== asked[name])
        || words.some((word) => !text.includes(word));
    }
    for (const list of $$(".claims")) list.closest("figure").hidden = claims.every((claim) => claim.hidden || !list.contains(claim));
    count.textContent = `${claims.filter((claim) => !claim.hidden).length} of ${claims.length} claims`;
  }
  filters.addEventListener("input", filter);
  filter();

  for (const list of $$(".claims")) {
    const rows = () => [["claim", "verdict", "standing", "rule", "evidence", "seeds"],
      ...$$("details.claim", list).map((claim) => {
        const facts = new Map($$("dl > div", claim).map((pair) => [pair.children[0].textContent, pair.children[1].textContent]));
        return [claim.querySelector(".sentence").textContent, claim.dataset.status, claim.dataset.standing,
          ...["rule", "evidence", "seeds"].map((name) => facts.get(name) ?? "")];
      })];
    tools(list.closest("figure")).append(
      make("button", { type: "button", onclick: () => download(list.dataset.name + ".csv", csv(rows())) }, "Download as CSV"));
  }
}
