"""Every measured number in README is a fact of the kept run or the output of a command run here.

The regions after `<!-- results: … -->` are made from docs/paper/readme.md by `make readme`, and
README itself is compared with what that writes. A number elsewhere in README is accounted for
below.
"""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from reports.article.__main__ import README as SOURCE
from reports.article.kept import Kept
from reports.article.source import REGION, plain, regions

pytest.importorskip("pyarrow")
ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
KEPT = ROOT / "docs" / "paper"
MOST_KEPT_BYTES = 5 * 10**6


def test_readme_is_what_the_kept_run_says():
    kept = Kept.read(KEPT)
    source = (KEPT / SOURCE).read_text(encoding="utf-8")
    parts = {name: plain(text, kept, SOURCE) for _, name, text, _ in REGION.findall(source)}
    assert regions(README, parts) == README, "`make readme` writes it"
    assert len(kept.facts) > 80
    assert all(fact.cells and fact.domain and fact.unit for fact in kept.facts.values())
    assert (KEPT / "results.parquet").stat().st_size <= MOST_KEPT_BYTES


def test_the_first_example_prints_what_readme_says():
    code, printed = re.search(
        r"```python run\n(.*?)```\n\n```\n(.*?)```", README, re.DOTALL
    ).groups()
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=300
    )
    assert done.stdout == printed, done.stderr


def words(text):
    return " ".join(text.split())


def _of_python():
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    return {tomllib.loads(text)["project"]["requires-python"].removeprefix(">=")}


def _of_seeds():
    from bench.store.results import FIRST_CONFIRMATORY

    return {str(FIRST_CONFIRMATORY)}


def _of_rulers():
    """Tolerances that tests have: read off their source."""
    text = "".join(path.read_text() for path in (ROOT / "tests" / "bench").glob("test_*.py"))
    return {number for number in ("1e-6", "2e-6", "1e-4") if number in text}


# Numbers of README outside the regions and outside code, by where they come from.
ACCOUNTS = (_of_python, _of_seeds, _of_rulers)
NAMES = ("N0", "N1", "BSD-3", "order 4 on", "L2")  # no results


def test_no_other_number_of_readme_is_typed_in():
    text = REGION.sub("", README)
    for part in (r"```.*?```", r"`[^`]*`", r"\]\([^)]*\)", *map(re.escape, NAMES)):
        text = re.sub(part, " ", text, flags=re.DOTALL)
    text = re.sub(r"(?<=\d) (?=\d{3}\b)", "", text)  # 10 000
    numbers = set(re.findall(r"\d+(?:\.\d+)?(?:e-?\d+)?", text))
    known = set().union(*(account() for account in ACCOUNTS))
    assert numbers <= known, f"results without an account: {sorted(numbers - known)}"


def test_the_page_of_the_reference_run_is_true(capsys):
    """Its commands can be given, and the sizes it names are the preset's."""
    from bench import studies
    from femnets.cli import invoke

    page = (KEPT / "README.md").read_text(encoding="utf-8").replace("\\\n", " ")
    commands = re.findall(r"^femnets (run .*?)(?:\s*#.*)?$", page, flags=re.MULTILINE)
    assert len(commands) == 6
    for command in commands:
        given = [word for word in command.split() if word not in ("--no-report", "--dry-run")]
        assert invoke([*given, "--dry-run"]) == 0, command
        assert "cells to compute" in capsys.readouterr().out
    text = words(page)
    tau, varied = (studies.preset(name, "paper") for name in ("learned_tau", "sensitivity"))
    assert f"are of {tau.samples} samples and {tau.evaluations} evaluations" in text
    assert f"of {varied.samples} samples and {varied.steps} steps" in text
