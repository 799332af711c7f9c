"""Kills, damage and partial reports, without pytest: `python tests/fuzz/drive.py kills 200`.

A failure prints what was drawn, made as small as possible.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import hypothesis
from hypothesis import strategies as st

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent.parent)]

from bench.core.threads import use_one_thread  # noqa: E402

use_one_thread()

from damage import check_document, check_run  # noqa: E402
from kills import check_kill  # noqa: E402
from playground import ATLAS, computed, make  # noqa: E402
from subsets import check_subset  # noqa: E402

CHECKS = {"kills": [check_kill], "damage": [check_run, check_document], "subsets": [check_subset]}


def settings(examples: int) -> hypothesis.settings:
    """So many examples, however slow they are."""
    return hypothesis.settings(
        max_examples=examples,
        deadline=None,
        database=None,
        suppress_health_check=list(hypothesis.HealthCheck),
    )


def repeat(check: Callable[..., None], place: Path, examples: int, seed: int | None = None) -> None:
    """Checks so many examples, drawn one after the other."""
    drawn = hypothesis.given(st.data())(lambda data: check(place, data.draw))
    settings(examples)(drawn if seed is None else hypothesis.seed(seed)(drawn))()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=CHECKS)
    parser.add_argument("count", type=int)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--run", type=Path, help="subsets: a finished run to take cells from")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="fuzz-") as name:
        place = make(Path(name) / "work")
        if options.what == "subsets":
            place = options.run or computed(place, "atlas", ATLAS)
        for check in CHECKS[options.what]:
            repeat(check, place, options.count, options.seed)
            print(f"{check.__name__}: {options.count} without a fault")


if __name__ == "__main__":
    main()
