"""Commands, settings, the result schema and the notebook as pages, written from the code itself."""

from __future__ import annotations

import dataclasses
import importlib
import inspect
import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any


def write(folder: Path, notebook: Path) -> None:
    """All pages; a file is touched only if its text is new, so that Sphinx reads only those."""
    folder.mkdir(exist_ok=True)
    pages = {
        "commands": commands(),
        "settings": settings(),
        "results": results(),
        "api": api(),
        "first_hour": as_page(notebook),
    }
    for name, lines in pages.items():
        path, text = folder / f"{name}.md", "\n".join(lines) + "\n"
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")


def commands() -> Iterator[str]:
    """Every command with its arguments and options, as typer knows them."""
    import typer

    from femnets.cli import build_app

    yield from ("# Commands", "", "Every command also has `--help`. Exit codes: 0 done, 1 a run")
    yield from ("had failed cells, 2 bad input, 130 interrupted, 143 terminated.", "")
    group = typer.main.get_command(build_app())
    for name, command in sorted(group.commands.items()):  # type: ignore[attr-defined]
        yield from (f"## femnets {name}", "", _plain(command.help or ""), "")
        rows = [_option(parameter) for parameter in command.params]
        yield from _table(("option", "meaning"), rows)


def _option(parameter: Any) -> tuple[str, str]:
    names = parameter.opts if parameter.param_type_name == "option" else [parameter.name.upper()]
    return ", ".join(f"`{name}`" for name in names), _plain(getattr(parameter, "help", "") or "")


def settings() -> Iterator[str]:
    """The settings of studies by preset, and of kinds of cells."""
    from bench import cells, studies
    from bench.core.settings import about, types_of
    from femnets.cli.list import settings as study_settings

    yield from ("# Settings", "", "## Studies", "")
    yield from ("`femnets run STUDY --set NAME=VALUE`; `femnets list STUDY` says the same.", "")
    for study in studies.names():
        module = studies.load(study)
        yield from (f"### {study}", "", _plain(studies.title(study)), "")
        rows = [
            (f"`{row['name']}`", _type(row["type"]), *map(_shown, row["presets"].values()))
            for row in study_settings(module)
        ]
        yield from _table(("setting", "type", *module.PRESETS), rows)
    yield from ("## Kinds of cells", "", "The `config` of a result, by kind.", "")
    for kind in cells.kinds():
        config = cells.load_kind(kind).Config
        yield from (f"### {kind}", "")
        rows = [
            (
                f"`{field.name}`",
                _type(types_of(config)[field.name]),
                "must be given" if field.default is dataclasses.MISSING else _shown(field.default),
                _plain(about(config, field.name).help),
            )
            for field in dataclasses.fields(config)
        ]
        yield from _table(("setting", "type", "default", "meaning"), rows)


def results() -> Iterator[str]:
    """The files of a run, from the docstrings of the store."""
    from bench.cells import Result
    from bench.store import files, folder, tables

    yield from ("# Results on disk", "", f"Schema {files.SCHEMA}. A run is a folder:", "")
    yield from _quoted(folder.__doc__ or "")
    yield from ("## A result", "", _plain(_rest(files.__doc__ or "")), "")
    yield from (_plain(Result.__doc__ or ""), "")
    rows = [(f"`{f.name}`", str(f.type)) for f in dataclasses.fields(files.StoredResult)]
    yield from _table(("key of cell.json", "type"), rows)
    yield from (
        "## Tables",
        "",
        "`femnets export RUN --to csv|parquet` and `femnets.load(RUN)`:",
        "",
    )
    yield from _quoted(tables.__doc__ or "")


# What users import: what a package exports, further classes, and the classes of what is returned.
PACKAGES = ("femnets", "nets", "fem", "reports")
FURTHER = {
    "femnets": ("bench.store.run.Run",),
    "nets": (
        "nets.optimizers.SSBFGS",
        "nets.optimizers.SSBroyden",
        "nets.optimizers.LM",
        "nets.module.Network",
        "nets.gradients.recorder.GradientHistory",
        "nets.laboratory.study.GradientStudy",
        "nets.laboratory.diagnosis.Diagnosis",
        "nets.laboratory.trials.Trial",
    ),
}


