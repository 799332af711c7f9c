"""Twenty lines outside the checkout give everything that a problem of the package does."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("distributed")
HERE = Path(__file__).parent


def test_a_field_of_ones_own_all_the_way(tmp_path):
    done = subprocess.run(
        [sys.executable, str(HERE / "journey.py")],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(HERE.parent.parent)},
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode == 0, done.stdout + done.stderr[-4000:]
