"""The command line as a whole: help everywhere, one clean line for bad usage, no heavy imports."""

import json
import math
import pkgutil
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import femnets.cli
from femnets.cli._output import show_json

COMMANDS = sorted(
    info.name.replace("_", "-")
    for info in pkgutil.iter_modules(femnets.cli.__path__)
    if not info.name.startswith("_")
)
HEAVY = ("torch", "skfem", "numba", "matplotlib", "pyamg", "typst")


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help_and_refuses_unknown_flags(command, cli):
    assert "Usage" in cli(command, "--help").out
    cli.refuses("no-such-flag", command, "--no-such-flag")


def test_without_a_command_it_is_help(cli):
    out, err = cli()
    assert "Usage" in out
    assert err == ""
    cli.refuses("trian", "trian")


@pytest.mark.parametrize("arguments", [["--help"], ["list"], ["fem", "--help"], ["run", "--help"]])
def test_light_commands_import_nothing_heavy(arguments):
    code = (
        "import sys, femnets.cli; femnets.cli.invoke(sys.argv[1:]); "
        f"print([m for m in {HEAVY!r} if m in sys.modules], file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments], capture_output=True, text=True, timeout=60
    )
    assert done.stderr.strip().endswith("[]"), done.stderr


def test_list_explains_every_name_without_codes_of_our_own(cli, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    printed = cli("list").out
    assert max(map(len, printed.splitlines())) <= 80
    assert not re.search(r"maths|track:|\bE\d\b", printed)
    for noun, names in cli.json("list").items():
        assert f"{noun}:" in printed
        for name in names:
            assert re.search(rf"^  {name}  +\w", printed, re.MULTILINE), f"{name} is not explained"


def test_a_bug_is_not_dressed_up_as_bad_input(monkeypatch):
    def broken():
        raise ZeroDivisionError("a bug")

    monkeypatch.setattr(femnets.cli, "build_app", lambda *_: lambda **_: broken())
    with pytest.raises(ZeroDivisionError):
        femnets.cli.invoke(["list"])


def test_interrupt_exits_130(monkeypatch, cli):
    def interrupted(**_):
        raise KeyboardInterrupt

    monkeypatch.setattr(femnets.cli, "build_app", lambda *_: interrupted)
    assert "interrupted" in cli("list", code=130).err


def test_every_number_in_json_is_finite_or_null(capsys):
    show_json({"a": math.inf, "b": [math.nan, 1.5], "c": np.float64("-inf"), "d": (1, None)})
    assert json.loads(capsys.readouterr().out) == {
        "a": None, "b": [None, 1.5], "c": None, "d": [1, None],
    }  # fmt: skip


def test_no_command_prints_json_by_another_way():
    for path in Path(femnets.cli.__file__).parent.glob("*.py"):
        assert path.name == "_output.py" or not re.search(
            r"(echo|print)\(\s*json", path.read_text()
        )
