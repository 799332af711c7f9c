"""Ledgers that were kept without their cells: `verdicts.json`, read with care."""

from __future__ import annotations

from typing import Any

from base.errors import UserError
from bench.core.guards.reading import Unfit, json_object, plain_bytes

KEPT = ".json"  # a ledger that was kept without its run
VERDICT_PARTS = ("name", "status", "verdict", "standing")
MOST_VERDICTS_BYTES = 2**24


def ledger_of(name: str) -> list[dict[str, Any]]:
    """Of a kept file, or of a run."""
    from bench.claims.comparison import verdicts_of
    from bench.store.folder import Store, run_path
    from femnets.cli._damaged import sound_records

    if not name.endswith(KEPT):
        return verdicts_of(sound_records(Store(run_path(name))))
    try:
        document = json_object(plain_bytes(name, MOST_VERDICTS_BYTES, follow=True))
        entries: list[dict[str, Any]] = document["verdicts"]
        for entry in entries:
            if not all(isinstance(entry[part], str) for part in VERDICT_PARTS):
                raise Unfit("holds something else than verdicts")
    except OSError as error:
        raise UserError(f"cannot read {name}: {error.strerror}") from None
    except (ValueError, KeyError, TypeError):
        raise UserError(
            f"{name} is no file of verdicts; `femnets export RUN --to verdicts` writes one"
        ) from None
    return entries
