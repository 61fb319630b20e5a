"""What a process holds in memory while it builds: anonymous pages and all, by stage, from Linux' own counters.

Anonymous memory is what a process cannot give back; pages of mapped files are the system's cache, which it takes away
from whoever needs it least.
"""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

STATUS = Path("/proc/self/status")
INTERVAL = 0.02  # seconds between two looks
OUTSIDE = "between stages"


@dataclass
class StageUse:
    """The CPU seconds of a stage, and the most that the process held in it, in bytes."""

    cpu: float = 0.0
    anonymous: int = 0
    total: int = 0


@dataclass
class Sampler:
    """A listener of progress that looks at the memory of its process every few milliseconds.

    What it costs is part of what it measures, less than a hundredth.
    """

    stages: dict[str, StageUse] = field(default_factory=dict)
    _running: list[tuple[int, str]] = field(default_factory=list)
    _n_started: int = 0
    _cpu: float = 0.0
    _stopped: threading.Event = field(default_factory=threading.Event)

    def started(self, label: str, total: int | None) -> int:
        """Note that a stage has begun; the one around it goes on after it."""
        self._count_cpu()
        self._n_started += 1
        self._running.append((self._n_started, label))
        self._look()
        return self._n_started

    def advanced(self, task: int, n: int) -> None:
        """Nothing: how far a stage is does not matter."""

    def noted(self, task: int, text: str) -> None:
        """Nothing."""

    def finished(self, task: int) -> None:
        """Note that a stage has ended."""
        self._look()
        self._count_cpu()
        self._running = [each for each in self._running if each[0] != task]

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Look at memory for as long as the block runs."""
        self._cpu = time.process_time()
        thread = threading.Thread(target=self._watch, daemon=True)
        thread.start()
        try:
            yield
        finally:
            self._stopped.set()
            thread.join()
            self._count_cpu()

    def _watch(self) -> None:
        while not self._stopped.wait(INTERVAL):
            self._look()

    def _use(self) -> StageUse:
        running = self._running[-1:]
        return self.stages.setdefault(running[0][1] if running else OUTSIDE, StageUse())

    def _look(self) -> None:
        now, use = memory(), self._use()
        use.anonymous = max(use.anonymous, now["RssAnon"])
        use.total = max(use.total, now["VmRSS"])

    def _count_cpu(self) -> None:
        now = time.process_time()
        self._use().cpu += now - self._cpu
        self._cpu = now


def memory() -> dict[str, int]:
    """The counters of this process in bytes: `VmHWM`, `VmRSS`, `RssAnon`, `RssFile` and others."""
    fields = (line.split() for line in STATUS.read_text(encoding="ascii", errors="replace").splitlines())
    return {each[0].rstrip(":"): int(each[1]) * 1024 for each in fields if len(each) == 3 and each[2] == "kB"}
