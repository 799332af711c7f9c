"""Work split into pieces for a few threads.

The compiled kernels and numpy release the interpreter lock, so plain Python threads use the cores;
unlike numba's own threading layers they survive a fork and leave every sum in a fixed order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import islice, pairwise
from typing import TypeVar

Piece = TypeVar("Piece")
Result = TypeVar("Result")


def each(
    work: Callable[[Piece], Result], pieces: Iterable[Piece], threads: int = 1
) -> Iterator[Result]:
    """work(piece) in the order of the pieces, at most 2·threads results waiting at a time."""
    if threads == 1:
        yield from map(work, pieces)
        return
    with ThreadPoolExecutor(threads) as pool:
        rest = iter(pieces)
        waiting: list[Future[Result]] = [
            pool.submit(work, piece) for piece in islice(rest, 2 * threads)
        ]
        while waiting:
            done = waiting.pop(0)
            yield done.result()
            waiting += [pool.submit(work, piece) for piece in islice(rest, 1)]


def ranges(size: int, pieces: int) -> list[tuple[int, int]]:
    """0..size cut into at most `pieces` intervals of nearly equal length."""
    count = max(1, min(size, pieces))
    cuts = [size * k // count for k in range(count + 1)]
    return list(pairwise(cuts))
