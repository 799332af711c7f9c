"""Arguments and options shared by several commands."""

from __future__ import annotations

from typing import Annotated

import typer

from bench.core.settings import MOST_THREADS

Run = Annotated[str, typer.Argument(help="Name under runs/, or a path.")]
Threads = Annotated[int, typer.Option(min=1, max=MOST_THREADS, help="Threads for matrix products.")]
AsJson = Annotated[bool, typer.Option("--json", help="One JSON document on stdout.")]


def use_threads(threads: int) -> None:
    """Set the number of threads of matrix products, in NumPy and torch."""
    from bench.core.threads import limit_threads

    limit_threads(threads)
    import torch

    torch.set_num_threads(threads)
