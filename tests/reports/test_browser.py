"""The page in a real browser without network: it loads, reacts, fits, and is accessible."""

from pathlib import Path

import browser
import pytest
from test_document import example_document

from reports.html import render_html

pytestmark = pytest.mark.skipif(browser.CHROMIUM is None, reason="no Chromium on this machine")


@pytest.fixture(scope="module")
def page():
    return render_html(example_document())


TOGGLE_AND_SORT = """
const legend = document.querySelector('[data-legend="n0-tets"]');
const curve = document.querySelector('[data-series="n0-tets"]');
const shown = !curve.classList.contains("off");
legend.dispatchEvent(new MouseEvent("click", { bubbles: true }));
const hidden = curve.classList.contains("off");
legend.dispatchEvent(new MouseEvent("click", { bubbles: true }));
const table = document.querySelector('table[data-name="values"]');
const column = () => [...table.tBodies[0].rows].map((r) => r.cells[0].textContent);
const before = column();
table.tHead.rows[0].cells[0].querySelector("button").click();
table.tHead.rows[0].cells[0].querySelector("button").click();
return { shown, hidden, again: !curve.classList.contains("off"), before, after: column(),
         download: document.querySelectorAll(".tools button").length };
"""


def test_legend_toggles_and_tables_sort(page, tmp_path):
    found = browser.visit(tmp_path, page, TOGGLE_AND_SORT)
    assert found["faults"] == []
    assert (found["shown"], found["hidden"], found["again"]) == (True, True, True)
    assert found["after"] == found["before"][::-1]
    assert found["download"] == 1


OVERFLOW = """
const width = document.documentElement.clientWidth;
const wide = [...document.querySelectorAll("body *")].filter((e) =>
  e.getBoundingClientRect().right > width + 1 && !e.closest(".scroll, .formula, .skip"));
return { width, page: document.documentElement.scrollWidth,
         wide: wide.slice(0, 5).map((e) => e.outerHTML.slice(0, 80)) };
"""


@pytest.mark.parametrize("width", [390, 768, 1440])
def test_nothing_overflows(page, tmp_path, width):
    found = browser.visit(tmp_path, page, OVERFLOW, width=width)
    assert found["faults"] == []
    assert found["page"] <= found["width"] + 1
    assert found["wide"] == []


AXE = """
const result = await axe.run(document, { resultTypes: ["violations"] });
return { faults: [], violations: result.violations
  .filter((v) => v.impact === "serious" || v.impact === "critical")
  .map((v) => v.id + ": " + v.nodes[0].html.slice(0, 120)) };
"""


def test_axe_finds_no_serious_fault(page, tmp_path):
    axe_core_python = pytest.importorskip("axe_core_python")
    source = (Path(axe_core_python.__file__).parent / "axe.min.js").read_text(encoding="utf-8")
    found = browser.visit(tmp_path, page, AXE, extra=f"<script>{source}</script>")
    assert found.get("broken") is None
    assert found["violations"] == []
