"""How many threads torch may use, for as long as a training runs."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import torch


@contextmanager
def torch_threads(n_threads: int) -> Iterator[None]:
    """`n_threads` inside the block, and before and after it what there was; 0 leaves torch its own.

    Examples
    --------
    >>> with torch_threads(2):
    ...     torch.get_num_threads()
    2
    """
    before = torch.get_num_threads()
    torch.set_num_threads(n_threads or before)
    try:
        yield
    finally:
        torch.set_num_threads(before)
