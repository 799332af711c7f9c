"""Own problems, net, optimiser and data in an empty folder, each to a report that names it.

`python own_journey.py` does it with the femnets of that Python; `make package` with the wheel. The
suite has small versions of each step (`test_unknown.py`, `test_tournament.py`).
"""

import json
import re
from pathlib import Path

import numpy as np
from journey import DIPOLE, femnets
from test_tournament import TORCH
from test_unknown import COIL, write_part

SIREN = """
import torch

class Siren(torch.nn.Module):
    TITLE = "SIREN"

    def __init__(self, inputs, outputs, hidden=2, width=20):
        super().__init__()
        sizes = [inputs] + [width] * hidden
        pairs = zip(sizes, sizes[1:])
        self.layers = torch.nn.ModuleList(torch.nn.Linear(a, b) for a, b in pairs)
        self.last = torch.nn.Linear(width, outputs)

    def forward(self, x):
        for k, layer in enumerate(self.layers):
            x = torch.sin((2.0 if k == 0 else 1.0) * layer(x))
        return self.last(x)
"""
WITHIN = 3.0  # the best net of the report against one training with as many evaluations
CONVERGED = 1e-4  # relative error of the best net at the default budget; 0.2.0 ended at 1.1e-2


def first_page(run: str) -> str:
    """Title and first section of the report, as text."""
    page = Path("runs", run, "report.html").read_text(encoding="utf-8")
    body = page[page.index("<h1") :]
    return re.sub(r"<[^>]+>", " ", body[: body.index("<h2", body.index("What this report"))])


def dipole() -> None:
    """A closed form, singular outside the training part, with variable φ."""
    Path("dipole.py").write_text(DIPOLE, encoding="utf-8")
    found = json.loads(femnets("run", "--problem", "./dipole.py", "--run", "d", "--json").stdout)
    assert not found["failed"]
    page = first_page("d")
    formulas = ("np.cross(m, d, axis=0) / r^3", "np.array([-1.3, 0.5, 0.5])", "a dipole m at")
    for words in ("the vector potential of a dipole", *formulas, "dipole.py"):
        assert words in page, words
    text = Path("runs/d/report.html").read_text(encoding="utf-8")
    assert "of the paper" not in text
    assert "The paper" not in text
    nets = [cell["values"] for cell in found["cells"] if cell["kind"] == "solved_net"]
    best = min(nets, key=lambda values: values["l2_error"])
    limit = ["--evaluations", str(best["evaluations"])]
    train = ("train", "--track", "solve", "--problem", "./dipole.py", *limit, "--json")
    alone = json.loads(femnets(*train).stdout)["l2_error"]
    print(f"dipole: best net {best['l2_error']:.2e}, one training {alone:.2e}")
    assert best["l2_error"] <= WITHIN * alone
    assert best["relative_l2_error"] < CONVERGED


def gmsh() -> None:
    """No closed form, φ per physical group of a Gmsh file."""
    write_part("part.msh")
    Path("coil.py").write_text(COIL, encoding="utf-8")
    femnets("run", "--problem", "./coil.py", "--run", "c")
    assert "a current in iron and air" in first_page("c")
    page = Path("runs/c/report.html").read_text(encoding="utf-8")
    assert "The solution without a closed form" in page
    assert "relative L² distance" in page


def tournament() -> None:
    """An own SIREN, an own optimiser whose state has the shapes of matrices, own rows."""
    Path("siren.py").write_text(SIREN, encoding="utf-8")
    Path("own.py").write_text(TORCH, encoding="utf-8")
    x = np.random.default_rng(0).uniform(-1, 1, (300, 2))
    y = np.sin(3 * x[:, :1]) * x[:, 1:]
    rows = ["x1,x2,y1", *(",".join(map(str, row)) for row in np.hstack([x, y]))]
    Path("rows.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    settings = ["nets=resnet,./siren.py:Siren", "optimizers=auto,./own.py:Signs", "data=./rows.csv"]
    settings += ["problems=./dipole.py", "evaluations=200"]
    words = [word for setting in settings for word in ("--set", setting)]
    femnets("run", "tournament", *words, "--run", "t")
    page = first_page("t")
    for name in ("SIREN", "siren.py", "Signs", "rows.csv", "the vector potential of a dipole"):
        assert name in page, name


if __name__ == "__main__":
    dipole()
    gmsh()
    tournament()
