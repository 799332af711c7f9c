"""The page in a real browser without network: it loads, answers, fits, and is accessible."""

import csv
import io
import json
import re
from pathlib import Path

import browser
import pytest
from made_up import make_document
from test_document import example_document

from reports.html import render_html

pytestmark = pytest.mark.skipif(browser.CHROMIUM is None, reason="no Chromium on this machine")


def script(name):
    return (Path(__file__).parent / f"{name}.js").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    return render_html(make_document(tmp_path_factory.mktemp("runs") / "small"))


SORT = """
const table = document.querySelector('table[data-name="values"]');
const column = () => [...table.tBodies[0].rows].map((r) => r.cells[0].textContent);
const before = column();
table.tHead.rows[0].cells[0].querySelector("button").click();
table.tHead.rows[0].cells[0].querySelector("button").click();
return { before, after: column() };
"""


def test_tables_sort(tmp_path):
    found = browser.visit(tmp_path, render_html(example_document()), SORT)
    assert found["faults"] == []
    assert found["after"] == found["before"][::-1]


def test_everything_that_can_be_explored(page, tmp_path):
    found = browser.visit(tmp_path, page, script("explore"))
    assert found.get("broken") is None
    assert found["faults"] == []
    _finder(found)
    _figure(found)
    _claims(found)
    _downloads(found, page)


def _finder(found):
    assert found["few"].startswith("linear (x,f,phi) wins: 20 ms")
    assert found["many"].startswith("cubic (x,f,phi) wins: 10")
    assert found["none"].startswith("No method reaches it")
    assert (found["live"], found["row"]) == ("polite", "10⁻⁸")
    assert found["dialog"] == [True, 2], "both seeds of the nearest method"
    assert found["closed"]


def _figure(found):
    assert "l2_error" in found["tip"]
    assert re.search(r"L² error where the samples lie, medians over seeds ", found["tip"])
    assert "problem maxwell" in found["tip"]
    assert found["untipped"]
    assert found["moved"] == [True, "circle", False, 1], "one stop for the Tab key"
    assert found["entered"]
    assert re.fullmatch(r"#finder=\d+\.\d+\.\d+\.\d+", found["address"]), "the state is kept"


def _claims(found):
    every = ["holds", "fails", "depends", "not testable"]
    assert found["claims"] == [
        every, ["holds"], every, every[1:3], every, every[3:], every, ["holds"],
    ]  # fmt: skip
    assert found["count"] == "1 of 4"
    assert found["claim"] == [True, True]


def _downloads(found, page):
    saved = found["saved"]
    assert {*found["tables"], *found["figures"]} <= saved.keys()
    head, *points = csv.reader(io.StringIO(saved["error-against-h.csv"]))
    assert head[:3] == ["panel", "series", "mesh size h, finer to the right"]
    data = re.search(
        r'id="figure-error-against-h".*?class="numbers">(.*?)</script>', page, re.DOTALL
    ).group(1)
    drawn = json.loads(data)
    assert [(panel, name, float(x), float(y)) for panel, name, x, y in points] == [
        (drawn["panels"][panel]["title"], name, x, y)
        for panel, name, xs, ys in drawn["series"]
        for x, y in zip(xs, ys, strict=True)
    ]
    claims = saved["ledger.csv"].splitlines()
    assert claims[0].startswith("part,claim,verdict,")
    assert claims[1].startswith("paper,The claim one.,holds,")
    assert "errors, paired" in claims[1]


@pytest.mark.parametrize("width", [390, 768, 1440])
def test_nothing_overflows(page, tmp_path, width):
    found = browser.visit(tmp_path, page, script("overflow"), width=width)
    assert found["faults"] == []
    assert found["page"] <= found["width"] + 1
    assert found["wide"] == []
    assert found["scrolling"] == []
    assert width < 1440 or found["answer"] < 900, "the first screen answers a question"


AXE = """
const result = await axe.run(document, { resultTypes: ["violations"] });
const said = (v) => v.id + ": " + v.nodes[0].html.slice(0, 160);
return { faults: [], violations: result.violations.map(said) };
"""


@pytest.mark.parametrize("at_night", [False, True])
def test_axe_finds_no_fault(page, tmp_path, at_night):
    axe_core_python = pytest.importorskip("axe_core_python")
    source = (Path(axe_core_python.__file__).parent / "axe.min.js").read_text(encoding="utf-8")
    if at_night:
        page = page.replace("@media (prefers-color-scheme: dark)", "@media all")
    opened = page.replace("<details", "<details open")
    found = browser.visit(tmp_path, opened, AXE, extra=f"<script>{source}</script>")
    assert found.get("broken") is None
    assert found["violations"] == []
