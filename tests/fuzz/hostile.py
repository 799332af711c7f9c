"""Commands on runs and saved nets that something has happened to."""

from __future__ import annotations

import csv
import json
import random
import shutil
from pathlib import Path

from damage import DISK, PLACE, empty, harm_run, remove, truncate, witness
from harness import Outcome, copied, invoke

RESEALING = ("reseal", "hostile_arrays", "rekey")
PATIENCE = 600.0  # seconds: on a busy machine a report takes minutes, and a pipe for ever


def harmed_run(folder: Path, draw: random.Random) -> tuple[list[str], list[Outcome]]:
    """Harms a copy of the whole run, then looks at it in every way; faults are in the outcomes."""
    run = folder / "runs/hurt"
    shutil.rmtree(run, ignore_errors=True)
    copied(folder / "runs/whole", run)
    done = harm_run(run, draw, draw.choice((1, 1, 2, 4, 8)))
    ways = [
        ["status", "hurt", "--json"],
        ["export", "hurt", "--to", "csv", "--out", "table", "--json"],
        ["compare", "whole", "hurt", "--json"],
    ]
    if draw.random() < 0.3:
        ways.append(["status", "hurt"])
        ways.append(["compare", "hurt", "whole"])
    if draw.random() < 0.15:
        ways.append(["report", "hurt", "--html", "--out", "page"])
    if draw.random() < 0.2:
        to = draw.choice(("parquet", "vtu", "vtu", "verdicts"))
        ways.append(["export", "hurt", "--to", to, "--n", "1"])
    if draw.random() < 0.2:
        ways.append(["run", "--resume", "--run", "hurt", "--jobs", "0", "--no-report"])
    precious = witness(run / "cells")
    terminal = draw.random() < 0.3
    found = [invoke(words, folder, PATIENCE, terminal=terminal) for words in ways]
    found[0].faults += tuple(disagreements(folder, done, found[0], found[1]))
    left = sorted(str(path.relative_to(precious)) for path in precious.rglob("*"))
    if left != ["inner", "inner/notes", "notes"]:
        found[-1].faults += (f"outside the run there is now {left}",)
    return done, found


def disagreements(folder: Path, done: list[str], status: Outcome, export: Outcome) -> list[str]:
    """Between what status calls sound and what is exported, and with the numbers as computed."""
    if status.code or export.code or any("replaced" in how for how in done):
        return []
    planned = {c["key"]: c["state"] for c in json.loads(status.out)["cells"]}
    exported = _values(folder / "table")
    sound = {key for key, state in planned.items() if state in ("done", "diverged", "stale")}
    faults = []
    if sound != set(exported) & set(planned):
        faults.append(f"status and export disagree on {sound ^ (set(exported) & set(planned))}")
    edited = {Path(how.split(" ", 1)[1]).parent.name for how in done if how.startswith(RESEALING)}
    original = truth(folder)
    if any(how.startswith("rekey") for how in done):  # a cell of its own, and nobody knows better
        edited |= set(exported) - set(original)
    for key, values in exported.items():
        if key not in edited and values != original.get(key):
            faults.append(f"wrong numbers of cell {key} were accepted")
    return faults


_truth: dict[Path, dict[str, list[tuple[str, ...]]]] = {}


def truth(folder: Path) -> dict[str, list[tuple[str, ...]]]:
    if folder not in _truth:
        assert not invoke(
            ["export", "whole", "--to", "csv", "--out", "truth"], folder, PATIENCE
        ).code
        _truth[folder] = _values(folder / "truth")
    return _truth[folder]


def _values(table: Path) -> dict[str, list[tuple[str, ...]]]:
    """Values and arrays by cell, as text."""
    found: dict[str, list[tuple[str, ...]]] = {}
    with open(table / "cells.csv", newline="") as file:
        for row in csv.DictReader(file):
            found[row["key"]] = []
    for name in ("values.csv", "arrays.csv"):
        with open(table / name, newline="") as file:
            for row in csv.DictReader(file):
                found[row["key"]].append(tuple(row.values()))
    return found


def harmed_net(folder: Path, draw: random.Random) -> tuple[list[str], list[Outcome]]:
    """Harms a copy of the saved net, then measures and prunes it."""
    path = folder / "hurt.safetensors"
    if path.is_dir():
        path.rmdir()
    path.unlink(missing_ok=True)
    whole = (folder / "net.safetensors").read_bytes()
    path.write_bytes(whole)
    edits = draw.random() < 0.4
    harm = draw.choice([edit_header, edit_config]) if edits else draw.choice([*DISK, *PLACE])
    harm(path, draw)
    ways = [["evaluate", path.name, "--json"]]
    if draw.random() < 0.3:
        ways.append(["prune", path.name, "--json"])
    found = [invoke(words, folder, PATIENCE) for words in ways]
    if not edits:
        same = path.is_file() and path.stat().st_size < 10**6 and path.read_bytes() == whole
        for each in found:
            if each.code == 0 and not same:
                each.faults += ("a harmed net was taken",)
    return [harm.__name__], found


