"""The command line `femnets`: every file beside this one is a command of its name.

A command module defines `command`, a function with typer annotations, and imports what is
heavy (torch, scikit-fem, matplotlib) inside it, so that `--help`, `list` and `status` are fast.
"""

from __future__ import annotations

import importlib
import pkgutil
import sys
from collections.abc import Sequence
from typing import Annotated

import typer

from bench.plugs import install

EXIT_FAILED_CELLS = 1
EXIT_BAD_INPUT = 2
EXIT_INTERRUPTED = 130


def build_app() -> typer.Typer:
    app = typer.Typer(
        name="femnets",
        help="When does a neural network beat a finite element, at what cost, and why does it "
        "train or fail to train?",
        pretty_exceptions_enable=False,
    )

    @app.callback()
    def _root(
        version: Annotated[
            bool,
            typer.Option("--version", help="Print the version.", callback=_version, is_eager=True),
        ] = False,
    ) -> None:  # a callback keeps sub-commands even while there is only one
        pass

    for module in sorted(info.name for info in pkgutil.iter_modules(__path__)):
        if not module.startswith("_"):
            command = importlib.import_module(f"{__name__}.{module}").command
            app.command(name=module.replace("_", "-"))(command)
    return app


def _version(asked: bool) -> None:
    if asked:
        from importlib.metadata import version

        typer.echo(f"femnets {version('femnets')}")
        raise typer.Exit


def main(argv: Sequence[str] | None = None) -> None:
    """Runs the command line and exits: 0 done, 1 failed cells, 2 bad input, 130 interrupted."""
    sys.exit(invoke(argv))


def invoke(argv: Sequence[str] | None = None) -> int:
    """The one place where a user error becomes one clean line.

    Not `run`: the command of that name, once imported, would take its place in this package.
    """
    try:
        install()
        arguments = sys.argv[1:] if argv is None else argv
        code = build_app()(args=[*arguments] or ["--help"], standalone_mode=False)
    except (KeyboardInterrupt, typer.Abort):
        print("interrupted; the same command resumes", file=sys.stderr)
        return EXIT_INTERRUPTED
    except Exception as error:
        if getattr(error, "user_error", False):
            return _complain(str(error))
        if hasattr(error, "format_message"):  # click's usage errors; typer may carry its own click
            return _complain(error.format_message(), hint=_help_hint(error))
        raise
    return code if isinstance(code, int) else 0


def _help_hint(error: Exception) -> str:
    context = getattr(error, "ctx", None)
    return f" (see `{context.command_path} --help`)" if context is not None else ""


def _complain(message: str, hint: str = "") -> int:
    one_line = " ".join(message.split())
    print(f"femnets: {one_line}{hint}", file=sys.stderr)
    return EXIT_BAD_INPUT
