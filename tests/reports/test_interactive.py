"""What the page offers to explore: computed once, escaped, and there without scripts."""

import csv
import html
import io
import json
import re
import shlex
from dataclasses import replace

import matplotlib.pyplot as plt
import numpy as np
import pytest
from made_up import COSTS, EVIL, make_document, make_run

from bench.store.files import StoredResult
from femnets.cli import invoke
from reports.compile import build_document
from reports.context import Run
from reports.document import Picture
from reports.figures.curves import plot_series
from reports.html import render_html
from reports.interactive.cells import listings
from reports.interactive.finder import QUERIES, find
from reports.interactive.numbers import as_json
from reports.names import short_names
from reports.svg import inline_svg


def record(key, config, values, kind="net"):
    return StoredResult(kind, config, key, "done", values, "", {}, {}, None)


NETS = [
    record(f"key{hidden}{seed}", {"hidden": hidden, "width": 9, "seed": seed}, {"l2_error": error})
    for hidden, seed, error in ((2, 0, 0.125), (2, 1, 0.375), (6, 0, 0.0625), (6, 1, 0.5))
]


def test_cells_are_listed_once_seeds_side_by_side():
    fem, nets = listings([*reversed(NETS), record("f", {"n": 4}, {"l2_error": 0.01}, "fem")])
    assert (fem.kind, fem.cells, nets.cells, nets.shared) == ("fem", 1, 4, "width=9")
    head, *rows = csv.reader(io.StringIO(nets.text))
    assert head == ["key", "hidden", "seed", "l2_error"]
    assert [row[0] for row in rows] == ["key20", "key21", "key60", "key61"]
    assert rows[3] == ["key61", "6", "1", "0.5"]


def test_a_line_break_in_a_name_breaks_no_line():
    (nets,) = listings([record("a", {"net": "x\ny,z"}, {}), record("b", {"net": "w"}, {})])
    assert len(nets.text.splitlines()) == 3


def marks(figure):
    """By series, the keys of the results behind each of its marks."""
    drawing = inline_svg(Picture("one", "a figure", lambda: figure))[0].svg
    found = {}
    for circle, name in re.findall(r"<circle([^>]*)><title>([^:<]*)", drawing):
        runs = re.search(r'data-runs="([^"]*)"', circle)
        found.setdefault(name, []).append(runs[1].split() if runs else [])
    return found


def test_marks_have_the_keys_of_the_results_behind_them():
    figure, axes = plt.subplots()
    plot_series(axes, [1, 2], [0.3, 0.2], "all", "net/resnet", keys=[["key60", "key61"]])
    plot_series(axes, [1, 2], [0.4, 0.5], "each", "net/resnet", keys=[["key20"], ["key21"]])
    plot_series(axes, [1, 2], [np.nan, 0.5], "gap", "net/resnet", keys=[["key20"], ["key21"]])
    plot_series(axes, [1], [0.5], "unknown", "net/resnet")
    assert marks(figure) == {
        "all": [["key60", "key61"]] * 2,
        "each": [["key20"], ["key21"]],
        "gap": [["key21"]],
        "unknown": [[]],
    }


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    return Run.read(make_run(tmp_path_factory.mktemp("runs") / "small"))


def test_the_finder_finds_the_cheapest(run):
    """Against the arithmetic itself: T + N p of whoever is good enough."""
    finder = find(run)
    given, field, errors, queries = finder.questions
    place = next(k for k, words in enumerate(given.options) if "samples" in words)
    assert [len(q.options) for q in finder.questions] == [2, 2, 7, len(QUERIES)]
    assert finder.answer() is not None
    for required, error in zip((1e-2, 1e-3, 1e-4, 1e-5, 1e-6), errors.options, strict=False):
        for points, words in zip(QUERIES, queries.options, strict=True):
            able = {
                name: seconds + points * per_point
                for name, (seconds, per_point, reached) in COSTS.items()
                if 1.1 * reached <= required
            }
            answer = finder.answer(given.options[place], field.options[0], error, words)
            if not able:
                assert answer["look"] == "none"
                assert "cubic (x,f,phi) comes nearest with 3.15·10⁻⁶" in answer["words"]
                continue
            best = min(able, key=able.get)
            assert answer["words"].startswith(best)
            assert answer["look"] == "linear-model"
            rival = [cost / able[best] for name, cost in able.items() if name != best]
            assert (f"{rival[0]:.3g} times cheaper" in answer["words"]) if rival else True


def test_every_answer_has_its_row_and_its_runs(run):
    finder = find(run)
    assert len(finder.answers) == len(finder.table.rows) * len(QUERIES)
    for places, answer in finder.answers.items():
        chosen = zip(finder.questions[:3], map(int, places.split(".")), strict=False)
        assert finder.table.rows[answer["row"]][:3] == [q.options[k] for q, k in chosen]
        assert answer["runs"], "of the cheapest method, or of the one that comes nearest"


