"""One document, two media: both carry everything, and text from outside stays text."""

import re
from pathlib import Path

import matplotlib.pyplot as plt
import pytest

from reports.document import (
    Column,
    Document,
    Formula,
    Missing,
    Paragraph,
    Picture,
    Section,
    Source,
    Table,
    message,
)
from reports.figures.curves import plot_series
from reports.formatting import show
from reports.glossary import TERMS, explained
from reports.html import render_html
from reports.pdf import render_pdf, typst_source

EVIL = '<script>alert("x")</script> #panic() $x$ `a` \\ " \x07 _b_ *c*'


def two_curves():
    figure, axes = plt.subplots()
    plot_series(axes, [1, 2, 4], [0.1, 0.05, 0.025], "N0 tets", "N0")
    plot_series(axes, [1, 2, 4], [0.02, 0.02, 0.02], "ResNet + τ", "resnet+tau")
    axes.loglog()
    axes.legend()
    return figure


def example_document():
    rows = [(1, 1.86716e-2, "tets"), (2, None, EVIL)]
    columns = [Column("n", "count"), Column("error", "error"), Column("note")]
    return Document(
        title=EVIL,
        subtitle="a subtitle",
        facts=[("run", EVIL)],
        sections=[
            Section(
                "The answer",
                [
                    Paragraph(EVIL),
                    Formula("norm(u - u_h) <= C h", "the error falls like h"),
                    Formula("norm(u - u_h) <= C h^2", "the error falls like h squared"),
                    Picture("curves", "Two curves", two_curves, Source("femnets run")),
                    Table("values", "Some values", columns, rows, Source("femnets fem", ("abc",))),
                    Missing("The other half.", "femnets run other"),
                ],
                [Section("A detail", [Paragraph("small print")])],
            )
        ],
    )


@pytest.fixture
def document():
    return example_document()


def test_page_is_self_contained_escaped_and_exact(document):
    page = render_html(document)
    assert page.count("<script>") == 1, "only the page's own script"
    assert not re.search(r'(?:src|href)="(?:https?:)?//', page)
    names = {"2000/svg", "1999/xlink", "1999/xhtml"}
    assert set(re.findall(r"https?://[^\"' ]+", page)) <= {f"http://www.w3.org/{n}" for n in names}
    assert "Missing:" in page
    assert 'href="#the-answer"' in page
    assert 'id="a-detail"' in page
    assert 'data-value="0.0186716"' in page
    assert "1.9·10⁻²" in page
    assert re.search(r"<title>N0 tets: [^<]*2, [^<]*0.05</title>", page)
    ids = re.findall(r'\bid="([^"]+)"', page)
    assert len(ids) == len(set(ids))
    parts = re.findall(r'(?:<use [^>]*href="#|url\(#)([^")]+)', page)
    assert parts
    assert {*parts} <= {*ids}, "what is drawn once for several places is drawn"


def test_a_figure_fits_its_page(document):
    (name,) = [picture.name for picture in document.pictures()][:1]
    assert "height: 200mm" not in typst_source(document, {name: 0.5})
    assert "height: 200mm" in typst_source(document, {name: 2.0})


def test_pdf_has_the_same_content(document):
    source = typst_source(document)
    assert "femnets run other" in source
    assert "curves.svg" in source
    pdf = render_pdf(document)
    assert pdf.startswith(b"%PDF")
    assert b"/Outlines" in pdf or b"/ObjStm" in pdf


@pytest.mark.parametrize(
    ("value", "kind", "text"),
    [
        (None, "error", "–"),
        (float("nan"), "error", "–"),
        (float("inf"), "error", "∞"),
        (0.0, "error", "0"),
        (-3.4e-7, "error", "-3.4·10⁻⁷"),
        (1.86716e-2, "exact", "1.87·10⁻²"),
        (942_000_000, "count", "942\u202f000\u202f000"),
        (0.0123, "seconds", "12 ms"),
        (125.0, "seconds", "2.1 min"),
        (4e-4, "p", "4·10⁻⁴"),
        (0.0321, "p", "0.032"),
        (75.0, "seconds", "75 s"),
        (1.6e10, "bytes", "16 GB"),
        (True, "text", "yes"),
    ],
)
def test_numbers_are_shown_as_people_read_them(value, kind, text):
    assert show(value, kind) == text


def test_words_of_the_glossary_explain_themselves_once():
    shown = explained("N₀ and N₀ <b>, a p-version")
    assert shown.count("<abbr") == 2
    assert "&lt;b&gt;" in shown
    text = (Path(__file__).parents[2] / "docs/glossary.md").read_text(encoding="utf-8").lower()
    unknown = [word for word in TERMS if word.lower().removesuffix("s") not in text]
    assert unknown == [], "docs/glossary.md has every word of the page"


def test_figures_and_tables_are_numbered_and_referred_to():
    text = Paragraph("See [[first]], [[t-two]], [[no]].")
    one, two = (Table(name, "A table.", [Column("c")], [["word"]]) for name in ("t-one", "t-two"))
    first = Picture("first", "Something is seen.", two_curves)
    made = Document("title", "subtitle", [Section("A", [first, one, text, two])])
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
