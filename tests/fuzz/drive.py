"""Kills, damage and partial reports, without pytest: `python tests/fuzz/drive.py kills 200`.

A failure prints what was drawn, made as small as possible.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from hypothesis import HealthCheck, given, seed, settings
from hypothesis import strategies as st

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent.parent)]

from bench.core.threads import use_one_thread  # noqa: E402

use_one_thread()

from damage import check_document, check_run  # noqa: E402
from kills import check_kill  # noqa: E402
from playground import ATLAS, computed, make  # noqa: E402
from subsets import check_subset  # noqa: E402

from reports.context import Run  # noqa: E402

CHECKS = {"kills": [check_kill], "damage": [check_run, check_document], "subsets": [check_subset]}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=CHECKS)
    parser.add_argument("count", type=int)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--run", type=Path, help="subsets: a finished run to take cells from")
    options = parser.parse_args()
    many = settings(max_examples=options.count, deadline=None, suppress_health_check=HealthCheck)
    with tempfile.TemporaryDirectory(prefix="fuzz-") as name:
        place = make(Path(name) / "work")
        if options.what == "subsets":
            place = Run.read(options.run or computed(place, "atlas", ATLAS))
        for check in CHECKS[options.what]:
            drawn = given(st.data())(lambda data, check=check: check(place, data.draw))
            many(seed(options.seed)(drawn))()
            print(f"{check.__name__}: {options.count} without a fault")


if __name__ == "__main__":
    main()
