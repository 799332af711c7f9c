"""What the page offers to explore: computed once, escaped, and there without scripts."""

import csv
import html
import io
import re
import shlex

import matplotlib.pyplot as plt
import numpy as np
import pytest
from made_up import COSTS, EVIL, make_document, make_run, unpacked

from bench.store.files import StoredResult
from femnets.cli import invoke
from reports.compile import build_document
from reports.context import Run
from reports.figures.first_page import Bar, forest
from reports.html import render_html
from reports.interactive.behind import Behind
from reports.interactive.cells import Cells
from reports.interactive.claims import listed, seeds
from reports.interactive.dark import PAPER, contrast, dark_rules, lighter
from reports.interactive.lean import lean, steps
from reports.interactive.numbers import as_json, described
from reports.interactive.one_field import QUERIES, find
from reports.interactive.sheet import as_css, short_ids, styled_by_class
from reports.svg import plot_band, plot_series, to_svg


def record(key, config, values, kind="net"):
    return StoredResult(kind, config, key, "done", values, "", {}, {}, None)


NETS = [
    record(f"key{hidden}{seed}", {"hidden": hidden, "width": 9, "seed": seed}, {"l2_error": error})
    for hidden, seed, error in ((2, 0, 0.125), (2, 1, 0.375), (6, 0, 0.0625), (6, 1, 0.5))
]


def test_cells_are_numbered_and_listed_once():
    cells = Cells.of([*reversed(NETS), record("f", {"n": 4}, {"l2_error": 0.01}, "fem")])
    assert [r.key for r in cells.records] == ["f", "key20", "key21", "key60", "key61"]
    assert cells.ranges(["key21", "key20", "key61", "unknown"]) == "1-2,4"
    assert cells.ranges([]) == ""
    fem, nets = cells.listings
    assert (fem.first, nets.first, nets.shared) == (0, 1, "width=9")
    head, *rows = csv.reader(io.StringIO(nets.text))
    assert head == ["key", "hidden", "seed", "l2_error"]
    assert rows[3] == ["key61", "6", "1", "0.5"]


def test_a_line_break_in_a_name_breaks_no_line():
    cells = Cells.of([record("a", {"net": "x\ny,z"}, {}), record("b", {"net": "w"}, {})])
    assert len(cells.listings[0].text.splitlines()) == 3


def test_a_mark_is_the_run_whose_value_it_has():
    cells = Cells.of(NETS)
    behind = Behind(cells, tuple(r.key for r in NETS))
    assert behind.runs(9.9, 0.0625) == cells.ranges(["key60"])
    assert behind.runs(9.9, 0.25) == cells.ranges(["key20", "key21"]), "the median of two seeds"
    assert behind.runs(9.9, 0.7) == "", "nobody has that value"
    assert behind.runs(6, 9) == "", "settings alone name nobody"
    twice = [*NETS, record("other", {"hidden": 8, "seed": 0}, {"l2_error": 0.0625})]
    behind = Behind(Cells.of(twice), tuple(r.key for r in twice))
    assert behind.runs(9.9, 0.0625) == "", "two runs have that value"
    assert behind.runs(8, 0.0625) == Cells.of(twice).ranges(["other"]), "one of them eight layers"
    assert Behind(cells, ("key20",)).runs(9.9, 0.0625) == "", "no run of the figure"


def test_a_curve_is_the_runs_that_are_called_like_it():
    told = (("adam", 2, 0), ("adam", 2, 1), ("lm", 2, 0), ("lm", 6, 0), ("lbfgs", 2, 0))
    race = [
        record(f"k{k}", {"optimizer": o, "hidden": h, "seed": s}, {})
        for k, (o, h, s) in enumerate(told)
    ]
    cells = Cells.of(race)
    behind = Behind(cells, tuple(r.key for r in race))
    assert behind.named("adam") == cells.ranges(["k0", "k1"]), "both seeds"
    assert behind.named("lm") == "", "two variants are called so"
    assert behind.named("steepest") == ""
    assert Behind(cells, ("k0", "k1")).named("adam") == "", "what all share tells nothing"


def test_a_curve_names_the_runs_it_was_drawn_from():
    """Points of a training curve are values of no cell: the drawing says whose they are."""
    cells = Cells.of(NETS)
    figure, axes = plt.subplots()
    plot_series(axes, [1, 2], [0.3, 0.2], "deep", "net/resnet", runs=["key60", "key61"])
    plot_series(axes, [1, 2], [0.41, 0.51], "nobody's", "net/resnet")
    drawing = to_svg(figure, "one", "two curves", Behind(cells, tuple(r.key for r in NETS)))
    plt.close(figure)
    named = re.findall(r'data-series="([^"]+)"[^>]* data-runs="([^"]+)">(.*?)</g>', drawing)
    assert [name[:2] for name in named] == [("deep", cells.ranges(["key60", "key61"]))]
    assert named[0][2].count("<circle") == 2


