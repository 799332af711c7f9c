"""The section on initial guesses: a row per ladder of meshes, a curve per start."""

from records import record_of, run_of

from bench.cells import Cell
from reports.document import Picture, Table
from reports.sections import initial_guess as section
from reports.style import drawn


def guess(n, error, **config):
    values = {f"{start}_iterations": [9] * len(n) for start in section.STARTS}
    values |= {"net_hcurl_error": error, "predicted_n": 40.0, "measured_n": 32}
    values |= {"repaid_against_zero": 5.0, "repaid_against_coarse": None}
    return record_of(Cell("initial_guess", {"n": n, "problem": "maxwell", **config}), values)


def test_ladders_of_other_length_are_other_rows_and_the_longest_is_drawn():
    short = [guess((8, 16), 1e-3, seed=seed) for seed in (1100, 1101)]
    records = [*short, guess((8, 16, 32), 1e-2, seed=1100)]
    run = run_of("initial_guess", records)
    blocks = section.contents(run)
    (table,) = [block for block in blocks if isinstance(block, Table)]
    place = [column.title for column in table.columns].index("finest n")
    assert [row[place] for row in table.rows] == [16, 32]
    (picture,) = [block for block in blocks if isinstance(block, Picture)]
    with drawn(picture, text_as_text=True) as figure:
        (axes,) = figure.axes
        assert [len(line.get_xdata()) for line in axes.lines[:3]] == [3, 3, 3]
