"""The store keeps what was written and notices every way in which a file can be wrong."""

import json
import math
import os
import shutil
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from base.errors import UserError
from bench.cells import Cell, Result, key_of
from bench.store.files import (
    ARRAYS,
    CELL,
    SCHEMA,
    Damaged,
    decoded,
    encoded,
    sealed,
    unsealed,
)
from bench.store.folder import MARK, Missing, Store, run_path

STORY = {"seconds": 1.0}


def cell(n=1):
    return Cell("fem", {"n": n})


def put(store, n=1, **parts):
    result = Result({"l2_error": 0.25}, **parts)
    store.commit(cell(n), encoded(cell(n), result, "code", STORY))
    return store.directory("fem", cell(n).key)


def unsealed_document(directory):
    document = json.loads((directory / CELL).read_bytes())
    del document["checksum"]
    return document


@pytest.fixture
def store(tmp_path):
    store = Store.writable(tmp_path / "run")
    yield store
    store.close()


def test_what_was_written_is_read_back(store):
    curve = np.array([1.0, np.nan, -np.inf])
    put(store, arrays={"curve": curve, "file": np.arange(3)}, weights={"net": b"tensors"})
    record = store.read(cell())
    assert record.values == {"l2_error": 0.25}
    assert record.config == cell().config
    assert (record.state, record.fingerprint, record.provenance) == ("done", "code", STORY)
    np.testing.assert_array_equal(record.arrays["curve"], curve)
    np.testing.assert_array_equal(record.arrays["file"], np.arange(3))
    assert record.weights().read_bytes() == b"tensors"
    assert record.weights("other") is None


def test_arrays_are_numpys_own_format(store):
    directory = put(store, arrays={"x": np.eye(2)})
    with np.load(directory / ARRAYS, allow_pickle=False) as archive:
        np.testing.assert_array_equal(archive["x"], np.eye(2))


def test_objects_are_refused(store):
    with pytest.raises(ValueError, match="allow_pickle"):
        put(store, arrays={"x": np.array([{}], dtype=object)})


def test_a_number_that_does_not_exist_is_null(store):
    values = {"a": math.nan, "b": [math.inf, 1.0], "c": np.float64("-inf"), "d": np.int64(3)}
    store.commit(cell(), encoded(cell(), Result(values), "code", STORY))
    assert store.read(cell()).values == {"a": None, "b": [None, 1.0], "c": None, "d": 3}


def test_a_cell_never_stored_is_missing(store):
    with pytest.raises(Missing):
        store.read(cell(7))


@pytest.mark.parametrize("name", [CELL, ARRAYS, "net.safetensors"])
@pytest.mark.parametrize("fault", ["truncated", "emptied", "flipped", "removed", "longer"])
def test_a_damaged_file_is_named(store, name, fault):
    directory = put(store, arrays={"x": np.arange(100.0)}, weights={"net": bytes(200)})
    path = directory / name
    data = path.read_bytes()
    if fault == "removed":
        path.unlink()
    else:
        flipped = bytes([data[0] ^ 1]) + data[1:]
        path.write_bytes(
            {"truncated": data[:-1], "emptied": b"", "flipped": flipped, "longer": data + b"x"}[
                fault
            ]
        )
    with pytest.raises(Damaged, match=name):
        store.read(cell()).verify()


@settings(max_examples=60, deadline=None)
@given(position=st.integers(0, 10**6), bit=st.integers(0, 7))
def test_no_flipped_bit_goes_unnoticed(position, bit):
    data = bytearray(sealed({"schema": SCHEMA, "values": {"l2_error": 0.125, "name": "N0"}}))
    data[position % len(data)] ^= 1 << bit
    with pytest.raises(Damaged):
        unsealed(bytes(data), CELL)


def test_a_result_in_the_wrong_place_is_not_taken_for_another(store):
    directory = put(store, 1)
    shutil.copytree(directory, store.directory("fem", cell(2).key))
    with pytest.raises(Damaged, match="another cell"):
        store.read(cell(2))


@pytest.mark.parametrize("schema", [0, SCHEMA + 1, None])
def test_another_schema_is_refused_by_its_number(store, schema):
    directory = put(store)
    document = unsealed_document(directory)
    (directory / CELL).write_bytes(sealed({**document, "schema": schema}))
    with pytest.raises(Damaged, match=f"schema {schema}, this femnets reads {SCHEMA}"):
        store.read(cell())


def test_a_run_of_another_schema_is_refused_whole(store):
    (store.path / MARK).write_bytes(sealed({"schema": SCHEMA + 1}))
    with pytest.raises(UserError, match=f"schema {SCHEMA + 1}"):
        Store(store.path)


def test_a_copied_run_reads_the_same(store, tmp_path):
    put(store, arrays={"x": np.eye(3)})
    shutil.copytree(store.path, tmp_path / "copy")
    copied = Store(tmp_path / "copy").read(cell())
    np.testing.assert_array_equal(copied.arrays["x"], np.eye(3))


def test_a_later_result_replaces_an_earlier_one_whole(store):
    put(store, arrays={"x": np.arange(5.0)})
    directory = put(store)
    assert sorted(os.listdir(directory)) == [CELL]
    assert not list(store._scratch.glob("*-*"))


