"""`python -m faultlab.drive RUN CELLS JOBS`: the run loop without the command line around it."""

import io
import sys
from pathlib import Path

from bench.runner.in_process import InProcess
from bench.runner.interrupt import Interrupt
from bench.runner.local_processes import LocalProcesses
from bench.runner.progress import RunView
from bench.runner.resume import run_cells
from bench.store.folder import Store
from bench.store.survey import survey
from bench.studies import plan


def main(run: str, cells: str, jobs: str) -> None:
    settings = {"faultlab.study": {"cells": int(cells), "floats": 500}}
    plans = plan(["faultlab.study"], "quick", settings)
    store = Store.writable(Path(run))
    store.plan(plans[0].study, plans[0].document())
    wanted = [s.cell for s in survey(store, plans, verify=True) if s.wants_computing]
    engine = LocalProcesses(int(jobs), 2**33) if int(jobs) else InProcess()
    run_cells(wanted, store, engine, RunView(wanted, io.StringIO()), Interrupt())
    store.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
