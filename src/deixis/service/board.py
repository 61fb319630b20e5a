"""Numbers that all workers of a service see: each writes a row of its own, anyone reads the sums.

A row outlives its worker, so that counts do not go back when one is replaced.
"""

from __future__ import annotations

import time
from multiprocessing.sharedctypes import RawArray

import numpy as np
from numpy.typing import NDArray

N_COLUMNS = 4096
ASKED, LOADED, FAILED, ALIVE, N_OWN = range(5)
"""The first columns: when a reload was asked for (in row 0), up to which asking the worker has loaded or failed to, and
when it was last alive."""
MAX_SILENCE = 2.0  # seconds after which a worker counts as gone


class Board:
    """A table of shared numbers, a row for each worker; it is handed to worker processes as it is.

    Examples
    --------
    >>> board = Board(n_workers=2)
    >>> board.row(0)[10], board.row(1)[10] = 1, 2
    >>> float(board.sums()[10])
    3.0
    """

    def __init__(self, n_workers: int = 1) -> None:
        self.n_workers = n_workers
        self._memory = RawArray("d", n_workers * N_COLUMNS)

    @property
    def _table(self) -> NDArray[np.float64]:
        return np.frombuffer(self._memory, dtype=np.float64).reshape(self.n_workers, N_COLUMNS)

    def row(self, worker: int) -> NDArray[np.float64]:
        """The row of a worker, to write to."""
        own: NDArray[np.float64] = self._table[worker]
        return own

    def sums(self) -> NDArray[np.float64]:
        """Every column over all workers."""
        total: NDArray[np.float64] = self._table.sum(axis=0)
        return total

    def ask_reload(self) -> float:
        """Has every worker load anew; gives the time of asking, for `n_behind`."""
        asked = time.time()
        self._table[0, ASKED] = asked
        return asked

    @property
    def asked(self) -> float:
        """When a reload was last asked for; 0 if never."""
        return float(self._table[0, ASKED])

    def n_behind(self, asked: float) -> int:
        """Workers alive that have neither loaded nor failed to since then."""
        table = self._table
        is_alive = table[:, ALIVE] > time.time() - MAX_SILENCE
        is_behind = np.maximum(table[:, LOADED], table[:, FAILED]) < asked
        return int((is_alive & is_behind).sum())

    @property
    def n_loaded(self) -> int:
        """Workers that have loaded their model at least once."""
        return int((self._table[:, LOADED] > 0).sum())
