"""Results in one file, `results.parquet`, for readers without the run folder: one row per cell.

Config and values are JSON texts, whose numbers are written so that they come back to the bit.
Arrays and saved nets, a hundred times as large, are left out: the curves are in the report. The
size of a file, its rows and the text in them are bounded before anything is decoded, its columns
are those below, and a key is the hash of its kind and config.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from base.errors import UserError
from bench.cells import key_of
from bench.core.guards.output import written_whole
from bench.core.guards.reading import Unfit, json_object, plain_bytes
from bench.core.plain_values import finite
from bench.store.files import Damaged, StoredResult, check_document

if TYPE_CHECKING:
    import pyarrow

RESULTS = "results.parquet"
SUFFIX = ".parquet"
# Column and type; `environment` is a JSON text of machine and versions, `studies` has commas.
COLUMNS = {
    "run": "string", "kind": "string", "key": "string", "state": "string", "studies": "string",
    "config": "string", "values": "string", "seconds": "double", "cpu_seconds": "double",
    "other_cores": "double", "peak_bytes": "int64", "threads": "int64", "start": "string",
    "fingerprint": "string", "commit": "string", "environment": "string",
}  # fmt: skip
MEASURED = ("seconds", "cpu_seconds", "other_cores", "peak_bytes", "threads", "start", "commit")
ENVIRONMENT = ("machine", "versions")
MOST_BYTES = 2**26
MOST_ROWS = 10**6
MOST_TEXT = 2**29  # characters of all rows together: a dictionary repeats a long text for nothing


# The name of a run, the studies that contain a cell, its result.
Row = tuple[str, tuple[str, ...], StoredResult]


def write_results(path: Path, rows: Iterable[Row]) -> None:
    """Write rows sorted, so that similar rows are adjacent and compress well."""
    arrow = import_pyarrow()
    order = ("run", "kind", "config", "key")
    written = sorted((_columns(*row) for row in rows), key=lambda row: [row[c] for c in order])
    types = {"string": arrow.string(), "double": arrow.float64(), "int64": arrow.int64()}
    schema = arrow.schema([(name, types[kind]) for name, kind in COLUMNS.items()])
    with written_whole(path) as part:
        arrow.parquet.write_table(
            arrow.Table.from_pylist(written, schema),
            part,
            compression="zstd",
            compression_level=19,
            # Numbers that never repeat gain nothing from a dictionary.
            use_dictionary=["run", "kind", "state", "studies", "config", "fingerprint", "commit",
                            "environment", "threads"],
        )  # fmt: skip


def _columns(run: str, studies: tuple[str, ...], record: StoredResult) -> dict[str, Any]:
    return {
        **{name: record.provenance.get(name) for name in MEASURED},
        "run": run,
        "kind": record.kind,
        "key": record.key,
        "state": record.state,
        "studies": ",".join(studies),
        "config": _text(record.config),
        "values": _text(record.values),
        "fingerprint": record.fingerprint,
        "environment": _text({name: record.provenance.get(name, {}) for name in ENVIRONMENT}),
    }


def _text(value: Any) -> str:
    return json.dumps(finite(value), sort_keys=True, separators=(",", ":"), allow_nan=False)


def read_results(path: Path) -> list[Row]:
    """Return every row of a file, checked; raise a UserError for any other file."""
    try:
        return _checked(plain_bytes(path, MOST_BYTES), path)
    except OSError as error:
        raise UserError(f"cannot read {path}: {error.strerror or error}") from None
    except (Unfit, Damaged) as error:
        raise UserError(
            f"{path} is not a file of kept results ({error}); "
            "`femnets export RUN --to kept` writes one"
        ) from None


def _checked(data: bytes, path: Path) -> list[Row]:
    table = _table(data)
    columns = {name: _column(table[name]) for name in COLUMNS}
    text = sum(
        len(value) for column in columns.values() for value in column if isinstance(value, str)
    )
    if text > MOST_TEXT:
        raise Unfit(f"its text has more than {MOST_TEXT} characters")
    rows = (
        dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)
    )
    return [_row(row, path) for row in rows]


def _table(data: bytes) -> pyarrow.Table:
    """The table with dictionary-encoded texts, so that it is no larger than the unpacked file."""
    arrow = import_pyarrow()
    texts = [name for name, kind in COLUMNS.items() if kind == "string"]
    try:
        schema = arrow.parquet.read_schema(arrow.BufferReader(data))
        if {field.name: str(field.type) for field in schema} != COLUMNS:
            raise Unfit("its columns are not those of kept results")
        file = arrow.parquet.ParquetFile(arrow.BufferReader(data), read_dictionary=texts)
        about = file.metadata
        unpacked = sum(about.row_group(k).total_byte_size for k in range(about.num_row_groups))
        if about.num_rows > MOST_ROWS or unpacked > MOST_TEXT:
            raise Unfit(f"it has {about.num_rows} rows, {unpacked} bytes unpacked: too large")
        table = file.read(use_threads=False)
        table.validate(full=True)  # indices within their dictionary, texts in UTF-8
        return table
    except (arrow.ArrowException, OSError, KeyError, UnicodeError) as error:
        raise Unfit(f"it cannot be decoded: {type(error).__name__}") from None


def _column(column: Any) -> list[Any]:
    """The values of a column; a text that occurs in many rows is one object."""
    found: list[Any] = []
    for chunk in column.chunks:
        if hasattr(chunk, "dictionary"):
            words = [*chunk.dictionary.to_pylist(), None]
            found += [words[-1 if k is None else k] for k in chunk.indices.to_pylist()]
        else:
            found += chunk.to_pylist()
    return found


def _row(row: Mapping[str, Any], path: Path) -> Row:
    config, values, environment = (
        json_object((row[name] or "").encode()) for name in ("config", "values", "environment")
    )
    measured = {name: row[name] for name in MEASURED if row[name] is not None}
    document = {
        **{name: row[name] for name in ("kind", "key", "state", "fingerprint")},
        "config": config,
        "values": values,
        "provenance": measured | {n: environment[n] for n in ENVIRONMENT if n in environment},
        "files": {},
    }
    check_document(document)
    if row["key"] != key_of(row["kind"], config):
        raise Unfit("the key of a row is not the hash of its config")
    if row["run"] is None or row["studies"] is None:
        raise Unfit("a row names no run or no studies")
    studies = tuple(filter(None, row["studies"].split(",")))
    return row["run"], studies, StoredResult(**document, directory=path)


def import_pyarrow() -> Any:
    try:
        import pyarrow
        import pyarrow.parquet
    except ModuleNotFoundError:
        raise UserError("Parquet needs pyarrow: pip install 'femnets[export]'") from None
    return pyarrow
