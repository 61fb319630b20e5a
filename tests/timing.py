"""Processor time of a call, as little disturbed as can be by other work on the machine and in the process."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable


def cpu_seconds(call: Callable[[], object], repeats: int = 5, enough: float = 0.0) -> float:
    """The best of a few runs; less than `enough` needs no further run to be below it.

    After a slower run, what other tests left behind is not looked through any more while the call allocates.
    """
    seconds: list[float] = []
    while len(seconds) < repeats:
        begin = time.process_time()
        call()
        seconds.append(time.process_time() - begin)
        if seconds[-1] < enough:
            break
        gc.collect()
        gc.freeze()  # for good: thawed, the objects of all modules would be looked through by every later collection
    return min(seconds)
