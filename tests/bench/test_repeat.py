"""Same config, same threads, two fresh stores: the same tables, but for seconds and memory."""

import json

import numpy as np
import pytest
from safetensors.numpy import load_file

from bench.cells import Cell, is_timing
from bench.store.folder import Store

SMALL = (
    "run", "convergence", "training", "--set", "n=1,2",
    "--set", "training.steps=6", "--set", "training.samples=400", "--set", "training.seeds=0",
    "--set", "training.nets=fractional", "--set", "training.taus=learned", "--no-report",
)  # fmt: skip


def tables(run):
    """Every number that should repeat, by cell."""
    return {
        record.key: (
            {
                name: value
                for name, value in record.values.items()
                if not is_timing(record.kind, name)
            },
            {
                name: array
                for name, array in record.arrays.items()
                if not is_timing(record.kind, name) and array.dtype.kind in "biuf"
            },
            load_file(path) if (path := record.weights()) else {},
        )
        for record in Store(run).records()
    }


def test_two_runs_agree_to_the_bit_whatever_runs_them(shell):
    for name, jobs in (("one", "0"), ("two", "1")):
        done = shell.inside(*SMALL, "--run", name, "--jobs", jobs)
        assert done.returncode == 0, done.stderr
    one, two = (tables(shell.directory / "runs" / name) for name in ("one", "two"))
    assert one.keys() == two.keys()
    assert len(one) == 3
    for key in one:
        for first, second in zip(one[key], two[key], strict=True):
            np.testing.assert_equal(first, second)
    exported = shell.inside("export", "two", "--to", "vtu", "--n", "1").stdout.split()
    listed = json.loads((shell.directory / exported[-1]).read_text())
    assert sorted(entry["kind"] for entry in listed.values()) == ["fem", "net"]
    assert [path.rpartition("/")[2] for path in exported[:-1]] == list(listed)


@pytest.mark.parametrize("element", ["N0", "hexN0", "N1", "hexP"])
def test_fem_cells_declare_the_memory_that_fem_predicts(element):
    from bench.cells import needs_bytes
    from fem import make_space

    n = {"N0": 128, "hexN0": 128, "N1": 12, "hexP": 8}[element]
    order = 4 if element == "hexP" else None
    _, space = make_space(n, element=element, order=order, max_bytes=2**40)
    declared = needs_bytes(Cell("fem", {"n": n, "element": element, "order": order}))
    assert 0.8 * space.predicted_bytes() < declared < 2 * space.predicted_bytes() + 2**30
