"""One fact has one value wherever the report states it, with its effect, interval and domain."""

from collections import Counter
from pathlib import Path

import pytest

from bench.claims.facts import all_facts
from bench.claims.facts.learned_tau import WORDS
from bench.claims.themes.tau import learned_over_fixed
from bench.store.parquet import read_results
from bench.store.results import Results
from reports.context import Run
from reports.document import Table
from reports.interactive.claims import listed
from reports.sections import ledger

KEPT = Path(__file__).parents[2] / "docs/paper/results.parquet"


@pytest.fixture(scope="module")
def run():
    made = Run("paper", {}, ())
    records = [record for name, _, record in read_results(KEPT) if name == "paper"]
    made.__dict__["results"] = Results(records)
    return made


def test_no_verdict_of_the_table_stands_without_effect_and_interval(run):
    (table,) = [block for block in ledger.contents(run) if isinstance(block, Table)]
    places = {column.title: at for at, column in enumerate(table.columns)}
    stated = [row for row in table.rows if not row[places["verdict"]].startswith("not testable")]
    assert len(stated) > 30
    for row in stated:
        assert row[places["effect"]] is not None, row[places["claim"]]
        assert row[places["interval"]], row[places["claim"]]


def test_every_claim_of_the_page_says_where_it_is_measured(run):
    entries = {entry.claim.name: entry for entry in run.ledger}
    for items in listed(run).values():
        for item in items:
            entry = entries[item.name]
            if entry.verdict != "not testable":
                assert dict(item.facts)["domain"] == entry.domain


def test_facts_count_what_the_ledger_shows(run):
    facts, _ = all_facts(run.results, "learned_tau")
    effects = learned_over_fixed(run.results)
    for prefix, at_rates in (("tuned", False), ("equal-rate", True)):
        shown = Counter(e.verdict for s, e in effects.items() if (s.rate is not None) == at_rates)
        for verdict, word in WORDS.items():
            assert facts[f"learned_tau/{prefix}-{word}"].value == shown[verdict]
    rows = {entry.claim.name: entry.rows for entry in run.ledger}["learned-tau-trains-better"]
    tuned = [effect.effect for setting, effect in effects.items() if setting.rate is None]
    assert [row.effect for row in rows] == tuned
