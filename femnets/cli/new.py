"""`femnets new`: writes a small commented plugin file to start from."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated, Literal

import typer

from base.errors import UserError
from femnets.cli._output import show_json

TEMPLATES = Path(__file__).parent.parent / "templates"


def command(
    kind: Annotated[
        Literal["problem", "net", "optimizer", "study"], typer.Argument(help="What to write.")
    ],
    name: Annotated[str, typer.Argument(help="Its name: NAME.py is written to this folder.")],
    json_output: Annotated[bool, typer.Option("--json", help="One JSON document.")] = False,
) -> None:
    """Write a plugin file that works as it is, to be changed into your own."""
    from bench.store.files import write_whole

    if not re.fullmatch(r"[A-Za-z_]\w*", name):
        raise UserError(f"{name!r} is not a valid module name; use letters, digits and _")
    path = Path(f"{name}.py")
    if path.exists():
        raise UserError(f"{path} exists; choose another name")
    text = (TEMPLATES / f"{kind}.txt").read_text(encoding="utf-8").replace("NAME", name)
    try:
        write_whole(path, text.encode())
    except OSError as error:
        raise UserError(f"cannot write {path}: {error.strerror}") from None
    if json_output:
        show_json({"file": str(path), "kind": kind})
        return
    typer.echo(f"{path}\nnext:")
    for line in re.findall(r"^ {4}(femnets .*)$", text, flags=re.MULTILINE):
        typer.echo(f"  {line}")
