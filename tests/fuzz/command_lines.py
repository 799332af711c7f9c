"""Random command lines, made from the commands and options that are found, so new ones are in."""

from __future__ import annotations

import json
import os
import random
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

NASTY = (
    "", " ", "nan", "-inf", "1e400", "None", "true", "-1", "0", "9" * 40, "1-1000000000", "3-1",
    "1,,2", "x" * 300, "[bold]red[/bold]", "[/nope]", "\x1b]0;title\x07", "\x1b[2J", "a\nb", "a\rb",
    "ü∂𝄞", "\udcff\udcfe", "\u202eevil", "$(touch boom)", "`touch boom`", "; touch boom", "{0}",
    "%s", "../up", "a/b/c", "-", "--", "idlelib.idle", "os", "__import__('os')", "$x^{$",
)  # fmt: skip
WHOLE = (
    "0",
    "1",
    "2",
    "3",
    "-1",
    "-7",
    "1.5",
    "1e3",
    "2147483648",
    "9223372036854775808",
    "9" * 30,
)
REAL = ("0", "1", "0.5", "-1", "1e-8", "1e-300", "1e300", "1e308", "nan", "inf", "-inf", "1e999")
LISTS = ("1", "1,2", "2-3", "1-3,2", "0", "3-1", "1-999999999", "-4", "1,a", ",", "1-2-3", "1e9")
ASSIGNED = ("seeds=0", "seeds=0-999999999", "seeds=", "seeds=-1", "n=1,2", "hidden=x", "tol=nan",
            "steps=1", "x=1", "=", "a", "convergence.n=1", "samples=1e99", "nets=$x",
            "nets=./net.py:Net", "problems=./mine.py", "optimizers=./bad.py:x")  # fmt: skip
# What keeps a command that is accepted short; the line may say otherwise after it.
CHEAP: dict[str, tuple[str, ...]] = {
    "train": ("--steps", "1", "--samples", "30", "--hidden", "2", "--width", "3"),
    "gradients": ("--net", "resnet", "--hidden", "2", "--width", "3", "--samples", "9"),
    "fem": ("--n", "1"),
    "run": ("--jobs", "0", "--only", "failed", "--no-report", "--run", "fresh"),
    "export": ("--to", "csv"),
}
# Options under which an accepted command may run for as long as it was told to.
COMPUTING = {"run", "fem", "train", "gradients", "export"}
LONG = {"steps", "evaluations", "seconds", "patience", "jobs", "only", "report"}


# Files of somebody's own, good ones as `femnets new` writes them, and others.
PLUGS = ("./mine.py", "./net.py:Net", "./step.py:minimize", "./sweep.py", "./bad.py", "./exit.py:x",
         "./none.py", "./mine.py:nothing", "pipe.py", "./deep.py")  # fmt: skip
INPUTS = {"mesh", "config", "plug"}  # options whose paths are read


@dataclass(frozen=True)
class Option:
    """One way to say something to a command."""

    name: str
    flags: tuple[str, ...]
    kind: str  # whole, real, path, flag, text
    argument: bool
    many: bool


@cache
def commands() -> dict[str, tuple[Option, ...]]:
    """Every command with its options, walked off the application."""
    from femnets.cli import build_app, whole_command

    root: Any = whole_command(build_app())
    found = {name: tuple(map(_option, each.params)) for name, each in root.commands.items()}
    assert found, "the application has no commands"
    return found


def _option(parameter: Any) -> Option:
    annotation = str(getattr(getattr(parameter, "type_descriptor", None), "annotation", ""))
    kinds = {"int": "whole", "float": "real", "Path": "path", "bool": "flag"}
    kind = next((kind for word, kind in kinds.items() if f"{word}'" in annotation), "text")
    return Option(
        parameter.name,
        (*parameter.opts, *parameter.secondary_opts),
        kind,
        parameter.param_type_name == "argument",
        bool(parameter.multiple or parameter.nargs == -1),
    )


@cache
def vocabulary() -> tuple[str, ...]:
    """Names that mean something: plugs, presets, solvers, runs and files of the playground."""
    from femnets.cli.list import catalogue

    names = [name for group in catalogue().values() for name in group]
    extra = ["fixed", "learned", "global", "rezero", "1/H", "uniform", "0.2,1", "x,f,phi", "x",
             "auto", "direct", "float32", "cosine", "he", "csv", "parquet", "vtu", "missing",
             "stale", "paper", "record", "change", "tau", "whole", "part", "harmed", "fresh",
             "none", "verdicts", *PLUGS]  # fmt: skip
    return tuple(dict.fromkeys([*names, *extra]))


