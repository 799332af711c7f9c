"""What may happen to a file: by a disk, by a program, by somebody who means it."""

from __future__ import annotations

import io
import json
import os
import random
import shutil
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np

from bench.cells import key_of
from bench.store.files import SCHEMA, checksum, sealed

Harm = Callable[[Path, random.Random], None]


def flip(path: Path, draw: random.Random) -> None:
    data = bytearray(path.read_bytes())
    for _ in range(draw.choice((1, 1, 1, 3, 20))):
        data[draw.randrange(len(data))] ^= 1 << draw.randrange(8)
    path.write_bytes(data)


def truncate(path: Path, draw: random.Random) -> None:
    data = path.read_bytes()
    path.write_bytes(data[: draw.randrange(len(data))])


def empty(path: Path, draw: random.Random) -> None:
    path.write_bytes(b"")


def overwrite(path: Path, draw: random.Random) -> None:
    data = path.read_bytes()
    at = draw.randrange(len(data))
    path.write_bytes(data[:at] + draw.randbytes(draw.randrange(1, 64)) + data[at + 8 :])


def lengthen(path: Path, draw: random.Random) -> None:
    path.write_bytes(path.read_bytes() + draw.randbytes(draw.randrange(1, 50)))


def remove(path: Path, draw: random.Random) -> None:
    path.unlink()


def pipe(path: Path, draw: random.Random) -> None:
    path.unlink()
    os.mkfifo(path)


def loop(path: Path, draw: random.Random) -> None:
    path.unlink()
    path.symlink_to(path.name)


def link_away(path: Path, draw: random.Random) -> None:
    path.unlink()
    path.symlink_to("/etc/passwd")


def link_out(path: Path) -> None:
    """To a folder of somebody's, with something in it that must stay."""
    path.symlink_to(witness(path))


def witness(path: Path) -> Path:
    """The folder beside the run's that no command has any business in."""
    folder = path.parent.parent / "precious"
    (folder / "inner").mkdir(parents=True, exist_ok=True)
    for name in ("notes", "inner/notes"):
        (folder / name).write_text("precious")
    return folder


def directory(path: Path, draw: random.Random) -> None:
    path.unlink()
    path.mkdir()


def giant(path: Path, draw: random.Random) -> None:
    with open(path, "ab") as file:
        file.truncate(2**40)


def text(path: Path, draw: random.Random) -> None:
    path.write_bytes(draw.choice([b"null", b"[]", b"{}", b"\x80\x04.", b"<html>", b"[" * 100_000]))


DISK: tuple[Harm, ...] = (flip, flip, flip, truncate, empty, overwrite, lengthen, remove)
PLACE: tuple[Harm, ...] = (pipe, loop, link_away, directory, giant, text)


def odd_value(draw: random.Random) -> object:
    return draw.choice(
        [None, True, -1, 0, 10**30, 1e308, "text", "\x1b]0;x\x07", "[bold]", "<b>", [], {},
         [1, [2]], {"a": {"b": 1}}, "nan", ["x"] * 5, "idlelib.idle", "../../etc/passwd",
         "\x1b[2J", 1e-300, 1e300, -0.5, "./mine.py", 2**62]
    )  # fmt: skip


def reseal(path: Path, draw: random.Random) -> None:
    """Somebody edits a document, or nests it deeply, and makes the checksum right again."""
    document = json.loads(path.read_bytes())
    document.pop("checksum", None)
    place = document
    while isinstance(place, dict) and place:
        key = draw.choice(sorted(place))
        if isinstance(place[key], dict) and place[key] and draw.random() < 0.7:
            place = place[key]
            continue
        if draw.random() < 0.3:
            del place[key]
        else:
            place[key] = odd_value(draw)
        break
    if draw.random() < 0.1:
        nested: object = 1
        for _ in range(100):
            nested = [nested]
        document["values"] = {"deep": nested}
    path.write_bytes(sealed(document))


def rekey(path: Path, draw: random.Random) -> None:
    """Somebody edits the config of a result, or its kind, and makes key, place and checksum fit."""
    document = json.loads(path.read_bytes())
    document.pop("checksum", None)
    config = document["config"]
    name = draw.choice([*sorted(config), "extra"])
    if draw.random() < 0.2:
        config.pop(name, None)
    else:
        config[name] = odd_value(draw)
    if draw.random() < 0.15:
        document["kind"] = draw.choice(("unknown", "../../up", "net", "fem", "idlelib.idle"))
    document["key"] = key_of(document["kind"], config)
    target = path.parent.parent.parent / document["kind"].replace("/", "_") / document["key"]
    if target != path.parent:
        target.parent.mkdir(exist_ok=True)
        path.parent.rename(target)
    (target / path.name).write_bytes(sealed(document))


def hostile_arrays(path: Path, draw: random.Random) -> None:
    """An archive that is pickled, explodes or lies about its size, with its checksum made right."""
    buffer = io.BytesIO()
    choice = draw.randrange(4)
    if choice == 0:
        np.savez(buffer, x=np.array([{"a": 1}], dtype=object))
    elif choice == 1:
        np.savez_compressed(buffer, x=np.zeros(2_000_000))
    else:
        header = io.BytesIO()
        shape = (10**12,) if choice == 2 else (-1,)
        claim = {"descr": "<f8", "fortran_order": False, "shape": shape}
        np.lib.format.write_array_header_1_0(header, claim)
        with zipfile.ZipFile(buffer, "w") as archive:
            archive.writestr("x.npy", header.getvalue() + bytes(64))
    path.write_bytes(buffer.getvalue())
    cell = path.parent / "cell.json"
    document = json.loads(cell.read_bytes())
    document.pop("checksum", None)
    data = path.read_bytes()
    document["files"][path.name] = {"bytes": len(data), "checksum": checksum(data)}
    cell.write_bytes(sealed(document))


def harm_run(run: Path, draw: random.Random, times: int) -> list[str]:
    """Harms some files of a run; says how."""
    done = []
    for _ in range(times):
        files = [p for p in sorted(run.rglob("*")) if p.is_file() and not p.is_symlink()]
        files = [p for p in files if p.stat().st_size and "export" not in p.parts]
        if not files:
            break
        path = draw.choice(files)
        ways: list[Harm] = [*DISK, *PLACE]
        if path.suffix == ".json":
            ways += [reseal] * 6
        if path.name == "cell.json":
            ways += [rekey] * 3
        if path.name == "arrays.npz":
            ways += [hostile_arrays] * 4
        if path.stat().st_size > 2**30:
            continue
        harm = draw.choice(ways)
        try:
            harm(path, draw)
        except (
            ValueError,
            OSError,
            KeyError,
            TypeError,
            RecursionError,
        ):  # harmed before beyond recognition
            continue
        done.append(f"{harm.__name__} {path.relative_to(run)}")
    if draw.random() < 0.15:
        name = draw.choice(("idlelib.idle", "antigravity", "..", "a b", "[x]", "\x1b[2J", "this"))
        body = {"schema": SCHEMA, "study": name, "preset": "quick", "config": {}}
        (run / "studies" / f"{name}.json").write_bytes(sealed(body))
        done.append(f"study {name!r}")
    if draw.random() < 0.1:
        for part in draw.sample(("cells", "studies", "failed", "sessions", "locks", "scratch"), 1):
            if (run / part).is_dir():
                shutil.rmtree(run / part)
                draw.choice((Path.touch, lambda p: p.symlink_to(p.name), os.mkfifo, link_out))(
                    run / part
                )
                done.append(f"replaced {part}")
    return done
