"""A field of one's own, all the way: check, elements, nets, solve, report, VTU, a kill, two
workers, a Dask cluster. `python journey.py` does it with the femnets of that Python, in an empty
folder: the tests with the checkout, `make package` with the wheel.
"""

import contextlib
import io
import json
import os
import signal
import socket
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from femnets.cli import invoke

MINE = '''"""u = (sin x2, sin x3, sin x1), and a coefficient that varies."""
import numpy as np
from femnets import Problem

def u(x):
    return np.sin(np.stack([x[1], x[2], x[0]]))

def curl_u(x):
    return -np.cos(np.stack([x[2], x[0], x[1]]))

def phi(x):
    return 1 + x[0] ** 2 / 2

def grad_phi(x):
    return np.stack([x[0], 0 * x[0], 0 * x[0]])

def f(x):  # grad phi x curl u + phi curl curl u, and curl curl u = u
    return np.cross(grad_phi(x), curl_u(x), axis=0) + phi(x) * u(x)

PROBLEM = Problem(name="mine", title="sines", u=u, curl_u=curl_u, f=f, phi=phi, grad_phi=grad_phi)
'''
DIPOLE = '''"""The vector potential m × d/|d|³ of a dipole m at the point A, d = x − A."""
import numpy as np
from femnets import Problem

A, M = np.array([-1.3, 0.5, 0.5]), np.array([0.0, 0.6, 0.8])

def parts(x):
    shape = (3,) + (1,) * (np.ndim(x) - 1)
    d, m = x - A.reshape(shape), M.reshape(shape) + 0 * x
    return d, m, np.sqrt((d**2).sum(0))

def u(x):
    d, m, r = parts(x)
    return np.cross(m, d, axis=0) / r**3

def curl_u(x):
    d, m, r = parts(x)
    return 3 * (m * d).sum(0) * d / r**5 - m / r**3

def phi(x):
    return 1 + x[0] / 2 + x[1] * x[2] / 4

def grad_phi(x):
    return np.stack([0.5 + 0 * x[0], x[2] / 4, x[1] / 4])

def f(x):  # curl curl u = 0
    return np.cross(grad_phi(x), curl_u(x), axis=0)

TITLE = "the vector potential of a dipole"
PROBLEM = Problem(name="dipole", title=TITLE, u=u, curl_u=curl_u, f=f, phi=phi, grad_phi=grad_phi)
'''
FEMNETS = [sys.executable, "-m", "femnets"]
SMALL = [
    "convergence.n=1,2", "elements.n0=1", "elements.hex_n0=1", "elements.n1=1,2",
    "elements.orders=1-2", "training.steps=3",
    "training.samples=50", "training.width=5", "training.seeds=0", "training.taus=learned",
    "baselines.methods=linear", "baselines.features=x",
]  # fmt: skip
STUDIES = ["baselines", "convergence", "elements", "training"]
RUN = ["run", *STUDIES, "--problem", "./mine.py", *(w for s in SMALL for w in ("--set", s))]


@dataclass
class Done:
    stdout: str
    stderr: str


def femnets(*arguments: str, expect: int = 0, fresh: bool = False) -> Done:
    """The command within this process, or in a `fresh` one that knows nothing of the file."""
    if fresh:
        done = subprocess.run([*FEMNETS, *arguments], capture_output=True, text=True, timeout=300)
        code, found = done.returncode, Done(done.stdout, done.stderr)
    else:
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = invoke(arguments)
        found = Done(out.getvalue(), err.getvalue())
    assert code == expect, f"{arguments}: {found.stdout[-2000:]} {found.stderr[-4000:]}"
    return found


def checked() -> None:
    """Right formulas pass; a wrong sign is named before anything runs."""
    Path("mine.py").write_text(MINE, encoding="utf-8")
    assert len(MINE.splitlines()) <= 20
    assert "curl u: agrees" in femnets("check", "./mine.py").stdout
    Path("wrong.py").write_text(MINE.replace("return -np.cos", "return np.cos"), encoding="utf-8")
    said = femnets("run", "--problem", "./wrong.py", "--run", "wrong", expect=2).stderr
    assert "curl u: curl_u and the curl of u differ" in said, said
    assert "its sign is wrong" in said, said
    assert not Path("runs").exists()


