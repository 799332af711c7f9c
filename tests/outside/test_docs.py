"""README and the pages of the documentation: every example runs, in order, in an empty folder.

A block opened with ```python file=NAME is written to that file, ```bash run is run command by
command, ```python run is executed. The notebook's cells are executed one after the other. README's
other blocks (the two make commands, which would call this test, and runs of many minutes) are not.
"""

import importlib
import importlib.util
import inspect
import json
import re
import shlex
import sys
from pathlib import Path

import pytest

from femnets.cli import invoke

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = [ROOT / "README.md", DOCS / "tutorial.md", *sorted((DOCS / "howto").glob("*.md"))]
BLOCK = re.compile(
    r"^```(bash run|python run|python file=(\S+))\n(.*?)^```", re.DOTALL | re.MULTILINE
)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_example_runs(mine, page, capsys):
    mine.unlink()
    blocks = BLOCK.findall(page.read_text(encoding="utf-8"))
    assert blocks, "a page without an example"
    for kind, name, text in blocks:
        if name:
            Path(name).write_text(text, encoding="utf-8")
        elif kind == "python run":
            exec(compile(text, page.name, "exec"), {"__name__": "example"})
        else:
            for line in text.replace("\\\n", "").splitlines():
                command, *words = shlex.split(line, comments=True)
                assert command == "femnets"
                assert invoke(words) == 0, (line, capsys.readouterr().err)


def test_links_and_pictures_of_the_readme_exist():
    for target in re.findall(r"\]\(([^)#:]+)\)", PAGES[0].read_text(encoding="utf-8")):
        assert (ROOT / target).exists(), target


def test_the_notebook_runs(mine):
    names: dict[str, object] = {}
    cells = json.loads((DOCS / "first_hour.ipynb").read_text(encoding="utf-8"))["cells"]
    code = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    for text in code:
        exec(compile(text, "first_hour.ipynb", "exec"), names)
    assert names["training"].J < 1e-2
    assert names["figure"].axes[0].get_ylabel() == "J"


def test_the_glossary_names_every_problem_and_element():
    from bench import problems
    from fem import elements

    text = (DOCS / "glossary.md").read_text(encoding="utf-8")
    names = [*problems.names(), *elements.names()]
    assert [name for name in names if f"`{name}`" not in text] == []


def doc_module(name):
    """A module of docs/, which is no package."""
    spec = importlib.util.spec_from_file_location(name, DOCS / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def documented(thing):
    """A first line that is a sentence or a formula, of its own and not inherited."""
    own = vars(thing).get("__doc__") if inspect.isclass(thing) else inspect.getdoc(thing)
    return bool((own or "").strip())


def typed(function):
    given = inspect.signature(function).parameters.values()
    return all(p.annotation is not p.empty for p in given if p.name not in ("self", "cls"))


def test_every_public_name_has_a_sentence_and_types():
    for names in doc_module("reference_pages").public_names().values():
        for name in names:
            home, _, attribute = name.rpartition(".")
            thing = getattr(importlib.import_module(home), attribute)
            assert documented(thing), name
            assert inspect.isclass(thing) or typed(thing), name
            methods = (
                inspect.getmembers(thing, inspect.isfunction) if inspect.isclass(thing) else ()
            )
            for method, function in methods:
                if not method.startswith("_") and function.__module__.startswith(
                    home.split(".")[0]
                ):
                    assert typed(function), f"{name}.{method}"


def test_docstrings_become_valid_text():
    lines = ["‖y|_x‖ of `a_b` * 2", "goes on.", "", "    code(x)", "", "Ends_with_ `c`"]
    doc_module("reference_pages").make_rst(lines)
    assert lines[0] == r"‖y\|\_x‖ of  ``a_b``\  \* 2 goes on."
    assert lines[2:5] == ["::", "", "        code(x)"]
    assert lines[6] == r"Ends\_with\_  ``c``"


def test_every_column_is_explained():
    """Those of the reference run, and those that a study declares."""
    from bench import cells, studies

    pyarrow = pytest.importorskip("pyarrow.parquet")
    text = (DOCS / "columns.md").read_text(encoding="utf-8")
    kept = pyarrow.read_table(DOCS / "paper" / "results.parquet", columns=["kind", "values"])
    columns = {name for study in studies.names() for name in studies.load(study).YIELDS}
    for kind, values in zip(*(column.to_pylist() for column in kept.columns), strict=True):
        if kind in cells.kinds():
            columns |= json.loads(values).keys()
    assert sorted(name for name in columns if f"`{name}`" not in text) == []
    assert "## How do I read `l2_error`?" in text


def test_every_example_of_the_gallery_has_a_title_and_a_text():
    gallery = doc_module("gallery")
    for name in gallery.ORDER:
        title, text = gallery.words(ROOT / "examples" / f"{name}.py")
        assert title
        assert len(text) > 60, name
        assert any(f"# {title}" in line for line in gallery.page(ROOT / "examples" / f"{name}.py"))


def test_the_callback_for_lightning_records(monkeypatch):
    """The class of the page, with a stand-in for Lightning's base class."""
    import types

    import torch

    from nets import record_gradients

    text = (DOCS / "laboratory.md").read_text(encoding="utf-8")
    code = next(b for b in re.findall(r"```python\n(.*?)```", text, re.DOTALL) if "Callback" in b)
    monkeypatch.setitem(sys.modules, "lightning", types.SimpleNamespace(Callback=object))
    names = {"record_gradients": record_gradients}
    exec(compile(code, "laboratory.md", "exec"), names)
    callback, module = names["RecordGradients"](), torch.nn.Linear(2, 1)
    callback.on_fit_start(None, module)
    module(torch.ones(3, 2)).sum().backward()
    callback.on_fit_end(None, module)
    module(torch.ones(3, 2)).sum().backward()
    assert len(callback.history) == 1


@pytest.fixture(scope="module")
def reference(tmp_path_factory):
    """The generated pages, as `make docs` writes them."""
    pages = doc_module("reference_pages")
    folder = tmp_path_factory.mktemp("reference")
    pages.write(folder, DOCS / "first_hour.ipynb")
    return {path.stem: path.read_text(encoding="utf-8") for path in folder.glob("*.md")}


def test_the_reference_names_every_command_setting_and_key(reference):
    from bench import cells, studies
    from bench.store.files import StoredResult

    commands = {path.stem for path in (ROOT / "femnets/cli").glob("[!_]*.py")}
    for command in commands:
        assert f"## femnets {command.replace('_', '-')}" in reference["commands"]
    assert "`--problem`" in reference["commands"]
    for study in studies.names():
        assert f"### {study}" in reference["settings"]
        for field in studies.load(study).Config.__dataclass_fields__:
            assert f"`{field}`" in reference["settings"]
    for kind in cells.kinds():
        assert f"### {kind}" in reference["settings"]
    for key in StoredResult.__dataclass_fields__:
        assert f"`{key}`" in reference["results"]
