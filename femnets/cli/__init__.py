"""The command line `femnets`: every file in this folder is the command of its name.

A command module defines `command`, a function with typer annotations, and imports what is
heavy (torch, scikit-fem, matplotlib) inside it, so that `--help`, `list` and `status` are fast.
Even typer is imported late: from the first line of `main` on, signals end the command properly.
"""

from __future__ import annotations

import functools
import os
import signal
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

    import typer

HELD = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
# If this is the main program, signals are blocked from here until `main` can handle them.
_is_the_program = sys.argv[:1] and os.path.basename(sys.argv[0]) == "femnets"
_early = signal.pthread_sigmask(signal.SIG_BLOCK, HELD) if _is_the_program else None
EXIT_FAILED_CELLS = 1
EXIT_BAD_INPUT = 2


@functools.cache
def build_app(only: str | None = None) -> typer.Typer:
    """Return the app with every command, or with one, whose module alone is imported."""
    import importlib

    app = _without_commands()
    for module in [only] if only else command_files():
        command = importlib.import_module(f"{__name__}.{module}").command
        app.command(name=module.replace("_", "-"))(_checked(command))
    return app


def overview() -> typer.Typer:
    """Return the app of `femnets --help`: commands with their docstrings, nothing imported.

    Importing the commands would take as long as the rest of the help.
    """
    import ast

    app = _without_commands()
    for module, path in command_files().items():
        for part in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(part, ast.FunctionDef) and part.name == "command":
                about = ast.get_docstring(part)
                app.command(name=module.replace("_", "-"), help=about)(lambda: None)
    return app


def _without_commands() -> typer.Typer:
    import typer

    from femnets.cli._root import root

    app = typer.Typer(
        name="femnets",
        help="When does a neural network beat a finite element, at what cost, and why does it "
        "train or fail to train?",
        pretty_exceptions_enable=False,
    )
    app.callback()(root)
    return app


def command_files() -> dict[str, Path]:
    """Return the files of the commands by name, in the order of the alphabet."""
    from pathlib import Path

    files = [path for folder in __path__ for path in Path(folder).glob("[!_]*.py")]
    return {path.stem: path for path in sorted(files, key=lambda path: path.stem)}


@functools.cache
def whole_command(app: Callable[..., Any]) -> Callable[..., Any]:
    """Return the click command with all subcommands and their options; made once."""
    import typer
    from typer.main import get_command

    return get_command(app) if isinstance(app, typer.Typer) else app


def _checked(command: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap a command: check its numbers, and return the right exit code after an interrupt.

    Done here because typer would silently exit with 130, whatever the signal was.
    """
    from bench.core.guards.sizes import check_numbers

    @functools.wraps(command)
    def with_checks(**arguments: Any) -> Any:
        check_numbers(arguments)
        try:
            return command(**arguments)
        except KeyboardInterrupt as interrupt:
            return _interrupted(interrupt)

    return with_checks


def main(argv: Sequence[str] | None = None) -> None:
    """Run the command line and exit: 0 done, 1 failed cells, 2 bad input, 130 interrupted,
    143 terminated."""
    early = _early if _early is not None else signal.pthread_sigmask(signal.SIG_BLOCK, HELD)
    from bench.core.guards import signals

    signals.install()
    signal.pthread_sigmask(signal.SIG_SETMASK, early)  # signals that came meanwhile are handled now
    from bench.core.guards.streams import forgiving

    forgiving()
    code = _flushed(invoke(argv))
    for number in HELD:  # a signal after the end must not change the exit code
        signal.signal(number, signal.SIG_IGN)
    sys.exit(code)


def invoke(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return the exit code; user errors become one line on stderr.

    It is not called `run`: importing the command of that name would replace it in this package.
    """
    from bench.core.guards.streams import guarded

    with guarded():
        return _invoked(sys.argv[1:] if argv is None else argv)


def _invoked(arguments: Sequence[str]) -> int:
    from base.errors import SHOWN

    try:
        whole = [*arguments] or ["--help"]
        asks_for_help = whole == ["--help"] and "_FEMNETS_COMPLETE" not in os.environ
        app = overview() if asks_for_help else build_app(*({whole[0]} & {*command_files()}))
        code = whole_command(app)(args=whole, standalone_mode=False)
    except KeyboardInterrupt as interrupt:
        return _interrupted(interrupt)
    except BrokenPipeError:  # the reader has closed the pipe; `_flushed` handles the rest
        return 0
    except OSError as error:
        file = f"{error.filename}: " if error.filename else ""
        return _complain(f"{file}{error.strerror or error}")
    except MemoryError as error:
        text = str(error).partition(";")[0]
        return _complain(f"not enough memory: {text or 'choose something smaller'}")
    except SHOWN as error:
        return _complain(str(error))
    except Exception as error:
        if hasattr(error, "format_message"):  # click's usage errors; typer may carry its own click
            return _complain(error.format_message(), hint=_help_hint(error))
        if type(error).__name__ == "Abort":  # click's exception for Ctrl-C at a prompt
            return _interrupted(error)
        raise
    return code if isinstance(code, int) else 0


def _interrupted(interrupt: BaseException) -> int:
    from bench.core.guards.signals import CODES, line

    number = getattr(interrupt, "number", signal.SIGINT)
    print(line(number), file=sys.stderr)
    return CODES[number]


def _flushed(code: int) -> int:
    """Flush the output and return the exit code; writing to a full disk or closed pipe fails."""
    try:
        sys.stdout.flush()
        return code
    except BrokenPipeError:  # `femnets list | head -1`: the reader needs no more
        failure = 0
    except OSError as error:
        failure = _complain(f"cannot write the output: {error.strerror}")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # otherwise Python flushes again at exit
    return failure or code


def _help_hint(error: Exception) -> str:
    context = getattr(error, "ctx", None)
    return f" (see `{context.command_path} --help`)" if context is not None else ""


def _complain(message: str, hint: str = "") -> int:
    from bench.core.guards.text import one_line

    print(f"femnets: {one_line(message)}{hint}", file=sys.stderr)
    return EXIT_BAD_INPUT