def test_the_numbers_of_a_figure_are_those_drawn():
    figure, (left, right) = plt.subplots(1, 2, sharey=True)
    plot_series(left, [1, 2], [0.1, np.nan], "N₀", "finite element/N0")
    left.plot([1, 2], [5, 5], lw=0.4)  # leads to a name
    left.axhline(3)  # no data
    left.set_ylabel("error")
    right.plot([3], [4], label="dots")
    right.pcolormesh([0, 2, 4], [0, 2, 4], [[1, 2], [3, 4]])
    right.set_title("a map")
    data = as_json(figure)
    plt.close(figure)
    assert [panel["y"] for panel in data["panels"]] == ["error", "error"]
    assert data["panels"][1]["title"] == "a map"
    assert data["series"] == [
        [0, "N₀", [1, 2], [0.1, None]],
        [1, "dots", [3], [4]],
        [1, "", [1, 3], [1, 3], [1, 2, 3, 4]],
    ]


@pytest.fixture(scope="module")
def document(tmp_path_factory):
    return make_document(tmp_path_factory.mktemp("runs") / "small")


@pytest.fixture(scope="module")
def page(document):
    return render_html(document)


def test_without_scripts_everything_is_there_to_read(document, page):
    text = html.unescape(re.sub(r"<script.*?</script>", "", page, flags=re.DOTALL))
    finder = document.finder
    assert all(f'id="situation-{k}"' in text for k in range(len(finder.table.rows)))
    assert finder.answer()["words"] in text
    assert "The claim one." in text
    assert "errors, paired" in text
    assert all(listing.text in text for listing in document.cells)
    assert text.count("<title>") > 10, "marks say what they are"


def test_data_cannot_leave_its_element(page):
    assert EVIL not in page
    assert page.count("<script>") == 1, "the page's own"
    blocks = re.findall(r'<script type="application/json"[^>]*>(.*?)</script>', page, re.DOTALL)
    assert len(blocks) >= 3
    assert all(json.loads(block) for block in blocks)
    ids = re.findall(r'\bid="([^"]+)"', page)
    assert len(ids) == len(set(ids))


def test_marks_of_the_page_name_their_runs(run, page):
    figure = page[page.index('id="figure-samples"') : page.index('id="table-samples-methods"')]
    keys = [
        record.key[:12]
        for record in run.records
        if record.config.get("method") == "cubic" and record.config["problem"] == "maxwell"
    ]
    (inside,) = re.findall(r'data-runs="([^"]*)" [^>]*><title>maxwell: cubic', figure)
    assert sorted(inside.split()) == sorted(keys)


def test_names_of_files_from_outside_are_shortened(document):
    assert short_names(["mine@0123abcd,maxwell"]) == {"mine@0123abcd": "mine"}
    assert short_names(["mine@0123abcd", "mine@4567abcd"]) == {}, "two versions keep their hashes"
    page = render_html(replace(document, title="mine@0123abcd", names={"mine@0123abcd": "mine"}))
    assert "<h1>mine</h1>" in page


COMMAND = ["convergence", "--preset", "quick", "--set", "n=1,2", "--set", "elements=N0",
           "--set", "problems=maxwell"]  # fmt: skip


def errors(page, figure):
    """What the page would write to CSV for a figure: names and y values."""
    block = page[page.index(f'id="{figure}"') :]
    data = re.search(r'class="numbers">(.*?)</script>', block, re.DOTALL).group(1)
    return [tuple(row[1:4]) for row in json.loads(data)["series"] if row[1]]


def test_a_command_of_the_page_makes_the_figure_again(tmp_path, monkeypatch, capsys):
    """With every --set of the run, in another folder: the same points."""
    pages = []
    words = ["run", *COMMAND, "--run", "a run", "--jobs", "1", "--no-report"]
    for place in ("first", "second"):
        (tmp_path / place).mkdir()
        monkeypatch.chdir(tmp_path / place)
        assert invoke(words) == 0
        capsys.readouterr()
        pages.append(render_html(build_document(Run.read(tmp_path / place / "runs" / "a run"))))
        block = pages[0][pages[0].index('id="figure-error-against-h') :]
        command = re.search(r'<code class="command">(.*?)</code>', block).group(1)
        name, *words = shlex.split(html.unescape(command))
        assert name == "femnets"
        assert words.count("--set") == 3
        words += ["--jobs", "1", "--no-report"]
    figure = re.search(r'id="(figure-error-against-h[^"]*)"', pages[0]).group(1)
    points = errors(pages[0], figure)
    assert len(points[0][1]) == 2, "two meshes"
    assert errors(pages[1], figure) == points
