"""README and the pages of the documentation: every example runs, in order, in an empty folder.

A block opened with ```python file=NAME is written to that file, ```bash run is run command by
command, ```python run is executed. The notebook's cells are executed one after the other. README's
other blocks (the two make commands, which would call this test, and runs of many minutes) are not.
"""

import importlib.util
import json
import re
import shlex
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


def test_the_tutorial_is_short():
    """A field, elements, nets and a report in thirty lines that a person types."""
    blocks = BLOCK.findall((DOCS / "tutorial.md").read_text(encoding="utf-8"))
    typed = [line for _, _, text in blocks for line in text.splitlines() if line.strip()]
    assert len(typed) <= 30


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


@pytest.fixture(scope="module")
def reference(tmp_path_factory):
    """The generated pages, as `make docs` writes them."""
    spec = importlib.util.spec_from_file_location("pages", DOCS / "reference_pages.py")
    pages = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(pages)
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
