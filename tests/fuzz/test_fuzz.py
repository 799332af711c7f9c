"""Whatever a file, an option or a signal does: a small dose here, the large one with `-m fuzz`.

Hypothesis draws, and makes a failure as small as it can; --hypothesis-seed moves the large dose.
"""

import pkgutil
import shutil
import sys
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import femnets.cli
from reports.context import Run

sys.path.insert(0, str(Path(__file__).parent))

from damage import check_document, check_run
from harness import invoke
from kills import check_kill
from lines import commands, kind, lines, outputs
from playground import ATLAS, computed, make, strays
from subsets import check_subset

pytestmark = pytest.mark.fuzz


def dose(examples: int) -> settings:
    """So many examples, or a hundred times as many where the profile is `fuzz`."""
    many = examples * settings.default.max_examples // 100
    return settings(max_examples=many, database=None, suppress_health_check=list(HealthCheck))


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


@pytest.fixture(scope="module")
def runs(template):
    atlas = computed(template, "atlas", ATLAS)
    return [Run.read(template / "runs/whole"), Run.read(atlas)]


def test_every_command_is_found():
    files = {info.name for info in pkgutil.iter_modules(femnets.cli.__path__)}
    assert set(commands()) == {name.replace("_", "-") for name in files if name[0] != "_"}
    kinds = {kind(option) for command in commands().values() for option in command.params}
    assert kinds == {"int", "float", "Path", "bool", "text"}
    assert outputs(["fem", "--plot", "a.png", "--mesh", "m.vtu", "--plot", "b.png"]) == ["b.png"]


@dose(100)
@given(words=lines(), terminal=st.booleans())
def test_command_lines(words, terminal, ground):
    before = strays(ground)
    outcome = invoke(words, ground, terminal=terminal)
    assert not outcome.faults
    assert outcome.code is None or strays(ground) == before


@dose(6)
@given(data=st.data())
def test_damaged_runs(data, template):
    check_run(template, data.draw)


@dose(40)
@given(data=st.data())
def test_damaged_files(data, template):
    check_document(template, data.draw)


@dose(8)
@given(data=st.data())
def test_reports_of_subsets(data, runs):
    check_subset(data.draw(st.sampled_from(runs)), data.draw)


@dose(3)
@given(data=st.data())
def test_signals_at_random_moments(data, template):
    check_kill(template, data.draw)
