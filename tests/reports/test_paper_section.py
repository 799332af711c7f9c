"""The paper's experiment, the ledger and the header."""

from types import SimpleNamespace

import numpy as np
import pytest
from records import record_of
from test_competitors import fem
from test_report import make_run

from bench.cells import Cell
from reports.context import Run
from reports.header import header
from reports.sections.training import cost_of_training, gradients_by_layer, papers_nets


def trained(seed, error, hidden=2, net="resnet", tau="learned"):
    """One training whose error falls in four steps and whose gradients fall from layer to layer."""
    settings = {"net": net, "tau": tau, "hidden": hidden, "width": 50, "seed": seed}
    cell = Cell("net", {**settings, "optimizer": "steepest", "steps": 4})
    values = {"l2_error": error, "train_mse": error**2, "seconds": 4.0, "diverged": False}
    norms = np.geomspace(1.0, 10.0**-hidden, hidden + 1)
    arrays = {
        "history_seconds": np.array([0.0, 1.0, 2.0, 4.0]),
        "history_mse": np.geomspace(1.0, error**2, 4),
        "history_grad_W": np.array([norms, norms, norms, 0.1 * norms]),
    }
    return record_of(cell, values, arrays)


@pytest.fixture
def experiment():
    nets = [trained(s, 5e-3 * (1 + s), tau=tau) for s in (0, 1) for tau in ("fixed", "learned")]
    deep = [trained(s, 3e-2, hidden=6) for s in (0, 1)]
    meshes = [fem(0.02 / n, n) for n in (1, 2, 4, 8)]
    rows = [(record, "training") for record in (*nets, *deep)]
    rows += [(record, "convergence") for record in meshes]
    standings = [
        SimpleNamespace(record=r, studies=(study,), cell=SimpleNamespace(config=r.config))
        for r, study in rows
    ]
    return Run("r", {}, standings)


def test_training_is_drawn_over_its_seconds_and_gradients_by_layer(experiment):
    nets = papers_nets(experiment.results_of("training"))
    figure = cost_of_training(nets)
    assert [axes.get_title(loc="left") for axes in figure.axes] == ["2-50", "6-50"]
    (curve,) = [line for line in figure.axes[1].lines if not line.get_label().startswith("_")]
    assert curve.get_xdata()[-1] == pytest.approx(4.0)
    assert curve.get_ydata()[-1] == pytest.approx(9e-4)
    deep = gradients_by_layer(nets).axes[1].lines
    before, after = (line.get_ydata() for line in deep)
    assert np.allclose(before, np.geomspace(1, 1e-6, 7))
    assert np.allclose(after, before / 10)


def test_the_header_follows_the_run(tmp_path):
    run = Run.read(make_run(tmp_path / "run"))
    entries = dict(header(run))
    assert entries["run"] == "run"
    assert entries["cells"].startswith(str(len(run.records)))
