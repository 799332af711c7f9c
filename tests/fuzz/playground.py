"""The folder that fuzzed commands work in: runs, a net, a mesh, plugins, and files that are bad."""

from __future__ import annotations

import json
import os
import re
import shutil
from pathlib import Path

from harness import PATIENCE, invoke

SAVED = {
    "name": "\x1b[2J[bold]", "fullname": "a", "stats": {"median": 0.1, "iqr": 0.01, "rounds": 7},
    "extra_info": {"l2_error": 0.5, "targets": {"[/x]": {"value": 2.0, "met": True}}},
}  # fmt: skip
FILES = {
    "empty.safetensors": "",
    "bad.vtu": "<VTKFile type='UnstructuredGrid'><UnstructuredGrid><Piece",
    "bad.json": '{"benchmarks": [{"name": 1}], "verdicts": [[]]}',
    "deep.json": "[" * 5000,
    "saved.json": json.dumps({"benchmarks": [SAVED], "datetime": "\x1b[2J"}),
    "bad.py": "x = 1 / 0\n",
    "exit.py": "import sys\nsys.exit(0)\n",
    "deep.py": "x = " + "(" * 5000,
}
SMALL = """slips convergence training --set convergence.n=1,2 --set slips.seeds=0
    --set training.nets=resnet --set training.samples=50 --set training.steps=2
    --set training.seeds=0 --set training.hidden=2 --set training.width=4"""
# With the kinds of cells that preset quick has none of.
ATLAS = """gradient_atlas --set nets=resnet,feedforward --set depths=2 --set deepest=4
    --set scales=1.0 --set activations=tanh,smoothrelu --set activation_depths=2,4
    --set activation_scales=0.5,1.0 --set activation_width=4
    --set widths=3,5 --set width_depth=4 --set width_scales=1.0 --set wide_seeds=0"""


def call(folder: Path, line: str) -> None:
    """A command that succeeds."""
    outcome = invoke(line.split(), folder, PATIENCE)
    assert outcome.code == 0, outcome


def computed(folder: Path, name: str, studies: str) -> Path:
    """A run of these studies and settings."""
    call(folder, f"run {studies} --run {name} --jobs 0 --no-report")
    return folder / "runs" / name


def make(folder: Path) -> Path:
    """What exists of the paths that lines name."""
    (folder / "directory.png").mkdir(parents=True)
    for name, text in FILES.items():
        (folder / name).write_text(text, encoding="latin-1")
    call(folder, "train --steps 1 --samples 30 --hidden 2 --width 3 --save net.safetensors")
    call(folder, "fem --n 1 --vtu mesh.vtu")
    for kind in ("problem mine", "net net", "optimizer step", "study sweep"):
        call(folder, f"new {kind}")
    part = shutil.copytree(computed(folder, "whole", SMALL), folder / "runs/part")
    for directory in sorted((part / "cells").glob("*/*"))[::2]:
        shutil.rmtree(directory)
    call(folder, "export whole --to verdicts --out .")
    return folder


def strays(folder: Path) -> set[str]:
    """Files where none belongs: next to the folder, aside in it, or made by a shell."""
    sides = [folder.parent, *(folder.parent / name for name in ("home", "tmp"))]
    next_to = {str(path) for side in sides for path in side.iterdir()}
    aside = re.compile(r"boom$|\.[0-9a-f]{8,12}(\.|$)")
    # matplotlib, numba and idlelib (where a line names it as its study) keep theirs at home
    kept = {str(sides[1] / name) for name in (".cache", ".config", ".idlerc")}
    return next_to - kept | set(filter(aside.match, os.listdir(folder)))
