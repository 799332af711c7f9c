"""Nothing a file, a flag or a signal can do: a small dose here, the large one is `make fuzz`.

Hypothesis draws; a failure prints the line, or what was harmed and how. FUZZ_SEED moves the large
ones; all seeds are printed.
"""

import os
import pkgutil
import random
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import femnets.cli

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

from command_lines import commands, line, outputs, playground_names  # noqa: E402
from harness import Playground, invoke  # noqa: E402
from hostile import harmed_document, harmed_net, harmed_run  # noqa: E402
from kills import kill_once  # noqa: E402
from subsets import compiled, others, read, subset  # noqa: E402
from templates import make_atlas, make_template  # noqa: E402

SEED = int(os.environ.get("FUZZ_SEED", "1"))
LARGE = {
    "lines": 10_000, "files": 500, "nets": 1000, "documents": 1000, "subsets": 1000, "kills": 200,
}  # fmt: skip
few = {"deadline": None, "database": None, "suppress_health_check": list(HealthCheck)}
chance = st.randoms(use_true_random=False)


@pytest.fixture(scope="module")
def template(tmp_path_factory):
    return make_template(tmp_path_factory.mktemp("fuzz") / "template")


@pytest.fixture(scope="module")
def ground(tmp_path_factory, template):
    return Playground.make(tmp_path_factory.mktemp("ground") / "root", template)


def test_every_command_is_found():
    files = {info.name for info in pkgutil.iter_modules(femnets.cli.__path__)}
    assert set(commands()) == {name.replace("_", "-") for name in files if name[0] != "_"}
    assert all(any(o.flags for o in options) for options in commands().values())
    kinds = {option.kind for options in commands().values() for option in options}
    assert kinds == {"whole", "real", "path", "flag", "text"}
    assert outputs(["fem", "--plot", "a.png", "--mesh", "m.vtu", "--plot", "b.png"]) == ["b.png"]


@settings(max_examples=60, **few)
@given(draw=chance)
def test_command_lines(draw, ground):
    words = line(draw, playground_names())
    found = invoke(words, ground.folder)
    assert not found.faults, (words, found.faults)
    assert found.began or not found.where, (words, found.where)
    assert found.where or not ground.strays(), words


@settings(max_examples=12, **few)
@given(draw=chance)
def test_harmed_runs(draw, template):
    done, outcomes = harmed_run(template, draw)
    assert not [(o.words, o.faults) for o in outcomes if o.faults], done


@settings(max_examples=30, **few)
@given(draw=chance)
def test_harmed_nets(draw, template):
    done, outcomes = harmed_net(template, draw)
    assert not [(o.words, o.faults) for o in outcomes if o.faults], done


@settings(max_examples=25, **few)
@given(draw=chance)
def test_harmed_documents(draw, template):
    done, outcomes = harmed_document(template, draw)
    assert not [(o.words, o.faults) for o in outcomes if o.faults], done


@pytest.fixture(scope="module")
def atlas(template):
    return make_atlas(template)


@settings(max_examples=10, **few)
@given(draw=chance)
def test_reports_of_subsets(draw, template, atlas):
    part = subset(read(draw.choice((template / "runs/whole", atlas))), draw)
    assert not compiled(part, draw)
    others(part, draw)


def test_signals_at_random_moments(template):
    print(f"seed {SEED}")
    draw = random.Random(SEED)
    for _ in range(5):
        _, faults = kill_once(template, draw, longest=2.0)
        assert not faults


def test_a_run_folder_names_no_code(template):
    """In a process of its own, which would have to import the module to start it."""
    from bench.store.files import SCHEMA, sealed

    body = {"schema": SCHEMA, "study": "this", "preset": "quick", "config": {}}
    cells = {**body, "cells": [["antigravity.x", {}]], "plugs": {}}
    for name, document in (("this.x", body), ("mine", cells)):
        path = template / f"runs/part/studies/{name}.json"
        path.write_bytes(sealed(document))
        script = (
            "import sys; from femnets.cli import invoke; code = invoke(['status', 'part']); "
            "assert code == 0, code; assert not {'this', 'antigravity'} & set(sys.modules)"
        )
        done = subprocess.run(
            [sys.executable, "-c", script], cwd=template, capture_output=True, text=True
        )
        path.unlink()
        assert done.returncode == 0, done.stderr
        assert "named only in a run folder" in done.stdout
        assert "Zen" not in done.stdout


@pytest.mark.fuzz
@pytest.mark.parametrize("what", sorted(LARGE))
def test_the_large_dose(what):
    """`make fuzz`, or FUZZ_SEED=7 pytest -m fuzz -s tests/fuzz."""
    command = [sys.executable, str(HERE / "drive.py"), what, str(LARGE[what]), "--seed", str(SEED)]
    assert subprocess.run(command).returncode == 0
