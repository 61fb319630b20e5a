"""Parts of benchmarks of many documents: generated texts, and commands measured with all processes below them."""

import json
import os
import random
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from deixis.documents.reading import read_documents
from deixis.kb.demo import demo_sentences_path, read_demo
from deixis.linker import Linker

TICKS = os.sysconf("SC_CLK_TCK")
LOOK_EVERY = 0.1  # seconds between two looks at the processes
SENTENCES_EACH = 2


def build(folder: Path) -> Path:
    """The demo's model."""
    Linker.build(read_demo(), n_threads=1).save(folder)
    return folder


def write_texts(path: Path, n_documents: int, seed: int = 0) -> Path:
    """Documents of sentences drawn from the demo's."""
    draw, sentences = random.Random(seed), [each.text for each in read_documents(demo_sentences_path())]
    with path.open("w", encoding="utf-8") as stream:
        for number in range(n_documents):
            text = " ".join(draw.choices(sentences, k=SENTENCES_EACH))
            stream.write(json.dumps({"id": f"{path.stem}-{number}", "text": text}) + "\n")
    return path


def deixis(*arguments: object) -> list[str]:
    """The console command."""
    return [sys.executable, "-m", "deixis.cli", *map(str, arguments)]


@dataclass
class Measured:
    """A command while it runs, and the processor seconds of all processes below it that were seen."""

    popen: subprocess.Popen[bytes]
    begin: float = field(default_factory=time.monotonic)
    wall: float = 0.0
    _cpu: dict[int, float] = field(default_factory=dict)

    @classmethod
    def start(cls, command: list[str]) -> "Measured":
        """Starts the command; what it says is dropped."""
        return cls(subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))

    @property
    def cpu(self) -> float:
        """Processor seconds of all of them."""
        return sum(self._cpu.values())

    def processes(self) -> list[tuple[int, str]]:
        """The processes at or below the command that live, with their command lines; their time is noted."""
        parents, lives = {}, {}
        for entry in os.scandir("/proc"):
            if entry.name.isdigit():
                try:
                    fields = Path(entry.path, "stat").read_text().rpartition(")")[2].split()
                    words = Path(entry.path, "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
                except (FileNotFoundError, ProcessLookupError):
                    continue
                parents[int(entry.name)] = int(fields[1])
                lives[int(entry.name)] = ((int(fields[11]) + int(fields[12])) / TICKS, words)
        below = {pid for pid in lives if pid in self._cpu or self._is_below(pid, parents)}
        for pid in below:
            self._cpu[pid] = lives[pid][0]
        return [(pid, lives[pid][1]) for pid in sorted(below)]

    def looks(self) -> Iterator[list[tuple[int, str]]]:
        """The processes again and again, until the command has ended."""
        while self.popen.poll() is None:
            yield self.processes()
            time.sleep(LOOK_EVERY)
        self.wall = time.monotonic() - self.begin

    def finish(self) -> "Measured":
        """Waits for the end; an error of the command is one here."""
        for _ in self.looks():
            continue
        if self.popen.returncode:
            raise RuntimeError(f"{self.popen.args} ended with {self.popen.returncode}")
        return self

    def _is_below(self, pid: int, parents: dict[int, int]) -> bool:
        while pid > 1:
            if pid == self.popen.pid:
                return True
            pid = parents.get(pid, 0)
        return False
