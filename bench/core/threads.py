"""How many threads numerical libraries use.

Most decide it by the environment when they are loaded; those that are loaded already, as NumPy is
by the time a command knows its options, are set by threadpoolctl. On a busy machine a second
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
    """Makes this process compute as a worker does; call it before NumPy is imported."""
    os.environ.update(thread_environment(1))


def limit_threads(threads: int) -> None:
    """So many threads of matrix products from now on, in libraries loaded before and after."""
    os.environ.update(thread_environment(threads))
    from threadpoolctl import threadpool_limits

    threadpool_limits(limits=threads)