def killed_and_resumed() -> None:
    """On two local workers; the run goes on where the killed one stopped, in this process."""
    run = subprocess.Popen(
        [*FEMNETS, *RUN, "--run", "mine", "--jobs", "2", "--no-report"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    finished = Path("runs/mine/cells")
    while not list(finished.glob("*/*/cell.json")):
        assert run.poll() is None, "ended before the first cell was done"
        time.sleep(0.05)
    os.killpg(run.pid, signal.SIGKILL)
    run.wait()
    before = {path: path.stat().st_mtime_ns for path in finished.glob("*/*/cell.json")}
    again = (*RUN, "--run", "mine", "--jobs", "0", "--no-report", "--json")
    done = json.loads(femnets(*again).stdout)
    assert done["counts"]["done"] == sum(done["counts"].values()) > len(before)
    assert all(path.stat().st_mtime_ns == stamp for path, stamp in before.items()), "computed twice"


def reported() -> None:
    """A page about the problem and nothing else; no code is needed for it."""
    Path("mine.py").rename("elsewhere.py")
    try:
        found = json.loads(femnets("status", "mine", "--json", fresh=True).stdout)
        document = femnets("report", "mine", "--html", "--json", fresh=True).stdout
        page = Path(json.loads(document)["files"][0])
    finally:
        Path("elsewhere.py").rename("mine.py")
    assert found["counts"]["missing"] == found["counts"]["stale"] == 0
    text = page.read_text(encoding="utf-8")
    assert "not testable" not in text
    shown = ("sines", "a coefficient that varies", "N₁ tetrahedra", "p-version", "DenseNet")
    for words in ("What this report is about", *shown):
        assert words in text, words


def exported() -> None:
    """VTU files, once the file is named again."""
    said = femnets("export", "mine", "--to", "vtu", "--n", "2", expect=2, fresh=True).stderr
    assert "--plug ./mine.py" in said
    files = femnets("export", "mine", "--to", "vtu", "--n", "2", "--plug", "./mine.py").stdout
    assert all(Path(line).stat().st_size > 500 for line in files.splitlines())
    manifest = json.loads(Path(files.splitlines()[-1]).read_text(encoding="utf-8"))
    assert {entry["kind"] for entry in manifest.values()} == {"fem", "net"}
    femnets("fem", "--problem", "./mine.py", "--n", "1", "--solve", "--vtu", "field.vtu")
    assert Path("field.vtu").stat().st_size > 500


def given_the_equation() -> None:
    """A net that never sees u, on the same problem."""
    small = ["--hidden", "1", "--width", "4", "--points", "60", "--steps", "3", "--json"]
    words = ["train", "--track", "solve", "--problem", "./mine.py", "--activation", "tanh", *small]
    found = json.loads(femnets(*words).stdout)
    assert found["l2_error"] > 0
    assert set(found["residual"]) >= {"equation", "boundary"}


def on_a_cluster() -> None:
    """The file travels to Dask workers that have never seen it; the numbers are the same."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    dask = [sys.executable, "-m", "dask"]
    address = f"tcp://127.0.0.1:{port}"
    commands = [
        ["scheduler", "--host", "127.0.0.1", "--port", str(port), "--no-dashboard"],
        ["worker", address, "--nthreads", "1", "--no-nanny", "--no-dashboard"],
    ]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "cwd": "/"}
    started = [subprocess.Popen([*dask, *words], **quiet) for words in commands]  # type: ignore[call-overload]
    few = ["--problem", "./mine.py", "--set", "n=1,2", "--no-report", "--json"]
    try:
        done = femnets("run", "convergence", *few, "--run", "far", "--scheduler", address)
    finally:
        for process in started:
            process.kill()
            process.wait()
    assert json.loads(done.stdout)["counts"]["done"] == 2
    for far in Path("runs/far/cells/fem").glob("*/cell.json"):
        near = Path("runs/mine/cells/fem") / far.parent.name / "cell.json"
        a, b = (json.loads(path.read_bytes())["values"]["l2_error"] for path in (far, near))
        assert a == b


def main() -> None:
    parts = (
        checked, killed_and_resumed, reported, exported, given_the_equation, on_a_cluster,
    )  # fmt: skip
    for part in parts:
        start = time.perf_counter()
        part()
        print(f"{part.__name__}: {time.perf_counter() - start:.1f} s", flush=True)


if __name__ == "__main__":
    main()
