"""Damage to files, drawn: by a disk, by a program, by somebody who makes checksums fit."""

from __future__ import annotations

import copy
import csv
import json
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from harness import PATIENCE, invoke
from hypothesis import strategies as st

from bench.cells import key_of
from bench.store.files import SCHEMA, sealed

Draw = Callable[[st.SearchStrategy], Any]
Harms = list[tuple[str, str]]  # what was done to a file, and the name of its folder
TEXTS = st.text(max_size=20) | st.sampled_from(
    ["\x1b]0;x\x07", "\x1b[2J", "[bold]", "<b>", "nan", "idlelib.idle", "../../etc/passwd",
     "./mine.py", "resnet", "tanh", "x,f", "F16"]
)  # fmt: skip
VALUES = st.recursive(
    st.none() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=2),
    max_leaves=5,
) | st.just(json.loads("[" * 100 + "]" * 100))  # fmt: skip


def damaged(data: bytes) -> st.SearchStrategy[bytes]:
    """Bytes that are cut, flipped, overwritten or longer, or those of another file."""
    at = st.integers(0, len(data) - 1)
    noise = st.binary(min_size=1, max_size=60)
    return st.one_of(
        at.map(lambda k: data[:k]),
        at.map(lambda k: data[:k] + bytes([data[k] ^ 1 << k % 8]) + data[k + 1 :]),
        st.builds(lambda k, new: data[:k] + new + data[k + 8 :], at, noise),
        noise.map(lambda new: data + new),
        st.sampled_from([b"null", b"[]", b"{}", b"\x80\x04.", b"<html>", b"[" * 100_000]),
    )


@st.composite
def edited(draw: Draw, document: Any) -> Any:
    """JSON with one value, anywhere in it, replaced, added or removed."""
    document = place = copy.deepcopy(document)
    while True:
        keys = sorted(place) if isinstance(place, dict) else list(range(len(place)))
        key = draw(st.sampled_from([*keys, "extra"] if isinstance(place, dict) else keys))
        inner = place[key] if key in keys else None
        if isinstance(inner, dict | list) and inner and draw(st.integers(0, 3)):
            place = inner
            continue
        if key in keys and not draw(st.integers(0, 3)):
            del place[key]
        else:
            place[key] = draw(VALUES)
        return document


def harm_bytes(path: Path, draw: Draw) -> None:
    path.write_bytes(draw(damaged(path.read_bytes())))


def remove(path: Path, draw: Draw) -> None:
    path.unlink()
    if draw(st.booleans()):
        path.mkdir()


def edit(path: Path, draw: Draw) -> None:
    path.write_text(json.dumps(draw(edited(json.loads(path.read_bytes())))))


def edit_sealed(path: Path, draw: Draw) -> None:
    """Somebody edits a document and makes its checksum right again."""
    path.write_bytes(sealed(draw(edited(_unsealed(path)))))


def edit_config(path: Path, draw: Draw) -> None:
    """Somebody edits the config of a result and makes key, place and checksum fit."""
    document = _unsealed(path)
    document["config"] = draw(edited(document["config"]))
    document["key"] = key_of(document["kind"], document["config"])
    path.write_bytes(sealed(document))
    path.parent.rename(path.parent.with_name(document["key"]))


def _unsealed(path: Path) -> dict[str, Any]:
    document = json.loads(path.read_bytes())
    document.pop("checksum", None)
    return document


def edit_net(path: Path, draw: Draw) -> None:
    """Other shapes, types, places or settings, without the checksum that would give it away."""
    data = path.read_bytes()
    length = int.from_bytes(data[:8], "little")
    header = json.loads(data[8 : 8 + length])
    metadata = {**header.pop("__metadata__"), "format": "femnets net 2"}
    del metadata["checksum"]
    part = draw(st.sampled_from(("config", "about", "header")))
    if part == "header":
        header = draw(edited(header))
    else:
        metadata[part] = json.dumps(draw(edited(json.loads(metadata[part]))))
    text = json.dumps({"__metadata__": metadata, **header}).encode()
    path.write_bytes(len(text).to_bytes(8, "little") + text + data[8 + length :])


