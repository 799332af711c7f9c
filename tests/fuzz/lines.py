"""Command lines as a strategy, made from the commands and options that exist: new ones are in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from hypothesis import strategies as st

PLUGINS = (
    "./mine.py", "./net.py:Net", "./step.py:minimize", "./sweep.py", "./bad.py", "./exit.py:x",
    "./none.py", "./mine.py:nothing", "./deep.py",
)  # fmt: skip
# As they are typed in the playground; some can be read or written, most cannot.
PATHS = (
    "out.png", "out.vtu", "out.npz", "out.safetensors", "out", "new/dir", "no/such/dir/out.png",
    "directory.png", "empty.safetensors", "none.safetensors", "net.safetensors", "bad.vtu",
    "mesh.vtu", "y" * 252 + ".png", "z" * 300, "/proc/none",
    "/proc/none/out.png", "\udcff.png", "whole", "part", "runs/whole", "net.safetensors/x",
    "saved.json", "verdicts.json", "bad.json", "deep.json", *PLUGINS,
)  # fmt: skip
ODD = st.sampled_from((
    "", " ", "nan", "1e400", "None", "true", "1,,2", "[bold]red[/bold]", "[/nope]",
    "\x1b]0;title\x07", "\x1b[2J", "a\nb", "a\rb", "\udcff\udcfe", "\u202eevil", "$(touch boom)",
    "; touch boom", "{0}", "%s", "../up", "-", "--", "idlelib.idle", "__import__('os')", "$x^{$",
)) | st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=300)  # fmt: skip
# Small, or so large that it is refused: what lies between is accepted and takes its time.
WHOLE = st.integers(-7, 3) | st.integers(min_value=2**31)
RANGE = st.tuples(WHOLE, WHOLE).map(lambda ends: f"{ends[0]}-{ends[1]}")
LISTS = st.lists(WHOLE.map(str) | RANGE, max_size=3).map(",".join)
BY_KIND = {
    "int": WHOLE.map(str),
    "float": (st.sampled_from((0.5, 1e-8)) | st.floats()).map(str),
    "Path": st.sampled_from(PATHS),
}
BY_NAME = {
    **dict.fromkeys(("n", "order", "layers"), LISTS),
    "settings": st.sampled_from((
        "seeds=0", "seeds=0-999999999", "seeds=", "n=1,2", "hidden=x", "tol=nan", "steps=1", "x=1",
        "=", "a", "convergence.n=1", "samples=1e99", "nets=$x", "nets=./net.py:Net",
        "problems=./mine.py", "optimizers=./bad.py:x",
    )),
    "scheduler": st.sampled_from((
        "tcp://127.0.0.1:1", "nowhere", "tcp://", "tls://127.0.0.1:1", "inproc://0",
    )),
}  # fmt: skip
# What keeps a command that is accepted short; a later option of the line may replace it.
CHEAP = {
    "train": "--steps 1 --samples 30 --hidden 2 --width 3",
    "gradients": "--net resnet --hidden 2 --width 3 --samples 9",
    "fem": "--n 1",
    "run": "--jobs 0 --only failed --no-report --run fresh",
    "export": "--to csv",
}
INPUTS = {"mesh", "config", "plug"}  # options whose paths are read


@cache
def commands() -> Mapping[str, Any]:
    """Every command, read off the application."""
    from femnets.cli import build_app, whole_command

    root: Any = whole_command(build_app())
    return root.commands


def kind(parameter: Any) -> str:
    """The type of an option or argument."""
    annotation = str(getattr(getattr(parameter, "type_descriptor", None), "annotation", ""))
    kinds = ("int", "float", "Path", "bool")
    return next((each for each in kinds if f"{each}'" in annotation), "text")


@cache
def vocabulary() -> st.SearchStrategy[str]:
    """Names that mean something: plugins, presets, solvers, runs."""
    from femnets.cli.list import catalogue

    names = [name for group in catalogue().values() for name in group]
    more = """fixed learned global rezero 1/H uniform 0.2,1 x,f,phi x auto direct float32 cosine he
        csv parquet vtu verdicts missing stale paper record change tau whole part fresh"""
    return st.sampled_from(list(dict.fromkeys([*names, *more.split(), *PLUGINS])))


def typed(parameter: Any) -> st.SearchStrategy[str]:
    """What may be typed for an option or argument."""
    by_name = BY_NAME.get(parameter.name, vocabulary())
    usual = BY_KIND.get(kind(parameter), by_name)
    if parameter.param_type_name == "argument":
        usual = BY_KIND["Path"] | usual
    return st.one_of(usual, usual, usual, ODD)


@st.composite
def lines(draw: Any) -> list[str]:
    """One command line, most of it meaningful."""
    name = draw(st.sampled_from(sorted(commands())))
    words = [name, *(CHEAP.get(name, "").split() if draw(st.integers(0, 4)) else ())]
    options = []
    for parameter in commands()[name].params:
        if parameter.param_type_name == "argument":
            most = 2 if parameter.multiple or parameter.nargs == -1 else 1
            words += draw(st.lists(typed(parameter), min_size=most - 1, max_size=most))
        else:
            options.append(parameter)
    for option in draw(st.lists(st.sampled_from(options), max_size=4, unique=True)):
        words.append(draw(st.sampled_from((*option.opts, *option.secondary_opts))))
        words += [] if kind(option) == "bool" else [draw(typed(option))]
    if not draw(st.integers(0, 19)):
        words.insert(draw(st.integers(0, len(words))), draw(ODD))
    return words


def outputs(words: Sequence[str]) -> list[str]:
    """The paths that a line wants written; of an option given twice the last."""
    paths = []
    for option in commands()[words[0]].params if words and words[0] in commands() else ():
        if kind(option) == "Path" and option.name not in INPUTS:
            places = [k for k, word in enumerate(words[:-1]) if word in option.opts]
            paths += [words[k + 1] for k in places[-1:] if not words[k + 1].startswith("--")]
    return paths
