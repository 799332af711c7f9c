"""Tables as an author would set them: no constant columns, numbers aligned, units kept."""

from math import inf
from types import SimpleNamespace

from bench.store.results import Results
from reports.document import Column, Document, Paragraph, Section, Table
from reports.pdf import typst_source
from reports.tables import (
    SEEDS,
    grouped,
    largest,
    lean,
    lean_section,
    medians_by,
    smallest,
)

ROWS = [("a", 1, "x", None, 0.5), ("b", 1, "x", None, 0.25), ("c", 1, "x", None, 0.5)]
COLUMNS = [
    Column("method"),
    Column("threads", "count"),
    Column("inputs"),
    Column("lost", "count"),
    Column("error", "error"),
]


def table(rows=ROWS, **more):
    return Table("t", "Some methods.", COLUMNS, rows, **more)


def test_a_constant_column_is_a_sentence_and_an_empty_one_is_nothing():
    made = lean(table())
    assert [column.title for column in made.columns] == ["method", "error"]
    assert made.caption == "Some methods. In all rows: threads 1, inputs x."
    assert made.rows == [("a", 0.5), ("b", 0.25), ("c", 0.5)]


def test_what_colours_say_stays_and_moves_with_its_column():
    made = lean(table(tints={(0, 2): "holds", (1, 4): "net"}))
    assert [column.title for column in made.columns] == ["method", "inputs", "error"]
    assert made.tints == {(0, 1): "holds", (1, 2): "net"}


def test_two_rows_and_names_alone_stay_as_they_are():
    assert lean(table(ROWS[:2])) == table(ROWS[:2])
    names = Table("t", "Names.", COLUMNS[:2], [("a", 1)] * 4)
    assert lean(names) == names


def test_sections_below_are_lean_too():
    below = Section("below", [table()])
    (inner,) = lean_section(Section("top", [], [below])).subsections
    assert len(inner.blocks[0].columns) == 2


def test_the_pdf_aligns_numbers_and_lets_texts_wrap():
    rows = [("a " * 90, 0.012, 1e-3), ("b", 3.4, 2e-7), ("c", 140.0, 1e-9)]
    columns = [Column("method"), Column("time", "seconds"), Column("error", "error")]
    times = Table("times", "Times.", columns, rows)
    source = typst_source(Document("t", "s", [Section("A", [Paragraph("A lead."), times])]))
    assert "columns: (13.4fr, auto, auto,), align: (left, right, left,)" in source
    assert '[#text("3.4\u00a0s")]' in source


def test_medians_by_configuration():
    """A row per group; of a named value its median, in which a diverged run is infinite."""
    errors = {"a": (1.0, 3.0, 2.0), "b": (5.0, None, None)}
    records = [
        SimpleNamespace(kind="net", config={"net": net, "seed": seed}, values={"error": error})
        for net, row in errors.items()
        for seed, error in enumerate(row)
    ]
    measures = [SEEDS, ("error", "error", "error"), smallest("error"), largest("error")]
    made = medians_by("t", "Nets.", ("net",), grouped(Results(records), "net"), measures)
    assert [column.title for column in made.columns] == [
        "net", "seeds", "error", "smallest", "largest",
    ]  # fmt: skip
    assert made.rows == [("a", 3, 2.0, 1.0, 3.0), ("b", 3, inf, 5.0, inf)]
