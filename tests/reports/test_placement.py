"""Figures of an article stand between paragraphs and leave no large gaps."""

import pytest

from reports.document import Document, Formula, Paragraph, Picture, Section, Table
from reports.placement import LARGE_GAP, place_figures

FIGURE = Picture("curve", "", lambda: None)
TABLE = Table("rows", "", [], [])


def words(*texts):
    return [Paragraph(text) for text in texts]


def article(*sections):
    return Document("T", "", [Section("Results", [], sections), Section("End", words("e", "f"))])


def order(document):
    """Titles, texts and names in reading order."""
    found = []
    for _, section in document.walk():
        found.append(section.title)
        found += [getattr(block, "text", getattr(block, "name", "=")) for block in section.blocks]
    return found


def placed(document, fits):
    """With a large gap unless `fits` accepts the order."""

    def gaps(moved):
        gap = 0.0 if fits(order(moved)) else LARGE_GAP + 1
        return dict.fromkeys(moved.labels(), gap)

    return order(place_figures(document, gaps))


def behind(text):
    return lambda found: found[found.index("curve") - 1] == text


@pytest.fixture
def document():
    own = Section("Own", [*words("a"), FIGURE, *words("b", "c")])
    return article(own, Section("Next", words("d")))


@pytest.mark.parametrize("text", ["a", "b", "c", "d"])
def test_a_figure_stands_behind_the_first_block_that_leaves_no_gap(document, text):
    found = placed(document, behind(text))
    assert found[found.index("curve") - 1] == text
    assert [each for each in found if each != "curve"] == [
        "Results", "Own", "a", "b", "c", "Next", "d", "End", "e", "f",
    ]  # fmt: skip


def test_a_figure_stays_where_no_place_is_better(document):
    assert placed(document, lambda found: False) == order(document)


def test_no_figure_leaves_its_chapter_or_stands_first(document):
    for text in ("Own", "Next", "e", "f"):
        assert placed(document, behind(text)) == order(document)


def test_no_figure_parts_a_formula_from_its_sentence_or_passes_another():
    blocks = [*words("a"), FIGURE, *words("b"), Formula("x", "x"), *words("c"), TABLE, *words("d")]
    document = article(Section("Own", blocks))
    for text in ("b", "=", "rows", "d"):
        assert placed(document, behind(text)) == order(document)
    assert placed(document, behind("c"))[5:7] == ["c", "curve"]
