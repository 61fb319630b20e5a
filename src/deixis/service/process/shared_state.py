"""Numbers that all workers of a service see: each writes a row of its own, anyone reads the sums.

A row outlives its worker, so that counts do not go back when one is replaced.
"""

from __future__ import annotations

import time
from multiprocessing.sharedctypes import RawArray

import numpy as np
from numpy.typing import NDArray

N_COLUMNS = 4096
ASKED, TOLD, LOADED, LEARNED, FAILED, ALIVE, N_OWN = range(7)
"""The first columns of who writes the row: when it last asked that the model folder be loaded anew, and that new
corrections be learned; up to which askings it has done so, or failed to, all by a clock that never goes back and that
all processes of a machine share; and 1 from when it is started until it ends or is found dead, however slow it is."""


class Board:
    """A table of shared numbers, a row for each worker and a last one for the supervisor; processes get it as it is.

    Examples
    --------
    >>> board = Board(n_workers=2)
    >>> board.row(0)[10], board.row(1)[10] = 1, 2
    >>> float(board.sums()[10])
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

    def ask(self, what: int, worker: int = -1) -> float:
        """Has every worker load the folder (`ASKED`) or learn (`TOLD`) anew; gives the time of asking, for `n_behind`.

        Each asks in a row of its own: of two that ask at once, neither is lost.
        """
        now = time.monotonic()
        self._table[worker, what] = now
        return now

    def asked(self, what: int) -> float:
        """When that was last asked for by anyone; 0 if never."""
        return float(self._table[:, what].max())

    def n_behind(self, loaded: float = 0.0, learned: float = 0.0) -> int:
        """Workers alive that have not loaded since the one time, or learned since the other, nor failed to."""
        table = self._table[: self.n_workers]
        is_behind = (np.maximum(table[:, LOADED], table[:, FAILED]) < loaded) | (
            np.maximum(table[:, LEARNED], table[:, FAILED]) < learned
        )
        return int(((table[:, ALIVE] > 0) & is_behind).sum())

    def n_failed(self, asked: float) -> int:
        """Workers alive that could not load what was asked for then, and have not loaded anything since."""
        table = self._table[: self.n_workers]
        has_failed = (table[:, FAILED] >= asked) & (table[:, FAILED] > table[:, LOADED])
        return int(((table[:, ALIVE] > 0) & has_failed).sum())

    @property
    def n_loaded(self) -> int:
        """Workers that have loaded their model at least once."""
        return int((self._table[: self.n_workers, LOADED] > 0).sum())
