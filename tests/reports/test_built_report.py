"""The report of the kept run, built and read: one fact has one value, every verdict its effect and
interval, every error the place where it is measured; no text of a figure is cut or overprinted."""

import html
import re
from collections import Counter
from pathlib import Path

import matplotlib.pyplot as plt
import pytest
from drawings import drawing_findings

from bench.claims.facts import all_facts
from bench.claims.facts.learned_tau import WORDS
from bench.claims.themes.tau import learned_over_fixed
from reports.compile import build_document
from reports.context import Run
from reports.document import Table, slug
from reports.pdf import CHARACTERS, SMALLEST, narrowest
from reports.sections import ledger
from reports.style import drawn, saved

KEPT = Path(__file__).parents[2] / "docs/paper/results.parquet"


PLACE = re.compile(
    r"cube|cylinder|\bring\b|prism|domain|where the samples lie|held-out|slice|training error|"
    r"training points"
)
# The local error of time stepping is one of the layers, of no domain.
AN_ERROR = re.compile("(?<!local )error|L²")


@pytest.fixture(scope="module")
def run():
    return next(run for run in Run.read_each(KEPT) if run.name == "paper")


@pytest.fixture(scope="module")
def document(run):
    return build_document(run)


def test_every_error_of_a_table_says_where_it_is_measured(document):
    """In the head of its column; tables of one error only, in their caption."""
    tables = [b for _, s in document.walk() for b in s.blocks if isinstance(b, Table)]
    assert len(tables) > 12
    for table in tables:
        for column in table.columns:
            if AN_ERROR.search(column.title) and column.kind != "ratio":
                assert PLACE.search(column.title), (table.name, column.title)
            elif column.kind == "error" and "loss" not in column.title:
                heads = " ".join(each.title for each in table.columns)
                assert PLACE.search(heads + table.caption), (table.name, column.title)


def test_every_error_of_a_figure_says_where_it_is_measured(document):
    """Read off the texts of the SVG: labels of axes, titles and names of curves. Curves along the
    training are not kept, so that figures of them say that they could not be made."""
    errors = 0
    for picture in document.pictures():
        with drawn(picture, text_as_text=True) as figure:
            svg = saved(figure, "svg").decode()
            assert drawing_findings(picture.name, figure) == [] or "could not be made" in svg
        texts = map(html.unescape, re.findall(r"<text[^>]*>(.*?)</text>", svg, re.DOTALL))
        for text in texts:
            if AN_ERROR.search(text) and "Error" not in text:
                errors += 1
                assert PLACE.search(text), (picture.name, text)
    assert errors >= 5


def test_faults_of_a_drawing_are_found():
    figure, axes = plt.subplots()
    axes.plot([0, 1], [0, 1])
    axes.text(0.5, 0.5, "one name")
    axes.text(0.5, 0.51, "another name")
    axes.text(0.98, 0.2, "a name that leaves the figure").set_in_layout(False)
    figure.draw_without_rendering()
    cut, over = drawing_findings("f", figure)
    assert cut == "figure f: text “a name that leaves the figure” is cut"
    assert over == "figure f: text “one name” is over text “another name”"
    assert drawing_findings("f", plt.figure()) == ["figure f: it shows no data"]
    plt.close("all")


def test_names_are_unique_references_lead_somewhere_and_tables_fit(document):
    labels = document.labels()
    blocks = [b for _, section in document.walk() for b in section.blocks]
    named = [slug(b.name) for b in blocks if hasattr(b, "name")]
    named += [section.anchor for _, section in document.walk()]
    assert [name for name, times in Counter(named).items() if times > 1] == []
    for block in blocks:
        text = getattr(block, "text", "") + getattr(block, "caption", "")
        assert set(re.findall(r"\[\[([a-z0-9-]+)\]\]", text)) <= labels.keys()
        if isinstance(block, Table):
            assert block.rows
            assert narrowest(block) * SMALLEST / 0.92 <= CHARACTERS, block.name


def test_every_verdict_has_its_effect_its_interval_and_says_where_it_is_measured(run):
    (table,) = [block for block in ledger.contents(run) if isinstance(block, Table)]
    places = {column.title: at for at, column in enumerate(table.columns)}
    entries = {entry.claim.sentence: entry for entry in run.ledger}
    assert len(table.rows) == len(entries)
    tested = [row for row in table.rows if entries[row[places["claim"]]].tested]
    assert len(tested) > 30
    for row, more in zip(table.rows, table.details, strict=True):
        entry = entries[row[places["claim"]]]
        assert more.name == f"claim-{entry.claim.name}"
        if entry.verdict != "not testable":
            assert row[places["effect"]] is not None, entry.claim.name
            assert row[places["interval"]], entry.claim.name
            assert dict(more.facts)["domain"] == entry.domain


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
