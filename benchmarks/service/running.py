"""What the benchmarks of the service share: a model, texts, a running `deixis serve`, and how rows are told."""

import argparse
import os
import re
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from benchmarks.rows import record, start_run
from benchmarks.speed.matrices import cache_folder
from benchmarks.speed.tasks import data_folder
from deixis.documents.reading import read_documents
from deixis.errors import ToolkitError
from deixis.evaluation.rows import ResultRow
from deixis.kb.demo import demo_sentences_path
from deixis.store.model_folder import open_model

TOKEN = "a-token-for-benchmarks"
SUITES = ("demo", "wiki468k")
MAX_LETTERS = 600


@dataclass
class Service:
    """A running service; `pid` is its supervisor's."""

    process: subprocess.Popen[str]
    port: int
    log: list[str] = field(default_factory=list)

    def workers(self) -> set[int]:
        """The processes of its workers."""
        pid = self.process.pid
        return {int(each) for each in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()}

    def memory(self) -> float:
        """Megabytes that the workers hold for themselves: not those of the mapped model, which they share."""
        held = 0
        for worker in self.workers():
            held += int(re.search(r"RssAnon:\s+(\d+)", Path(f"/proc/{worker}/status").read_text())[1])
        return held / 1024


@contextmanager
def serving(model: Path, *arguments: str, python: Path = Path(sys.executable)) -> Iterator[Service]:
    """A service of the model on a free port of this machine, ended at the end; of the version that this Python has."""
    command = [str(python), "-m", "deixis.cli", "serve", str(model), "--port", "0", *arguments]
    environment = {"DEIXIS_TOKEN": TOKEN, "OMP_NUM_THREADS": "1"}
    process = subprocess.Popen(
        [*command, "--quiet"],
        env={**os.environ, **environment},
        stderr=subprocess.PIPE,
        text=True,
    )
    service = Service(process, 0)
    rest = threading.Thread(target=lambda: service.log.extend(process.stderr), daemon=True)
    try:
        for line in process.stderr:
            service.log.append(line)
            if found := re.search(r"on http://\S+:(\d+)", line):
                service.port = int(found[1])
                break
        else:
            raise SystemExit(f"The service did not start: {service.log}")
        rest.start()
        yield service
    finally:
        process.terminate()
        process.wait(60)
        if rest.is_alive():
            rest.join()
        process.stderr.close()


def model_of(suite: str) -> Path:
    """The model of a suite, built if there is none of this version yet."""
    folder = cache_folder() / f"service-{suite}"
    try:
        open_model(folder)
    except ToolkitError:
        folder.parent.mkdir(parents=True, exist_ok=True)
        kb = ["--demo"] if suite == "demo" else [str(data_folder() / "wiki468k" / "kb.jsonl.gz")]
        subprocess.run([sys.executable, "-m", "deixis.cli", "build", *kb, "-o", str(folder)], check=True)
    return folder


def texts_of(suite: str) -> list[str]:
    """Texts to ask about: the demo's sentences, or beginnings of AIDA's training documents."""
    path = demo_sentences_path() if suite == "demo" else data_folder() / "aida" / "train.jsonl.gz"
    return [document.text[:MAX_LETTERS] for document in read_documents(path)]


def options(description: str | None, seconds: float) -> argparse.Namespace:
    """What every benchmark of the service takes."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--suite", choices=SUITES, default="wiki468k")
    parser.add_argument("--seconds", type=float, default=seconds, help="of each measurement [%(default)s]")
    parser.add_argument("--dry-run", action="store_true", help="record nothing")
    chosen = parser.parse_args()
    start_run(is_recorded=not chosen.dry_run)
    return chosen


def latencies(seconds: Sequence[float]) -> dict[str, float]:
    """The middle and the slowest hundredth, in milliseconds."""
    if not seconds:
        return {"p50": float("nan"), "p99": float("nan")}
    middle, slow = np.percentile(np.array(seconds) * 1000, [50, 99])
    return {"p50": round(float(middle), 2), "p99": round(float(slow), 2)}


def tell(rows: Sequence[ResultRow], is_dry: bool) -> None:
    """Prints the rows, and records them unless it is a dry run."""
    for row in rows:
        print(f"{row.suite:18} {row.system:24} {row.metric:28} {row.value:>12g} {row.unit}", flush=True)
    if not is_dry:
        record(rows)
