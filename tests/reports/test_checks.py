"""What an author would check: each fault is found, and a report of ours has none."""

import logging

import matplotlib.pyplot as plt
import pytest
from test_report import make_run

from reports import compile_report
from reports.checks import HEAVIEST_BYTES, findings, weight
from reports.compile import build_document
from reports.context import Run
from reports.document import Column, Document, Paragraph, Picture, Section, Table, message

LEAD = Paragraph("It begins with a sentence.")


def document(*blocks):
    return Document("title", "subtitle", [Section("A", [LEAD, *blocks])])


def table(name="t", columns=2, rows=1, text="word"):
    return Table(
        name, "A table.", [Column(f"c{k}") for k in range(columns)], [[text] * columns] * rows
    )


def picture(name, caption="Something is seen. And more."):
    return Picture(name, caption, lambda: plt.figure(), "alt")


def test_a_report_of_ours_has_nothing_to_mend(tmp_path):
    assert findings(build_document(Run.read(make_run(tmp_path / "run")))) == []


@pytest.mark.parametrize(
    ("made", "words"),
    [
        (document(table(columns=30, text="x" * 20)), "wider than its page"),
        (document(picture("p"), table("p")), "used 2 times"),
        (document(table(rows=0)), "no rows"),
        (document(picture("p", "")), "no caption"),
        (Document("t", "s", [Section("A", [table()])]), "no sentence"),
    ],
)
def test_faults_are_found(made, words):
    (line,) = findings(made)
    assert words in line


def test_weight():
    assert weight("report.html", b"x" * (HEAVIEST_BYTES + 1))
    assert not weight("report.html", b"x")


def test_a_report_compiles_with_warnings(tmp_path, monkeypatch, caplog):
    path = make_run(tmp_path / "run")
    monkeypatch.setattr("reports.checks.HEAVIEST_BYTES", 10)
    with caplog.at_level(logging.WARNING):
        (page,) = compile_report(path, pdf=False)
    assert page.exists()
    assert "report.html has" in caplog.text


def test_figures_and_tables_are_numbered_and_referred_to():
    from reports.html import render_html

    text = Paragraph("See [[first]], [[t-two]], [[no]].")
    made = document(picture("first"), table("t-one"), text, table("t-two"))
    assert made.labels() == {"first": "Figure 1", "t-one": "Table 1", "t-two": "Table 2"}
    page = render_html(made)
    assert '<a class="reference" href="#figure-first">Figure 1</a>' in page
    assert '<a class="reference" href="#table-t-two">Table 2</a>' in page
    assert "[[no]]" in page


def test_the_message_of_a_caption_is_its_first_sentence():
    assert message("B.O. lowers it by 0.5 %. The rest.") == (
        "B.O. lowers it by 0.5 %.",
        "The rest.",
    )
    assert message("All of it") == ("All of it", "")