def line(draw: random.Random, places: Sequence[str]) -> list[str]:
    """One command line; `places` are paths of the playground, good and bad."""
    if draw.random() < 0.02:
        return [draw.choice([*NASTY, "--help", "--version", *commands()]) for _ in range(2)]
    name = draw.choice(sorted(commands()))
    options = commands()[name]
    words = [name]
    if draw.random() < 0.8:
        words += CHEAP.get(name, ())
    for option in (o for o in options if o.argument):
        if draw.random() < 0.95:
            count = draw.choice((0, 1, 2)) if option.many else 1
            words += [_value(draw, option, places) for _ in range(count)]
    chosen = [o for o in options if not o.argument]
    for option in draw.sample(chosen, min(len(chosen), draw.choice((0, 1, 1, 2, 3, 4)))):
        words.append(draw.choice(option.flags))
        if option.kind != "flag":
            words.append(_value(draw, option, places))
    if draw.random() < 0.05:
        words.insert(draw.randrange(len(words) + 1), draw.choice(NASTY))
    return words


def _value(draw: random.Random, option: Option, places: Sequence[str]) -> str:
    if draw.random() < 0.15:
        return draw.choice(NASTY)
    if option.kind == "whole":
        return draw.choice(WHOLE)
    if option.kind == "real":
        return draw.choice(REAL)
    if option.kind == "path" or (option.argument and draw.random() < 0.7):
        return draw.choice(list(places))
    if option.name in {"n", "order", "layers"}:
        return draw.choice(LISTS)
    if option.name == "settings":
        return draw.choice(ASSIGNED)
    if option.name == "scheduler":
        return draw.choice(
            (
                "tcp://127.0.0.1:1",
                "nowhere",
                "tcp://",
                "x" * 200,
                "tls://127.0.0.1:1",
                "ucx://a:1",
                "inproc://0",
                "tcp://127.0.0.1:-1",
            )
        )
    return draw.choice(vocabulary())


def may_be_long(words: Sequence[str]) -> bool:
    """Whether an accepted command of these words may compute for as long as it likes."""
    said = {word.lstrip("-").removeprefix("no-") for word in words}
    return bool(said & LONG) or bool(set(words[:2]) & COMPUTING)


SAVED = {
    "name": "\x1b[2J[bold]", "fullname": "a", "stats": {"median": 0.1, "iqr": 0.01, "rounds": 7},
    "extra_info": {"l2_error": 0.5, "targets": {"[/x]": {"value": 2.0, "met": True}}},
}  # fmt: skip


def outputs(words: Sequence[str]) -> list[str]:
    """The paths that a line wants written: an option's last word counts."""
    options = commands().get(words[0], ()) if words else ()
    found = []
    for option in options:
        if option.kind != "path" or option.argument or option.name in INPUTS:
            continue
        places = [k for k, word in enumerate(words[:-1]) if word in option.flags]
        if places and not words[places[-1] + 1].startswith("--"):
            found.append(words[places[-1] + 1])
    return found


def playground_names() -> list[str]:
    """Paths that a line may name, relative, as they are typed; some are good, most are not."""
    return [
        "out.png", "out.vtu", "out.npz", "out.safetensors", "out", "new/dir", "no/such/dir/out.png",
        "a_directory.png", "a_directory", "empty.safetensors", "pipe.safetensors",
        "loop.safetensors", "missing.safetensors", "net.safetensors", "text.toml", "bad.toml",
        "deep.toml", "mesh.vtu", "bad.vtu", "y" * 252 + ".png", "y" * 251 + ".vtu", "z" * 300,
        "/proc/none/out.png", "/proc/none", "\udcff.png", "whole", "part", "harmed", "runs/whole",
        "pipe.safetensors/x", "net.safetensors", "whole", "net.safetensors", "saved.json",
        "verdicts.json", "bad.json", "deep.json", "pipe.json", "include.inp", "mine.py",
        "net.py:Net", "bad.py", "linked",
    ]  # fmt: skip


def furnish(folder: Path) -> None:
    """What of these names is there, beside nets, meshes and runs that took computing."""
    (folder / "a_directory.png").mkdir()
    (folder / "a_directory").mkdir()
    (folder / "empty.safetensors").write_bytes(b"")
    (folder / "text.toml").write_text("preset = 'quick'\n[convergence]\nn = [1]\n")
    (folder / "bad.toml").write_bytes(b"\xff\xfe[[[")
    (folder / "deep.toml").write_text("x = " + "[" * 5000)
    (folder / "bad.json").write_text('{"benchmarks": [{"name": 1}], "verdicts": [[]]}')
    (folder / "deep.json").write_text("[" * 5000)
    (folder / "saved.json").write_text(json.dumps({"benchmarks": [SAVED], "datetime": "\x1b[2J"}))
    (folder / "include.inp").write_text("*INCLUDE, INPUT=pipe.json\n")
    (folder / "bad.py").write_text("x = 1 / 0\n")
    (folder / "exit.py").write_text("import sys\nsys.exit(0)\n")
    (folder / "deep.py").write_text("x = " + "(" * 5000)
    for ending in ("safetensors", "json", "py"):
        os.mkfifo(folder / f"pipe.{ending}")
    (folder / "loop.safetensors").symlink_to("loop.safetensors")
