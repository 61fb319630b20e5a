"""Numbers that all workers of a service see: each writes a row of its own, anyone reads the sums.

A row outlives its worker, so that counts do not go back when one is replaced.
"""

from __future__ import annotations

import time
from multiprocessing.sharedctypes import RawArray

import numpy as np
from numpy.typing import NDArray

N_COLUMNS = 4096
RELOAD_REQUESTED, CORRECTION_REQUESTED, LOADED, CORRECTED, FAILED, ALIVE, N_OWN = range(7)
"""The first columns of who writes the row: when it last asked that the model folder be loaded anew, and that new
corrections be learned; up to which askings it has done so, or failed to, all by a clock that never goes back and that
all processes of a machine share; and 1 from when it is started until it ends or is found dead, however slow it is."""


class SharedState:
    """A table of shared numbers, a row for each worker and a last one for the supervisor; processes get it as it is.

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
        """The row of a worker, to write to; -1 is the supervisor's."""
        own: NDArray[np.float64] = self._table[worker]
        return own

    def sums(self) -> NDArray[np.float64]:
        """Every column over all workers."""
        total: NDArray[np.float64] = self._table.sum(axis=0)
        return total

    def request(self, what: int, worker: int = -1) -> float:
        """Requests that every worker reload the folder (`RELOAD_REQUESTED`) or the corrections (`CORRECTION_REQUESTED`).

        Returns the time of the request, for `n_behind`. Each requester has its own row, so that of two simultaneous
        requests neither is lost.
        """
        now = time.monotonic()
        self._table[worker, what] = now
        return now

    def requested_at(self, what: int) -> float:
        """When that was last asked for by anyone; 0 if never."""
        return float(self._table[:, what].max())

    def n_behind(self, loaded: float = 0.0, corrected: float = 0.0) -> int:
        """Workers alive that have not loaded since the one time, or learned since the other, nor failed to."""
        table = self._table[: self.n_workers]
        is_behind = (np.maximum(table[:, LOADED], table[:, FAILED]) < loaded) | (
            np.maximum(table[:, CORRECTED], table[:, FAILED]) < corrected
        )
        return int(((table[:, ALIVE] > 0) & is_behind).sum())

    def n_failed(self, requested_at: float) -> int:
        """Workers alive that could not load what was asked for then, and have not loaded anything since."""
        table = self._table[: self.n_workers]
        has_failed = (table[:, FAILED] >= requested_at) & (table[:, FAILED] > table[:, LOADED])
        return int(((table[:, ALIVE] > 0) & has_failed).sum())

    @property
    def n_loaded(self) -> int:
        """Workers that have loaded their model at least once."""
        return int((self._table[: self.n_workers, LOADED] > 0).sum())
