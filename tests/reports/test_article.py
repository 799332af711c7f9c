"""The article's builder: guards, facts, digits and citations; and the article that is kept."""

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from base.errors import UserError
from bench.claims.facts import Fact, all_facts
from bench.store.curves import CURVES, attach_curves, write_curves
from bench.store.parquet import read_results, write_results
from bench.store.results import Results
from reports.article.__main__ import document_of
from reports.article.expressions import FORMATS, Unsupported, shown, value
from reports.article.kept import Kept
from reports.article.source import plain, read, regions
from reports.document import Formula, Items, Paragraph, Picture, Table
from reports.html import render_html
from reports.pdf import typst_source

KEPT = Path(__file__).parent.parent.parent / "docs" / "paper"


def fact(name, number, unit="L² error", **more):
    return Fact(name=name, value=number, unit=unit, domain="cube", seeds=3, cells=("k",), **more)


@pytest.fixture
def kept():
    facts = {
        "s/net": fact("net", 3.16e-9, conditions="given the equation"),
        "s/n0": fact("n0", 7.8e-4),
        "s/time": fact("time", 18.0, "s"),
        "s/wrong": fact("wrong", 0.516, "relative L² error"),
        "s/nets": fact("nets", 16, "nets"),
    }
    claim = SimpleNamespace(part="paper")
    entry = SimpleNamespace(verdict="fails", effect=1.7, interval=(1.4, 2.1), claim=claim)
    return Kept(Results([]), facts, {"tau": entry})


def figure(kind, name, caption):
    if name == "absent":
        return None
    shown = Picture(name, caption, lambda: None)
    return shown if kind == "figure" else Table(name, caption, [], [])


SOURCE = """---
title: A title
authors: Somebody
allow: 2-50; x = 1
---
# Abstract
::: require [s/net] < [s/n0] "the net overtakes the mesh"
The net has {s/net} after {s/time}, **{[s/n0] / [s/net] | factor}** times less [@one].
:::

# Results
## Smooth
See {fig:curve} and {tab:rows}: a 2-50 net at x = 1 is {s/wrong} wrong.

![What is *plotted*.](figure:curve)

```math: u is f
u = f_1
```

- one `code 7`
- two {verdicts("paper", "fails") | words}

Table: rows: A caption.
| a | b |
|---|---|
| {[s/net] / [s/n0] | ratio} | text |

::: when none/
Left out with a 5 in it.
:::

[@one]: Somebody: A book. 1980.
"""


def test_prose_stays_prose_and_numbers_are_facts(kept):
    document = read(SOURCE, kept, figure)
    (abstract,) = document.abstract
    assert abstract == "The net has 3.2·10⁻⁹ after 18 s, 200 000 times less [1].".replace(
        "200 000", "200\u202f000"
    )
    (results,) = document.sections
    (smooth,) = results.subsections
    kinds = [type(block) for block in smooth.blocks]
    assert kinds == [Paragraph, Picture, Formula, Items, Table]
    assert smooth.blocks[0].text.endswith("a 2-50 net at x = 1 is 52\u202f% wrong.")
    assert smooth.blocks[3].texts == ["one code 7", "two one"]
    assert document.references == ["Somebody: A book. 1980."]


@pytest.mark.parametrize(("value", "text"), [(4.2, "5"), (24.75, "25"), (14030.0, "14 000")])
def test_queries_are_the_next_whole_number_to_two_digits(value, text):
    assert FORMATS["queries"](value) == text.replace(" ", "\u202f")


def test_both_media_have_facts_and_citations(kept):
    source = SOURCE.replace("![What is *plotted*.](figure:curve)", "").replace(
        "{fig:curve} and", ""
    )
    document = read(source, kept, figure)
    page = render_html(document)
    assert 'title="net: 3.16e-09 L² error; cube; 3 seeds; given the equation; 1 cell"' in page
    assert '<a class="reference" href="#reference-1">1</a>' in page
    source = typst_source(document)
    assert "3.2·10⁻⁹" in source
    assert "columns(2, outline" not in source, "an article has no list of contents"


def test_exponents_are_raised_and_code_breaks_between_words_only(kept):
    source = "---\nauthors: A\nallow: r^(2/3)\n---\n# T\nIt is *as* r^(2/3), by `run --preset x`."
    document = read(source, kept, figure)
    assert "r<sup>2/3</sup>, by" in render_html(document)
    made = typst_source(document)
    assert '#super("2/3")' in made
    assert '#raw("run")#raw(" ")#box(raw("--preset"))#raw(" ")#raw("x")' in made


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ("[s/net] <", "[s/net] >", "article.md:7: .*does not support “the net overtakes the mesh”"),
        (
            'mesh"\n',
            'mesh"\n::: and [s/n0] < 0 "less than none"\n',
            "article.md:8: .*“less than none”",
        ),
        ("after {s/time}", "after 18 s", "article.md:8: the digit in '18' is typed in"),
        ("{s/time}", "{s/hours}", "article.md:8: the kept run has no fact 's/hours'"),
        ("See {fig:curve} and", "See", "Figure 1, curve, is not cited"),
        ("{tab:rows}", "{tab:rows}, {tab:lines}", "no figure or table 'lines'"),
        ("[@one].", "[@two].", r"no entry \[@two\]"),
        ("figure:curve", "figure:absent", "cannot make the figure 'absent'"),
        ("::: when none/", "::: without x", "neither a guard nor an end"),
    ],
)
def test_a_fault_stops_the_build_and_names_the_line(kept, old, new, fault):
    assert old in SOURCE
    with pytest.raises(UserError, match=fault):
        read(SOURCE.replace(old, new), kept, figure)


