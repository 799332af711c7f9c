"""How many threads numerical libraries use: decided by the environment when they are imported."""

import os

VARIABLES = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
    "NUMBA_NUM_THREADS",
)


def thread_environment(threads: int) -> dict[str, str]:
    return {variable: str(threads) for variable in VARIABLES}


def use_one_thread() -> None:
    """Makes this process compute as a worker does; call it before NumPy is imported."""
    os.environ.update(thread_environment(1))