def damage_run(run: Path, draw: Draw) -> Harms:
    """Damages some files of a run, and adds a study that names modules."""
    files = [p for p in sorted(run.rglob("*")) if p.is_file() and p.stat().st_size]
    some = st.lists(st.sampled_from(files), min_size=1, max_size=4, unique_by=lambda p: p.parent)
    harms = []
    for path in draw(some):
        ways = [harm_bytes, remove]
        ways += [edit_sealed] * 2 if path.suffix == ".json" else []
        ways += [edit_config] if path.name == "cell.json" else []
        way = draw(st.sampled_from(ways))
        way(path, draw)
        harms.append((way.__name__, path.parent.name))
    if not draw(st.integers(0, 5)):
        part = run / draw(st.sampled_from(("cells", "studies", "sessions", "scratch")))
        shutil.rmtree(part, ignore_errors=True)
        part.touch()
        harms.append(("replace", part.name))
    elif draw(st.booleans()):
        cells = {"cells": [["this.x", {}]], "plugs": {}}
        plan = {"schema": SCHEMA, "study": "antigravity", "preset": "quick", "config": {}, **cells}
        (run / "studies" / "antigravity.x.json").write_bytes(sealed(plan))
    return harms


def check_run(folder: Path, draw: Draw) -> None:
    """Commands on a damaged run answer in words, import nothing and accept no wrong number."""
    run = folder / "runs/hurt"
    shutil.rmtree(run, ignore_errors=True)
    shutil.copytree(folder / "runs/whole", run)
    harms = damage_run(run, draw)
    other = draw(st.sampled_from((
        "export hurt --to parquet", "export hurt --to vtu --n 1", "export hurt --to verdicts",
        "status hurt", "compare hurt whole", "compare whole hurt --json",
        "report hurt --html --out page", "run --resume --run hurt --jobs 0 --no-report",
    )))  # fmt: skip
    terminal = draw(st.booleans())
    words = ("status hurt --json", "export hurt --to csv --out table --json", other)
    status, export, last = (invoke(w.split(), folder, PATIENCE, terminal=terminal) for w in words)
    assert not [*status.faults, *export.faults, *last.faults], harms
    assert not {"this", "antigravity"} & set(sys.modules)
    if status.code == export.code == 0 and not any(way == "replace" for way, _ in harms):
        cells = json.loads(status.out)["cells"]
        check_numbers(folder, harms, {cell["key"]: cell["state"] for cell in cells})


def check_numbers(folder: Path, harms: Harms, planned: dict[str, str]) -> None:
    """What status calls sound is exported, with the numbers as they were computed."""
    if not (folder / "true").exists():
        invoke(["export", "whole", "--to", "csv", "--out", "true"], folder, PATIENCE)
    exported, original = (keyed_rows(folder / table / "cells.csv") for table in ("table", "true"))
    sound = {key for key, state in planned.items() if state in ("done", "diverged", "stale")}
    assert sound == set(exported) & set(planned), harms
    changed = {name for way, name in harms if way == "edit_sealed"}
    if any(way == "edit_config" for way, _ in harms):  # a new cell, and nothing says otherwise
        changed |= set(exported) - set(original)
    for name in ("values.csv", "arrays.csv"):
        rows, true = (keyed_rows(folder / table / name) for table in ("table", "true"))
        wrong = [key for key in set(exported) - changed if rows.get(key) != true.get(key)]
        assert not wrong, f"wrong numbers after {harms}"


def keyed_rows(path: Path) -> dict[str, list[list[str]]]:
    """The rows of a table by cell."""
    rows: dict[str, list[list[str]]] = {}
    with open(path, newline="") as file:
        for row in csv.DictReader(file):
            rows.setdefault(row["key"], []).append(list(row.values()))
    return rows


# Single files that commands read, and how.
DOCUMENTS = {
    "net.safetensors": ("evaluate HURT --json", "prune HURT --json"),
    "saved.json": ("benchmark HURT", "benchmark --compare saved.json HURT"),
    "verdicts.json": ("compare HURT verdicts.json", "compare part HURT --json"),
    "mesh.vtu": ("fem --mesh HURT --json",),
    "mine.py": ("check HURT --json",),
}
EDITS = {".json": edit, ".safetensors": edit_net}


def check_document(folder: Path, draw: Draw) -> None:
    """Whatever is wrong with a file, a command says so in a line; a damaged net is not read."""
    name = draw(st.sampled_from(sorted(DOCUMENTS)))
    path = folder / f"hurt{Path(name).suffix}"
    whole = (folder / name).read_bytes()
    path.write_bytes(whole)
    ways = [remove, EDITS.get(path.suffix, harm_bytes), harm_bytes]
    way = remove if path.suffix == ".py" else draw(st.sampled_from(ways))  # code would be executed
    way(path, draw)
    sealed_net = path.suffix == ".safetensors" and way != edit_net
    for line in DOCUMENTS[name]:
        words = line.replace("HURT", path.name).split()
        outcome = invoke(words, folder, terminal=draw(st.booleans()))
        assert not outcome.faults, (words, way.__name__, outcome.faults)
        assert not sealed_net or outcome.code == 2 or path.read_bytes() == whole
    shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)
