"""The number of threads of numerical libraries.

Most read it from the environment when they are loaded; for libraries that are loaded already, as
NumPy is when a command parses its options, threadpoolctl sets it. On a busy machine a second
thread of OpenBLAS made small products seven times as expensive.
"""

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
    """Use one thread in this process, as workers do; call it before NumPy is imported."""
    os.environ.update(thread_environment(1))


def limit_threads(threads: int) -> None:
    """Set the number of threads for libraries loaded already and later."""
    os.environ.update(thread_environment(threads))
    from threadpoolctl import threadpool_limits

    threadpool_limits(limits=threads)
