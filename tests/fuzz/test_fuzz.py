"""Whatever a file, an option or a signal does: a small dose here, the large one with `-m fuzz`.

Hypothesis draws, and makes a failure as small as it can; --hypothesis-seed moves the large dose.
"""

import pkgutil
import shutil
import sys
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import settings as usual
from hypothesis import strategies as st

import femnets.cli

sys.path.insert(0, str(Path(__file__).parent))

from drive import check_document, check_kill, check_run, check_subset, repeat, settings
from harness import invoke
from lines import commands, kind, lines, outputs
from playground import ATLAS, computed, make, strays

pytestmark = pytest.mark.fuzz
TIMES = usual.default.max_examples // 100  # more where the profile is `fuzz`


@pytest.fixture(scope="module")
def template(tmp_path_factory):
    return make(tmp_path_factory.mktemp("fuzz") / "template")


@pytest.fixture(scope="module")
def ground(tmp_path_factory, template):
    """A copy, next to a home and a folder for temporary files that stay empty."""
    root = tmp_path_factory.mktemp("ground")
    with pytest.MonkeyPatch.context() as patch:
        for variable, name in (("HOME", "home"), ("TMPDIR", "tmp")):
            (root / name).mkdir()
            patch.setenv(variable, str(root / name))
        patch.setattr(tempfile, "tempdir", None)
        yield shutil.copytree(template, root / "work")


def test_every_command_is_found():
    files = {info.name for info in pkgutil.iter_modules(femnets.cli.__path__)}
    assert set(commands()) == {name.replace("_", "-") for name in files if name[0] != "_"}
    kinds = {kind(option) for command in commands().values() for option in command.params}
    assert kinds == {"int", "float", "Path", "bool", "text"}
    assert outputs(["fem", "--vtu", "a.vtu", "--mesh", "m.vtu", "--vtu", "b.vtu"]) == ["b.vtu"]


@settings(60 * TIMES)
@given(words=lines(), terminal=st.booleans())
def test_command_lines(words, terminal, ground):
    before = strays(ground)
    outcome = invoke(words, ground, terminal=terminal)
    assert not outcome.faults
    assert outcome.code is None or strays(ground) == before


@pytest.mark.parametrize(
    ("check", "examples"), [(check_run, 6), (check_document, 40), (check_kill, 3)]
)
def test_damaged_files_and_signals(template, check, examples):
    repeat(check, template, examples * TIMES)


@pytest.mark.parametrize("name", ["whole", "atlas"])
def test_reports_of_subsets(template, name):
    run = template / "runs/whole" if name == "whole" else computed(template, "atlas", ATLAS)
    repeat(check_subset, run, 3 * TIMES)
