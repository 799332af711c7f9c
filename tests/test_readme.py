"""README tells the truth: every block tagged `run` is executed, and its commands succeed.

A block opened with ```bash run or ```python run is run in an empty directory, in order; the other
blocks (the two make commands, which would call this test, and runs of many minutes) are not.
"""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```(bash|python) run\n(.*?)```", README, flags=re.DOTALL)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """One directory for all blocks: a later one may use what an earlier one made."""
    path = tmp_path_factory.mktemp("readme")
    scripts = path / "bin"
    scripts.mkdir()
    femnets = scripts / "femnets"
    femnets.write_text(f"#!{sys.executable}\nfrom femnets.cli import main\nmain()\n")
    femnets.chmod(0o755)
    return path


@pytest.mark.parametrize(
    ("language", "text"), BLOCKS, ids=[f"{k}-{b[0]}" for k, b in enumerate(BLOCKS)]
)
def test_block_runs(folder, language, text):
    if language == "bash":
        command = ["bash", "-euo", "pipefail", "-c", text]
    else:
        command = [sys.executable, "-c", text]
    environment = {
        "PATH": f"{folder / 'bin'}:/usr/bin:/bin",
        "PYTHONPATH": str(ROOT),
        "HOME": str(folder),
    }
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=900
    )
    assert done.returncode == 0, done.stderr[-2000:]


def test_links_and_pictures_exist():
    for target in re.findall(r"\]\(([^)#:]+)\)", README):
        assert (ROOT / target).exists(), target
