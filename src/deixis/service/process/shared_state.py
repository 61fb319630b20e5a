"""Numbers shared by all workers of a service: each writes its own row, anyone reads the sums.

A row outlives its worker, so that counters do not decrease when a worker is replaced.
"""

from __future__ import annotations

import time
from multiprocessing.sharedctypes import RawArray

import numpy as np
from numpy.typing import NDArray

N_COLUMNS = 4096
RELOAD_REQUESTED, LOADED, FAILED, ALIVE, N_OWN = range(5)
"""The first columns of a row: when its worker last requested a reload of the folder; up to which request it has
reloaded it, or failed to; and 1 from its start until it ends or is seen to be dead. Times are those of the monotonic
clock, which the processes of a machine share."""


class SharedState:
    """A table in shared memory with one row per worker, and a last row for the supervisor.

    Examples
    --------
    >>> shared = SharedState(n_workers=2)
    >>> shared.row(0)[10], shared.row(1)[10] = 1, 2
    >>> float(shared.sums()[10])
    3.0
    """

    def __init__(self, n_workers: int = 1) -> None:
        self.n_workers = n_workers
        self._memory = RawArray("d", (n_workers + 1) * N_COLUMNS)

    @property
    def _table(self) -> NDArray[np.float64]:
        return np.frombuffer(self._memory, dtype=np.float64).reshape(self.n_workers + 1, N_COLUMNS)

    def row(self, worker: int) -> NDArray[np.float64]:
        """The row of a worker, writable; -1 is the supervisor's."""
        own: NDArray[np.float64] = self._table[worker]
        return own

    def sums(self) -> NDArray[np.float64]:
        """The sum of every column over all rows."""
        total: NDArray[np.float64] = self._table.sum(axis=0)
        return total

    def request(self, what: int, worker: int = -1) -> float:
        """Requests something of all workers: a reload of the folder (`RELOAD_REQUESTED`).

        Returns the time of the request, for `n_behind`. Each requester has its own row, so that of two simultaneous
        requests neither is lost.
        """
        now = time.monotonic()
        self._table[worker, what] = now
        return now

    def requested_at(self, what: int) -> float:
        """The time of the last request by anyone; 0 if there was none."""
        return float(self._table[:, what].max())

    def n_behind(self, loaded: float) -> int:
        """The number of live workers that have neither reloaded since this time nor failed to."""
        table = self._table[: self.n_workers]
        is_behind = np.maximum(table[:, LOADED], table[:, FAILED]) < loaded
        return int(((table[:, ALIVE] > 0) & is_behind).sum())

    def n_failed(self, requested_at: float) -> int:
        """The number of live workers whose reload at that time failed, and that have not loaded since."""
        table = self._table[: self.n_workers]
        has_failed = (table[:, FAILED] >= requested_at) & (table[:, FAILED] > table[:, LOADED])
        return int(((table[:, ALIVE] > 0) & has_failed).sum())

    @property
    def n_loaded(self) -> int:
        """The number of workers that have loaded their model at least once."""
        return int((self._table[: self.n_workers, LOADED] > 0).sum())