def public_names() -> dict[str, list[str]]:
    """Return the dotted names of everything public by package; what two export, once."""
    found: dict[str, list[str]] = {}
    seen: set[int] = set()
    for package in PACKAGES:
        module = importlib.import_module(package)
        names = [name for name in module.__all__ if not name.startswith("_")]
        fresh = [name for name in names if id(getattr(module, name)) not in seen]
        seen |= {id(getattr(module, name)) for name in fresh}
        found[package] = [f"{package}.{name}" for name in fresh]
        found[package] += FURTHER.get(package, ())
    return found


def api() -> Iterator[str]:
    """Every public function and class with types and docstring, by autodoc."""
    yield from ("# Python reference", "", "Everything public, by package. What two packages export")
    yield from ("is listed under the first of them.", "")
    for package, names in public_names().items():
        about = inspect.getdoc(importlib.import_module(package)) or ""
        yield from (f"## {package}", "", _plain(about.partition("\n\n")[0]), "")
        for name in names:
            home, _, attribute = name.rpartition(".")
            thing = getattr(importlib.import_module(home), attribute)
            kind = "autoclass" if inspect.isclass(thing) else "autofunction"
            yield from ("```{eval-rst}", f".. {kind}:: {name}")
            yield from ("   :members:", "```", "") if kind == "autoclass" else ("```", "")


def make_rst(lines: list[str]) -> None:
    """Turn a docstring of plain text into reStructuredText, in place.

    Words between backticks become code; a paragraph with an indented line is shown as it is.
    """
    made: list[str] = []
    for paragraph in re.split(r"\n\s*\n", "\n".join(lines).rstrip()):
        rows = paragraph.splitlines()
        if any(row.startswith((" ", "- ")) for row in rows):
            made += ["::", "", *(f"    {row}" for row in rows), ""]
            continue
        parts = re.split(r"`([^`]+)`", " ".join(rows))
        words = [re.sub(r"([*|_\\`])", r"\\\1", part) for part in parts[::2]]
        code = [f" ``{part}``\\ " for part in parts[1::2]]
        text = "".join(w + c for w, c in zip(words, [*code, ""], strict=True))
        made += [text.strip().removesuffix("\\"), ""]
    lines[:] = made


def as_page(notebook: Path) -> Iterator[str]:
    """The notebook's cells in Markdown."""
    for cell in json.loads(notebook.read_text(encoding="utf-8"))["cells"]:
        text = "".join(cell["source"])
        yield text if cell["cell_type"] == "markdown" else f"```python\n{text}\n```"
        yield ""


def _table(header: Iterable[str], rows: Iterable[Iterable[str]]) -> Iterator[str]:
    head = list(header)
    yield "| " + " | ".join(head) + " |"
    yield "|" + "---|" * len(head)
    for row in rows:
        yield "| " + " | ".join(cell.replace("|", "\\|") or " " for cell in row) + " |"
    yield ""


def _quoted(text: str) -> Iterator[str]:
    yield from ("```", *text.strip().splitlines(), "```", "")


def _rest(text: str) -> str:
    return text.strip().partition("\n\n")[2]


def _plain(text: str) -> str:
    """One line that Markdown leaves alone."""
    return " ".join(text.replace("\\[", "[").replace("<", "&lt;").replace("*", "\\*").split())


def _type(declared: Any) -> str:
    """`a list of int`, without the grammar of lists."""
    return str(declared).removeprefix("of type ").partition(" (")[0]


def _shown(value: Any) -> str:
    if isinstance(value, tuple) and not value:
        return "none"
    if isinstance(value, tuple):
        text = ",".join(map(str, value))
        return f"`{text}`" if len(text) < 60 else f"`{text[:50]}…` ({len(value)})"
    return "" if value is None or value == "" else f"`{value}`"