def test_conditions_know_facts_verdicts_and_nothing_else(kept):
    assert value('[s/n0] > 10 * [s/net] and verdict("tau") == "fails"', kept)
    assert value('max(low("tau"), effect("tau")) - [s/time]', kept) == pytest.approx(1.7 - 18)
    assert not value("not [s/net] < [s/n0]", kept)
    assert value('seeds("s/net")', kept) == kept.facts["s/net"].seeds
    for wrong in (
        '__import__("os")',
        "(1).real",
        "[s/net] <",
        'verdict("other")',
        'seeds("x")',
        "x",
    ):
        with pytest.raises(Unsupported):
            value(wrong, kept)
    assert shown("s/nets", kept)[0] == "16"
    assert shown("s/nets | words", kept)[0] == "16"
    with pytest.raises(Unsupported, match="needs a format"):
        shown("[s/net] / [s/n0]", kept)


def test_rows_of_a_table_may_depend_on_what_the_run_has(kept):
    rows = "::: when {}\n| known | 1 |\n:::\n::: unless {}\n| unknown | – |\n:::\n| last | – |"
    head = "# T\n{tab:rows}\n\nTable: rows: A caption.\n| a | b |\n|---|---|\n"
    for name, first in (("s/", "known"), ("none/", "unknown")):
        source = "---\nallow: 1\n---\n" + head + rows.replace("{}", name) + "\n\nEnd."
        (section,) = read(source, kept, figure).sections
        table, end = section.blocks[1:]
        assert [str(row[0]) for row in table.rows] == [first, "last"]
        assert end.text == "End."


def test_readme_has_the_same_guards(kept):
    text = '::: require [s/net] < [s/n0] "better"\nThe net has {s/net}.\n:::\n'
    assert plain(text, kept, "readme.md") == "The net has 3.2·10⁻⁹.\n"
    with pytest.raises(UserError, match=r"readme.md:1: .*“better”"):
        plain(text.replace("<", ">"), kept, "readme.md")
    region = "a\n<!-- results: x -->\nold\n<!-- end of results -->\nb"
    assert regions(region, {"x": "new\n"}) == region.replace("old", "new")
    with pytest.raises(UserError, match="a region 'x'"):
        regions(region, {})


def test_curves_come_back(tmp_path):
    curve = np.linspace(0.0, 1.0, 6).reshape(2, 3)
    record = SimpleNamespace(
        kind="solved_net", key="k", arrays={"curve_seconds": curve, "x": curve}
    )
    write_curves(tmp_path / CURVES, [record])
    bare = SimpleNamespace(key="k")
    attach_curves(tmp_path / CURVES, Results([bare]))
    assert [*bare.arrays] == ["curve_seconds"]
    assert np.allclose(bare.arrays["curve_seconds"], curve)
    (tmp_path / CURVES).write_bytes(b"no parquet")
    with pytest.raises(UserError, match="not a file of curves"):
        attach_curves(tmp_path / CURVES, Results([bare]))


@pytest.fixture(scope="module")
def kept_run():
    return Kept.read(KEPT)


def test_the_kept_article_is_what_its_run_says(kept_run):
    document = document_of(KEPT, kept_run)
    assert len(document.pictures()) >= 6
    assert {section.title for section in document.sections} >= {"Introduction", "Limitations"}
    assert not any("(draft)" in text for text in document.abstract)


def test_one_changed_value_stops_the_article(kept_run, tmp_path):
    """The finest mesh of N₀ on maxwell becomes better than the net: a sentence is wrong then."""
    stored = [("paper", (), r) for r in kept_run.results if r.kind in ("fem", "solved_net")]
    rows = [row for row in stored if row[2].config["problem"] == "maxwell"]
    where = {"problem": "maxwell", "element": "N0", "solve": True}
    for record in Results([record for _, _, record in rows]).select("fem", **where):
        values = {**record.values, "l2_error": 1e-12}
        rows[[row[2] for row in rows].index(record)] = ("paper", (), replace(record, values=values))
    write_results(tmp_path / "results.parquet", rows)
    again = [r for run, _, r in read_results(tmp_path / "results.parquet") if run == "paper"]
    changed = Kept(Results(again), all_facts(Results(again), "solve")[0], kept_run.verdicts)
    moved = replace(kept_run, facts={**kept_run.facts, **changed.facts})
    with pytest.raises(UserError, match=r"article\.md:\d+: .*“ends below the lowest-order meshes"):
        document_of(KEPT, moved)
    (tmp_path / "verdicts.json").write_bytes((KEPT / "verdicts.json").read_bytes())
    with pytest.raises(UserError, match="of different runs"):
        Kept.read(tmp_path)


def test_a_second_run_is_quoted_by_a_prefix(kept):
    second = Kept(Results([]), {"s/net": fact("net", 2.5e-9)}, {})
    facts = {**kept.facts, "again/s/net": second.facts["s/net"]}
    entry = SimpleNamespace(verdict="holds", effect=0.9, interval=(0.8, 1.0), claim=None)
    both = replace(kept, facts=facts, again={"again/tau": entry})
    assert shown("again/s/net", both)[0] == "2.5·10⁻⁹"
    assert value('[again/s/net] < [s/net] and verdict("again/tau") == "holds"', both)
    assert value('verdicts("paper", "holds")', both) == 0, "a second run is not counted"
    with pytest.raises(Unsupported, match="no fact 'again/s/n0'"):
        value("[again/s/n0] > 0", both)


def test_results_of_other_runs_are_the_second_run(kept_run):
    records = Results([r for r in kept_run.results if r.kind == "net"])
    both = Kept.of(records).confirmed_by(records)
    own = {name for name in both.facts if not name.startswith("again/")}
    assert own
    assert {f"again/{name}" for name in own} == both.facts.keys() - own
    assert both.again.keys() == {f"again/{name}" for name in both.verdicts}
