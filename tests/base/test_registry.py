"""A registry finds modules of a folder, entry points and files of a user; it imports none early."""

import sys

import pytest

from base import registry
from base.errors import UserError
from base.registry import FILES, Registry, name_of


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A package `shapes` with two plugins and a private module."""
    place = tmp_path / "shapes"
    place.mkdir()
    for name in ("__init__", "_shared", "disc", "square"):
        (place / f"{name}.py").write_text(f"NAME = {name!r}\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(Registry, "every", [])
    monkeypatch.setattr(registry, "entry_points", lambda group: [])
    yield place
    for name in [name for name in sys.modules if name.partition(".")[0] == "shapes"]:
        del sys.modules[name]


def test_modules_of_the_folder_are_found_and_loaded_when_asked(folder):
    shapes = Registry("shape", "shapes", lambda found, name: found.NAME.upper())
    assert shapes.names() == ["disc", "square"]
    assert "shapes.disc" not in sys.modules
    assert shapes.get("disc") == "DISC"
    assert [*shapes] == ["DISC", "SQUARE"]
    with pytest.raises(UserError, match="unknown shape 'disk'; did you mean 'disc'"):
        shapes.get("disk")


def test_a_folder_is_looked_at_again_when_it_forgets(folder):
    shapes = Registry("shape", "shapes")
    assert "ring" not in shapes
    (folder / "ring.py").write_text("")
    shapes.forget()
    assert "ring" in shapes


def test_a_name_that_leaves_the_choice_open_stands_for_all_that_may_be_chosen(folder):
    shapes = Registry("shape", "shapes", stands_for={"auto": ("disc", "square")})
    assert shapes.modules("auto") == ["shapes.disc", "shapes.square"]
    assert shapes.modules("disc") == ["shapes.disc"]
    assert shapes.modules("ring") == []
    assert "auto" not in shapes.names()


def test_the_name_of_an_imported_plugin(folder):
    import shapes.disc

    assert name_of(shapes.disc) == "disc"


@pytest.mark.parametrize(
    ("openness", "files", "installed"),
    [({}, False, False), ({"files": True}, True, False), ({"group": "shapes"}, True, True)],
)
def test_a_kind_is_closed_or_open_to_files_or_open_to_packages_too(
    folder, monkeypatch, openness, files, installed
):
    class Entry:
        name, module = "ellipse", "ellipses"

        @staticmethod
        def load():
            return "an ellipse"

    monkeypatch.setattr(
        registry, "entry_points", lambda group: [Entry] if group == "femnets.shapes" else []
    )
    monkeypatch.setitem(FILES, "mine@12", lambda: "mine")
    shapes = Registry("shape", "shapes", **openness)
    assert ("mine@12" in shapes) == files
    assert ("ellipse" in shapes.names()) == installed
    assert shapes.modules("ellipse") == (["ellipses"] if installed else [])
    if installed:
        assert shapes.get("ellipse") == "an ellipse"