def test_a_forest_names_the_runs_of_every_claim():
    cells = Cells.of(NETS)
    bars = [Bar("one claim", 0.5, 0.4, 0.6, "holds", ("key20", "key21")), Bar("b", 2, 1, 3, "x")]
    figure = forest(bars, "ratio")
    drawing = to_svg(figure, "claims", "a forest", Behind(cells, ()))
    plt.close(figure)
    assert re.findall(r'data-series="one-claim"[^>]* data-runs="([^"]+)"', drawing) == ["0-1"]
    assert drawing.count("data-runs") == 1


def test_series_that_were_told_different_things_say_so():
    figure, axes = plt.subplots()
    plot_series(axes, [1], [2], "N₀", "finite element/N0", information="field")
    assert "tracks" not in as_json(figure, described(figure)), "nothing to choose from"
    plot_series(axes, [1], [2], "cubic", "linear model/cubic", information="samples")
    assert as_json(figure, described(figure))["tracks"] == {"N₀": "field", "cubic": "samples"}
    plt.close(figure)


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    return Run.read(make_run(tmp_path_factory.mktemp("runs") / "small"))


def test_the_finder_finds_the_cheapest(run):
    """Against the arithmetic itself: T + N p of whoever is good enough."""
    finder = find(run)
    told, field, errors, queries = finder.questions
    place = next(k for k, words in enumerate(told.options) if "samples" in words)
    assert [len(q.options) for q in finder.questions] == [2, 2, 7, len(QUERIES)]
    assert finder.default is not None
    for required, error in zip((1e-2, 1e-3, 1e-4, 1e-5, 1e-6), errors.options, strict=False):
        for points, words in zip(QUERIES, queries.options, strict=True):
            able = {
                name: seconds + points * per_point
                for name, (seconds, per_point, reached) in COSTS.items()
                if 1.1 * reached <= required
            }
            answer = finder.answers[told.options[place], field.options[0], error, words]
            if not able:
                assert answer.winner == "nobody"
                assert "cubic (x,f,phi) comes nearest with 3.15·10⁻⁶" in answer.words
                continue
            best = min(able, key=able.get)
            assert answer.winner.startswith(best)
            assert answer.family == "linear model"
            rival = [cost / able[best] for name, cost in able.items() if name != best]
            assert (f"{rival[0]:.3g} times cheaper" in answer.words) if rival else True


def test_every_answer_has_its_row_and_its_runs(run):
    finder, cells = find(run), Cells.of(run.records)
    data = finder.as_json(cells.ranges)
    assert len(data["choices"]) == len(finder.answers)
    for choice, answer in finder.answers.items():
        numbers = [q.options.index(o) for q, o in zip(finder.questions, choice, strict=True)]
        found = data["answers"][data["choices"][".".join(map(str, numbers))]]
        assert data["strings"][found[2]] == answer.words
        row = finder.table.rows[found[5]]
        assert tuple(row[:3]) == choice[:3]
        assert data["strings"][found[4]], "the runs of the winner, or of whoever comes nearest"


def test_the_numbers_of_a_figure_are_those_drawn():
    figure, (left, right) = plt.subplots(1, 2, sharey=True)
    plot_series(left, [1, 2], [0.1, np.nan], "N₀", "finite element/N0")
    plot_band(left, [1, 2], [0.1, 0.2], [0.3, 0.4], "N₀", "finite element/N0")
    left.plot([1, 2], [5, 5], lw=0.4)  # leads to a name
    left.axhline(3)  # no data
    left.set_ylabel("error")
    right.scatter([3], [4], label="dots")
    right.pcolormesh([0, 2, 4], [0, 2, 4], [[1, 2], [3, 4]])
    right.set_title("a map")
    right.set_yticks([1, 3], ["low end", "high end"])
    data = as_json(figure, described(figure))
    plt.close(figure)
    assert [panel["y"] for panel in data["panels"]] == ["error", "error"]
    assert data["panels"][1]["title"] == "a map"
    assert data["panels"][1]["names"]["y"] == {"1": "low end", "3": "high end"}
    assert data["series"] == [
        [0, "N₀", "finite element", [1, 2], [0.1, None]],
        [0, "N₀, low", "", [1, 2], [0.1, 0.2]],
        [0, "N₀, high", "", [1, 2], [0.3, 0.4]],
        [1, "dots", "", [3], [4]],
        [1, "", "", [1, 3], [1, 3], [1, 2, 3, 4]],
    ]