# Files without a seal that commands read, and how: what is wrong with them is one line.
DOCUMENTS: dict[str, tuple[tuple[str, ...], ...]] = {
    "saved.json": (("benchmark", "HURT"), ("benchmark", "--compare", "saved.json", "HURT")),
    "verdicts.json": (("compare", "HURT", "verdicts.json"), ("compare", "part", "HURT", "--json")),
    "text.toml": (("run", "--config", "HURT", "--dry-run", "--run", "none", "--json"),),
    "mesh.vtu": (("fem", "--mesh", "HURT", "--json"),),
    "mine.py": (("check", "HURT", "--json"),),
}


def harmed_document(folder: Path, draw: random.Random) -> tuple[list[str], list[Outcome]]:
    """Harms a copy of such a file, then reads it."""
    name = draw.choice(sorted(DOCUMENTS))
    path = folder / f"hurt{Path(name).suffix}"
    path.write_bytes((folder / name).read_bytes())
    ways = [*DISK, *PLACE, *([edit_json] * 12 if name.endswith(".json") else [])]
    if name.endswith(".py"):  # to execute what somebody wrote is what was asked for
        ways = [truncate, empty, remove, *PLACE]
    harm, terminal = draw.choice(ways), draw.random() < 0.5
    harm(path, draw)
    found = [
        invoke([word.replace("HURT", path.name) for word in words], folder, terminal=terminal)
        for words in DOCUMENTS[name]
    ]
    # Hypothesis reads the files of all modules when it draws, and would wait for a fifo for ever.
    if path.is_dir() and not path.is_symlink():
        path.rmdir()
    else:
        path.unlink(missing_ok=True)
    return [f"{harm.__name__} {name}"], found


def edit_json(path: Path, draw: random.Random) -> None:
    """Another value, or none, at some place."""
    from damage import odd_value

    document = place = json.loads(path.read_bytes())
    while True:
        keys = sorted(place) if isinstance(place, dict) else list(range(len(place)))
        key = draw.choice(keys)
        if isinstance(place[key], dict | list) and place[key] and draw.random() < 0.8:
            place = place[key]
            continue
        if draw.random() < 0.2:
            del place[key]
        else:
            place[key] = odd_value(draw)
        break
    path.write_text(json.dumps(document))


def edit_header(path: Path, draw: random.Random) -> None:
    """Other shapes, types and places, without the checksum that would give it away."""
    from damage import odd_value

    header, rest = _without_checksum(path)
    name = draw.choice([key for key in header if key != "__metadata__"])
    what = draw.choice(("shape", "dtype", "data_offsets"))
    header[name][what] = draw.choice(
        [[1], [-1, 3], [10**18], [0], [2**63, 2], "F16", "I64", [0, 8], [8, 0], odd_value(draw)]
    )
    if draw.random() < 0.2:
        header[draw.choice(("extra", name + "0"))] = header.pop(name)
    _write(path, header, rest)


def edit_config(path: Path, draw: random.Random) -> None:
    from damage import odd_value

    header, rest = _without_checksum(path)
    part = draw.choice(("config", "config", "about"))
    document = json.loads(header["__metadata__"][part])
    for _ in range(draw.choice((1, 1, 2))):
        key = draw.choice([*sorted(document), "extra"])
        document[key] = draw.choice(
            [odd_value(draw), 10**9, 0.5, "x,f", "resnet", "tanh", 2, [3, 3]]
        )
    header["__metadata__"][part] = draw.choice([json.dumps(document)] * 9 + ["[" * 9999])
    _write(path, header, rest)


def _without_checksum(path: Path) -> tuple[dict, bytes]:
    data = path.read_bytes()
    length = int.from_bytes(data[:8], "little")
    header = json.loads(data[8 : 8 + length])
    header["__metadata__"]["format"] = "femnets net 2"
    del header["__metadata__"]["checksum"]
    return header, data[8 + length :]


def _write(path: Path, header: dict, rest: bytes) -> None:
    text = json.dumps(header).encode()
    path.write_bytes(len(text).to_bytes(8, "little") + text + rest)
