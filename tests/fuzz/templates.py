"""The folder that fuzzed lines work in: a whole run, a partial one, a harmed one, a net, meshes."""

from __future__ import annotations

import contextlib
import io
import random
import shutil
from pathlib import Path

STUDIES = ("slips", "convergence", "training")
SMALL = (
    "convergence.n=1,2", "slips.seeds=0", "training.nets=resnet,fractional", "training.samples=50",
    "training.steps=2", "training.seeds=0", "training.hidden=2", "training.width=4",
)  # fmt: skip
# The kinds of cells that preset quick has none of, small.
WIDENED = (
    "nets=resnet,feedforward", "depths=2", "deepest=4", "scales=1.0", "activations=tanh,smoothrelu",
    "activation_depths=2,4", "activation_scales=0.5,1.0", "activation_width=4", "inits=he",
    "init_scales=1.0", "widths=3,5", "width_depth=4", "width_scales=1.0", "wide_seeds=0",
    "decay_depths=5,10", "xi_activations=tanh", "trained_nets=resnet", "trained_depth=3",
)  # fmt: skip


def set_(study: str, settings: tuple[str, ...]) -> list[str]:
    return [word for setting in settings for word in ("--set", f"{study}.{setting}")]


def make_atlas(folder: Path) -> Path:
    """A run of the gradient atlas, widened as the longer presets have it."""
    words = ("run", "gradient_atlas", *set_("gradient_atlas", WIDENED), "--run", "atlas")
    call(folder, *words, "--jobs", "0", "--no-report")
    return folder / "runs/atlas"


def make_template(folder: Path) -> Path:
    """Small things that took real computations, made once."""
    from command_lines import furnish
    from damage import harm_run

    folder.mkdir(parents=True, exist_ok=True)
    net = ("train", "--steps", "1", "--samples", "30", "--hidden", "2", "--width", "3")
    call(folder, *net, "--save", "net.safetensors")
    call(folder, "fem", "--n", "1", "--vtu", "mesh.vtu")
    (folder / "bad.vtu").write_bytes((folder / "mesh.vtu").read_bytes()[:300])
    settings = [word for setting in SMALL for word in ("--set", setting)]
    call(folder, "run", *STUDIES, *settings, "--run", "whole", "--jobs", "0", "--no-report")
    for name in ("part", "harmed"):
        shutil.copytree(folder / "runs/whole", folder / "runs" / name)
    for directory in sorted((folder / "runs/part/cells").glob("*/*"))[::2]:
        shutil.rmtree(directory)
    harm_run(folder / "runs/harmed", random.Random(0), 6)
    linked = folder / "runs/linked"
    shutil.copytree(folder / "runs/whole", linked)
    for part in ("scratch", "locks", "failed", "export"):
        shutil.rmtree(linked / part, ignore_errors=True)
        (linked / part).symlink_to("../../../outside")
    for kind, name in (("problem", "mine"), ("net", "net"), ("optimizer", "step"),
                       ("study", "sweep")):  # fmt: skip
        call(folder, "new", kind, name)
    call(folder, "export", "whole", "--to", "verdicts", "--out", ".")
    furnish(folder)
    return folder


def call(folder: Path, *words: str) -> None:
    from femnets.cli import invoke

    err = io.StringIO()
    with (
        contextlib.chdir(folder),
        contextlib.redirect_stdout(io.StringIO()),
        contextlib.redirect_stderr(err),
    ):
        code = invoke(list(words))
    assert code == 0, err.getvalue()
