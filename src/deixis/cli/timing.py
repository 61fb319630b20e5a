"""Time, memory and sizes, measured and in words."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Any

PROC_STATUS = Path("/proc/self/status")


def cpu_seconds() -> float:
    """Processor time of this process so far, all threads together."""
    return time.process_time()


def peak_memory() -> int | None:
    """The most bytes this process ever held in memory; None where the system does not tell."""
    if PROC_STATUS.exists():
        # Not ru_maxrss: on Linux a process starts with what the one that called it held.
        fields = dict(line.split(":", 1) for line in PROC_STATUS.read_text().splitlines())
        return int(fields["VmHWM"].split()[0]) * 1024
    if sys.platform != "darwin":
        return None
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def folder_size(path: Path) -> int:
    """The bytes of all files below a folder."""
    return sum(file.stat().st_size for file in path.rglob("*") if file.is_file())


def model_summary(path: str, started: float, **counts: int) -> dict[str, Any]:
    """What `--json` says of a model that was made: where it is, what it holds and what it cost."""
    return {
        "model": path,
        **counts,
        "bytes": folder_size(Path(path)),
        "seconds": round(time.perf_counter() - started, 3),
        "cpu_seconds": round(cpu_seconds(), 3),
        "peak_memory_bytes": peak_memory(),
    }


def format_seconds(seconds: float) -> str:
    """A span of time as a person would say it.

    Examples
    --------
    >>> format_seconds(0.0123), format_seconds(2.34), format_seconds(75), format_seconds(3725)
    ('12 ms', '2.3 s', '1 min 15 s', '1 h 02 min')
    """
    if seconds < 0.9995:
        return f"{seconds * 1000:.0f} ms"
    if seconds < 59.95:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes} min {rest:02d} s"
    return f"{minutes // 60} h {minutes % 60:02d} min"


def format_bytes(size: float) -> str:
    """A size with three digits at most before the unit.

    Examples
    --------
    >>> format_bytes(512), format_bytes(81_300_000), format_bytes(2_450_000_000)
    ('512 B', '81 MB', '2.5 GB')
    """
    for unit in ("B", "kB", "MB", "GB"):
        if size < 1000:
            return f"{size:.1f} {unit}" if size < 9.95 and unit != "B" else f"{size:.0f} {unit}"
        size /= 1000
    return f"{size:.1f} TB"