def test_a_lean_drawing_keeps_its_words():
    """Only tags lose something; what a name says stays, whatever it looks like."""
    name = ' id="x" style="a; font-family: \'DejaVu Sans\'" 0.123456'
    marker = '<path id="m1" d="M 0.123456 1 \nL 2 3" style="stroke: #000000"/>'
    drawing = (
        f'<svg><!-- c --><g id="axes_1"><g id="line2d_1"><defs>{marker}</defs>'
        '<use xlink:href="#m1" x="1.999999" y="0" style="stroke: #000000"/>'
        '<use xlink:href="#m1" x="3" y="0" style="stroke: #ff0000"/></g>'
        f'<text transform="rotate(-0 1 2)">{name}</text></g></svg>'
    )
    assert lean(drawing) == (
        '<svg><g id="axes_1"><defs><path id="m1" d="M.1 1l1.9 2" style="stroke: #000000"/>'
        '</defs><use xlink:href="#m1" x="2.0" y="0"/>'
        '<use xlink:href="#m1" x="3" y="0" style="stroke: #ff0000"/>'
        f"<text>{name}</text></g></svg>"
    )


def test_groups_that_say_something_stay():
    drawing = '<svg><g><g data-series="a"><g><path/></g><g/></g></g><g clip-path="url(#c)"/></svg>'
    assert lean(drawing) == ('<svg><g data-series="a"><path/></g><g clip-path="url(#c)"/></svg>')


def test_marks_of_an_axis_are_one_path():
    tick = '<path id="m1" d="M 0 0 L 0 3.5" style="stroke: #000000"/>'
    dot = '<path id="m2" d="M 0 0 L 1 1 L 0 1 z" style="stroke: #000000"/>'
    uses = [
        f'<use xlink:href="#m{k}" x="{x}" y="2.04" style="stroke: #000000"/>'
        for k, x in ((1, 1.5), (1, 7), (2, 7), (2, 8))
    ]
    marks = lean(f"<svg><defs>{tick}{dot}</defs>{uses[0]}{uses[1]}<g/>{uses[2]}{uses[3]}</svg>")
    assert '</defs><path d="M1.5 2l0 3.5M7 2l0 3.5" style="stroke: #000000"/><use' in marks
    assert marks.count("<use") == 2, "shapes are shown again"


def test_a_heat_map_says_once_where_it_is_cut():
    parts = [
        f'<path d="M 0 0 L {k} 0 z" clip-path="url(#c)" style="fill: #00000{k}"/>' for k in (1, 2)
    ]
    mesh = lean(f'<svg><g id="QuadMesh_1">{"".join(parts)}</g></svg>')
    assert mesh == (
        '<svg><g id="QuadMesh_1" clip-path="url(#c)"><path d="M0 0l1 0z" fill="#000001"/>'
        '<path d="M0 0l2 0z" fill="#000002"/></g></svg>'
    )
    other = parts[1].replace("#c", "#d")
    assert lean(f'<svg><g id="QuadMesh_1">{parts[0]}{other}</g></svg>').count("clip-path") == 2


def test_steps_lead_where_places_were():
    """Against places added up again: to a twentieth of a point everywhere, however long the way."""
    rng = np.random.default_rng(0)
    points = np.cumsum(rng.normal(size=(500, 2)), axis=0)
    path = "M " + "\nL ".join(f"{x:.6f} {y:.6f}" for x, y in points)
    numbers = re.findall(r"-?\d*\.?\d+", steps(path))
    ends = np.cumsum(np.array(numbers, dtype=float).reshape(-1, 2), axis=0)
    kept = np.vstack([points[:1], points[1:][np.any(np.diff(np.round(points, 1), axis=0), axis=1)]])
    assert np.abs(ends - kept).max() <= 0.05 + 1e-9
    assert len(steps(path)) < 0.5 * len(path)
    assert steps("M 1 1 L 1 1") == "M1 1l0 0", "a dot is drawn"
    assert steps("M 0 0 L 2 0 L 2 -0.5 z M 9 9 L 8.5 9") == "M0 0l2 0 0-.5zM9 9l-.5 0"
    assert steps("M 0 0 C 1 1 2 2 3 3") == "M 0 0 C 1 1 2 2 3 3", "curves stay"


