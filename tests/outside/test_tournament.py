"""Own nets, optimisers, problems and data files in one study; rows of one's own in `train`."""

import json
import re

import numpy as np
import pytest
from test_files import NET

from bench import studies
from femnets.cli import invoke

TORCH = (
    NET
    + """
class Signs(torch.optim.Optimizer):
    def __init__(self, params, lr=0.01):
        super().__init__(params, {"lr": lr})

    def step(self, closure=None):
        for p in self.param_groups[0]["params"]:
            if p.ndim == 2:  # G (GᵀG + εI)^(-½), as Muon: it needs the matrix
                values, V = torch.linalg.eigh(p.grad.T @ p.grad + 1e-8 * torch.eye(p.shape[1]))
                step = p.grad @ V @ torch.diag(values ** -0.5) @ V.T
            else:
                step = p.grad.sign()
            p.data = p.data - self.param_groups[0]["lr"] * step
"""
)


@pytest.fixture
def rows(mine):
    rng = np.random.default_rng(0)
    x = rng.uniform(-1, 1, (200, 2))
    y = np.stack([np.sin(2 * x[:, 0]) * x[:, 1]], axis=1)
    np.savez(mine.with_name("rows.npz"), x=x, y=y)
    text = "\n".join(["x1,x2,y1", *(",".join(map(str, row)) for row in np.hstack([x, y]))])
    mine.with_name("rows.csv").write_text(text + "\n", encoding="utf-8")
    mine.with_name("own.py").write_text(TORCH, encoding="utf-8")
    return x, y


def trained(capsys, *words):
    assert invoke(["train", *words, "--steps", "40", "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_rows_of_ones_own_train_a_net(mine, rows, capsys):
    one, two = (trained(capsys, "--data", f"./rows.{kind}") for kind in ("csv", "npz"))
    assert one["rel_test_error"] == pytest.approx(two["rel_test_error"], rel=1e-9)
    assert one["rel_test_error"] < 0.3
    assert (one["rows"], one["test_rows"]) == (160, 40)
    assert one["l2_error"] is None
    own = trained(capsys, "--data", "./rows.csv", "--net", "./own.py:Net", "--width", "4")
    assert own["tau"] == []


def test_a_module_of_ones_own_is_trained_on_the_equation(mine, rows, capsys):
    own = ["--net", "./own.py:Net", "--width", "4", "--points", "60", "--steps", "3"]
    assert invoke(["train", "--track", "solve", "--problem", "./mine.py", *own]) == 0
    line = next(s for s in capsys.readouterr().out.splitlines() if s.startswith("derivatives"))
    assert line.endswith("by automatic differentiation")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--data", "./none.csv"], "does not exist"),
        (["--data", "./rows.csv", "--problem", "maxwell"], "--problem does not go with --data"),
        (["--data", "./rows.csv", "--track", "solve"], "--data does not go with --track solve"),
        (["--data", "./bad.csv"], "columns x1, z; it needs a header with inputs x1"),
        (["--data", "./text.csv"], "line 2: could not convert string to float"),
        (["--data", "./empty.npz"], "it needs arrays x and y"),
    ],
)
def test_bad_rows_are_one_line(mine, rows, capsys, words, said):
    mine.with_name("bad.csv").write_text("x1,z\n1,2\n", encoding="utf-8")
    mine.with_name("text.csv").write_text("x1,y1\n1,b\n", encoding="utf-8")
    np.savez(mine.with_name("empty.npz"), a=np.zeros(3))
    assert invoke(["train", *words]) == 2
    err = capsys.readouterr().err
    assert err.count("\n") == 1
    assert said in err


def test_a_tournament_of_own_things_ends_in_a_report(mine, rows, capsys):
    settings = [
        "nets=resnet,./own.py:Net", "optimizers=auto,./own.py:Signs", "problems=./mine.py",
        "data=./rows.csv", "width=4", "evaluations=20", "samples=50", "seeds=0",
    ]  # fmt: skip
    words = [word for setting in settings for word in ("--set", setting)]
    assert invoke(["run", "tournament", *words, "--jobs", "0", "--run", "t", "--json"]) == 0
    cells = json.loads(capsys.readouterr().out)["cells"]
    assert len(cells) == 12  # (fit, solve, rows) × 2 nets × 2 optimisers
    assert all(cell["values"]["evaluations"] <= 21 for cell in cells)
    page = re.sub(r"</?abbr[^>]*>", "", (mine.parent / "runs/t/report.html").read_text("utf-8"))
    for words in ("my own 2-4", "ResNet + τ 2-4", "Signs", "rows of a file", "Given the equation:"):
        assert words in page, words
    assert "my own + τ" not in page
    assert len(re.findall("s, 20 evaluations</small>", page)) == 4  # two nets at a glance, twice


def test_an_unknown_track_is_refused():
    with pytest.raises(studies.UserError, match="unknown track 'guess' of a tournament"):
        studies.plan(["tournament"], "quick", {"tournament": {"tracks": ("guess",)}})