def test_a_file_in_the_place_of_a_result_is_replaced(store):
    directory = store.directory("fem", cell().key)
    directory.parent.mkdir()
    directory.write_text("not a directory")
    put(store)
    assert store.read(cell()).values == {"l2_error": 0.25}


def test_a_foreign_directory_is_refused_and_left_alone(tmp_path):
    (tmp_path / "thesis.tex").write_text("mine")
    with pytest.raises(UserError, match="not a femnets run"):
        Store.writable(tmp_path)
    assert os.listdir(tmp_path) == ["thesis.tex"]


@pytest.mark.parametrize("place", ["/proc/femnets", "a_file/run"])
def test_a_place_that_cannot_be_written_is_refused(tmp_path, monkeypatch, place):
    monkeypatch.chdir(tmp_path)
    Path("a_file").write_text("")
    with pytest.raises(UserError, match="cannot write"):
        Store.writable(Path(place))


def test_run_names():
    assert run_path("quick") == Path("runs/quick")
    assert run_path("some/where") == Path("some/where")
    with pytest.raises(UserError):
        run_path("")


def test_a_lock_excludes_a_second_one_until_it_is_given_back(store):
    other = Store.writable(store.path)
    lock = store.lock(cell())
    assert lock is not None
    assert other.lock(cell()) is None
    store.unlock(cell(), lock)
    again = other.lock(cell())
    assert again is not None
    other.unlock(cell(), again)
    other.close()


def test_what_a_dead_run_left_half_written_is_removed(store):
    left = store.path / "scratch" / "dead"
    left.mkdir()
    (left / "0-half").write_text("half")
    other = Store.writable(store.path)
    assert not left.exists()
    assert store._scratch.exists()  # of the living
    other.close()


def test_records_skips_what_is_damaged(store):
    put(store, 1)
    (put(store, 2) / CELL).write_bytes(b"")
    assert [record.config["n"] for record in store.records()] == [1]


@pytest.mark.parametrize("n", ["4", True, None, [4], 4.5, {"a": 1}])
def test_a_config_that_no_cell_has_is_damage_even_if_key_and_checksum_fit(store, n):
    """Somebody edited it and made everything else right again."""
    document = unsealed_document(put(store))
    document["config"] = document["config"] | {"n": n}
    document["key"] = key_of("fem", document["config"])
    directory = store.directory("fem", document["key"])
    directory.mkdir()
    (directory / CELL).write_bytes(sealed(document))
    damaged = []
    records = list(store.records(lambda place, fault: damaged.append(fault)))
    assert [record.config["n"] for record in records] == [1]
    assert damaged == ["cell.json: invalid value of n"]


@pytest.mark.parametrize("seconds", [-1.0, 1e300, True, "1", None])
def test_an_invalid_duration_is_damage(store, seconds):
    document = unsealed_document(put(store))
    document["provenance"]["seconds"] = seconds
    (store.directory("fem", cell().key) / CELL).write_bytes(sealed(document))
    with pytest.raises(Damaged):
        store.read(cell())


def test_the_kind_of_a_result_is_that_of_its_folder(store):
    """It becomes part of file names: `../../up` must not."""
    document = unsealed_document(put(store))
    document |= {"kind": "../../up", "key": key_of("../../up", document["config"])}
    directory = store.directory("up", document["key"])
    directory.mkdir(parents=True)
    (directory / CELL).write_bytes(sealed(document))
    assert [record.kind for record in store.records()] == ["fem"]


def test_failures_are_kept_until_the_cell_is_done(store):
    store.fail(cell(), {"reason": "raised", "error": "no"})
    assert store.failure(cell())["error"] == "no"
    put(store)
    assert store.failure(cell()) is None


def test_decoding_needs_a_directory(tmp_path):
    with pytest.raises(Damaged, match=CELL):
        decoded(tmp_path)


@pytest.mark.parametrize("part", ["scratch", "locks", "cells", "failed", "studies"])
def test_a_link_in_the_place_of_a_folder_is_refused_and_nothing_behind_it_touched(tmp_path, part):
    """A run that somebody packed: opened for writing, it would clean up what the link leads to."""
    Store.writable(tmp_path / "run").close()
    victim = tmp_path / "victim"
    (victim / "folder").mkdir(parents=True)
    (victim / "folder/notes").write_text("precious")
    (victim / "notes").write_text("precious")
    shutil.rmtree(tmp_path / "run" / part)
    (tmp_path / "run" / part).symlink_to(victim)
    with pytest.raises(UserError, match="is a symbolic link"):
        Store.writable(tmp_path / "run")
    found = sorted(str(path.relative_to(victim)) for path in victim.rglob("*"))
    assert found == ["folder", "folder/notes", "notes"]


def test_links_within_the_folders_of_a_run_are_not_followed(store, tmp_path):
    victim = tmp_path / "victim"
    victim.mkdir()
    (victim / "notes").write_text("precious")
    (store.path / "scratch/abandoned").symlink_to(victim)
    directory = put(store)
    shutil.rmtree(directory)
    directory.symlink_to(victim)
    again = Store.writable(store.path)
    put(again)
    again.close()
    assert not directory.is_symlink()
    assert store.read(cell()).values == {"l2_error": 0.25}
    (store.path / "cells/net").symlink_to(victim)
    with pytest.raises(UserError, match="is a symbolic link"):
        Store.writable(store.path)
    assert os.listdir(victim) == ["notes"]
