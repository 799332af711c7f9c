"""Tries the wheel as a stranger would: in an environment of its own, in an empty folder.

    python tests/outside/try_wheel.py dist

The environment has the wheel alone; what femnets depends on is lent by the calling environment (a
path file names its packages, without its editable installs), so nothing is fetched.
"""

import subprocess
import sys
import sysconfig
import tarfile
import tempfile
import zipfile
from pathlib import Path

HERE = Path(__file__).parent
NEEDED = (
    "reports/py.typed",
    "reports/templates/page.html",
    "femnets/py.typed",
    "femnets/templates/problem.txt",
    "femnets/__init__.py",
)


def main(dist: Path) -> None:
    (wheel,) = dist.glob("femnets-*.whl")
    (sdist,) = dist.glob("femnets-*.tar.gz")
    contents(wheel, sdist)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        python = environment(folder / "venv", wheel)
        empty = folder / "empty"
        empty.mkdir()
        where = said(python, empty, "-c", "import femnets, reports; print(reports.__file__)")
        assert str(folder) in where, f"not the wheel: {where}"
        version = said(python, empty, "-m", "femnets", "--version").split()[1]
        assert version == wheel.name.split("-")[1], version
        command = python.with_name("femnets")
        run = ["run", "convergence", "--set", "n=1,2", "--run", "try", "--jobs", "1"]
        subprocess.run([command, *run], cwd=empty, check=True, capture_output=True)
        subprocess.run([command, "report", "try"], cwd=empty, check=True, capture_output=True)
        assert (empty / "runs/try/report.pdf").stat().st_size > 10_000
        journey = empty / "journey"
        journey.mkdir()
        subprocess.run([python, HERE / "journey.py"], cwd=journey, check=True)
        own = empty / "own"
        own.mkdir()
        subprocess.run([python, HERE / "own_journey.py"], cwd=own, check=True)
    print(f"{wheel} and {sdist} are sound")


def contents(wheel: Path, sdist: Path) -> None:
    """What the report and `femnets new` need is in both; tests are in the sdist only."""
    with zipfile.ZipFile(wheel) as archive, tarfile.open(sdist) as source:
        inside = archive.namelist()
        packed = [name.partition("/")[2] for name in source.getnames()]
    for name in NEEDED:
        assert name in inside, f"{name} is not in the wheel"
        assert name in packed, f"{name} is not in the sdist"
    assert not [name for name in inside if name.startswith(("tests/", "docs/"))]


def environment(path: Path, wheel: Path) -> Path:
    """A fresh environment with the wheel; its Python."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", path], check=True)
    python = path / "bin" / "python"
    site = said(python, path, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))")
    lent = [p for p in sys.path if p.endswith("site-packages")]
    Path(site, "lent.pth").write_text("\n".join(lent) + "\n")
    pip = [sys.executable, "-m", "pip", "--python", str(python)]
    options = ["--quiet", "--no-deps", "--no-index", "--disable-pip-version-check"]
    subprocess.run([*pip, "install", *options, "--force-reinstall", str(wheel)], check=True)
    return python


def said(python: Path, folder: Path, *words: str) -> str:
    done = subprocess.run([python, *words], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


if __name__ == "__main__":
    assert sysconfig.get_path("purelib")
    main(Path(sys.argv[1]).resolve())