def test_colours_can_be_read_at_night():
    assert contrast((255, 255, 255), (0x76, 0x76, 0x76)) == pytest.approx(4.54, abs=0.01), "WCAG's"
    for color in ("#000000", "#00395a", "#8a3c00", "#0072b2", "#888888"):
        light = lighter(color)
        assert contrast(tuple(bytes.fromhex(light[1:])), PAPER) >= 4.5
    page = (
        '<svg><g id="a-QuadMesh_1"><path style="fill: #000080"/></g><path style="stroke: #00395a"/>'
        '<path style="fill: #ffffff"/><use x="1" style="stroke: #00395a"/>'
        '<text class="own" style="fill: #ffffff">style="fill: #ffffff"</text></svg>'
        '<p style="fill: #ffffff"></p>'
    )
    named = '<path id="part-0a-1"/><use href="#part-0a-1"/><g clip-path="url(#part-0a-2)">'
    assert short_ids(named) == '<path id="_0"/><use href="#_0"/><g clip-path="url(#_1)">'
    classed, classes = styled_by_class(page)
    assert classes == {"f0": "stroke: #00395a", "f1": "fill: #ffffff"}
    assert classed == page.replace(' style="stroke: #00395a"', ' class="f0"').replace(
        '<path style="fill: #ffffff"', '<path class="f1"'
    )
    assert ".f0 { stroke: #00395a }" in as_css(classes)
    rules = dark_rules(classes)
    assert f".f0 {{ stroke: {lighter('#00395a')} !important; }}" in rules
    assert ".f1 { fill: var(--paper)" in rules
    assert "000080" not in rules, "a heat map keeps its colours"


@pytest.fixture(scope="module")
def document(tmp_path_factory):
    return make_document(tmp_path_factory.mktemp("runs") / "small")


@pytest.fixture(scope="module")
def page(document):
    return render_html(document)


def test_without_scripts_everything_is_there_to_read(document, page):
    text = html.unescape(re.sub(r"<script.*?</script>", "", page, flags=re.DOTALL))
    finder = document.explored.finder
    assert all(f'id="situation-{k}"' in text for k in range(len(finder.table.rows)))
    assert finder.default.words in text
    assert "The claim one." in text
    assert "errors, paired" in text
    assert "The same figure for helix" in text or "The same figure for maxwell" in text
    assert all(listing.text in text for listing in document.explored.cells.listings)
    assert text.count("<title>") > 10, "marks say what they are"


def test_data_cannot_leave_its_element(page):
    assert EVIL not in page
    assert page.count("<script>") == 1, "the page's own"
    blocks = re.findall(r'<script type="application/zlib"[^>]*>(.*?)</script>', page, re.DOTALL)
    assert len(blocks) >= 3
    assert all(unpacked(block) for block in blocks)


def test_marks_name_their_runs(document, page):
    told = page[page.index('id="figure-told"') : page.index('id="figure-told-')]
    cells = document.explored.cells
    (cubic,) = re.findall(r'<g data-series="cubic"[^>]* data-runs="([^"]*)"', told)
    keys = [
        r.key
        for r in cells.records
        if r.config.get("method") == "cubic" and r.config["problem"] == "maxwell"
    ]
    assert cubic == cells.ranges(keys)


def test_ids_are_unique(page):
    ids = re.findall(r'\bid="([^"]+)"', page)
    assert len(ids) == len(set(ids))


def test_claims_are_listed_under_their_tables(run, document, page):
    """Under names that the article's tables have: else the page would show the tables instead."""
    found = listed(run)
    assert sum(map(len, found.values())) == len(run.ledger)
    named = {b.name for _, s in document.walk() for b in s.blocks if hasattr(b, "name")}
    assert set(found) <= named
    shown = sum(map(len, document.explored.claims.values()))
    assert page.count('<details class="claim') == shown


def test_seeds_are_written_as_ranges():
    made = [record(f"k{s}", {"seed": s}, {}) for s in (0, 1, 2, 7)]
    assert seeds(made) == "0–2, 7"
    assert seeds([record("a", {"seeds": [4, 5]}, {}), record("b", {"n": 1}, {})]) == "4–5"
    assert seeds([record("a", {"n": 1}, {})]) == ""


def test_names_of_files_from_outside_are_shortened(document):
    finder = document.explored.renamed(lambda text: text.replace("maxwell", "mine")).finder
    assert finder.default is not None
    assert not any("maxwell" in part for choice in finder.answers for part in choice)


COMMAND = ["convergence", "--preset", "quick", "--set", "n=1,2", "--set", "elements=N0",
           "--set", "problems=maxwell"]  # fmt: skip


def errors(page, figure):
    """What the page would write to CSV for a figure: names and y values."""
    block = page[page.index(f'id="{figure}"') :]
    data = re.search(r'class="numbers">(.*?)</script>', block, re.DOTALL).group(1)
    return [(row[1], row[3], row[4]) for row in unpacked(data)["series"] if row[1]]


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
