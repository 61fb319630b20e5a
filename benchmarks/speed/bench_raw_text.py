"""Raw text to links, against an earlier version and against spaCy: `python -m benchmarks.speed.bench_raw_text`.

Characters per second of processor time, one thread. Every system runs in a process of its own, and they take turns:
this version, the version of an earlier commit (built from the repository's history in an environment of its own), and
on MEDIC spaCy's `EntityRuler` and `PhraseMatcher` with the same names, which find names and do not tell them apart.
The first pass begins without anything kept of earlier texts; the second reads the same texts again. Given mentions are
linked by a call each (`singles`), the same ones by one call (`together`: equal work), and all mentions of the documents
by one call (`batch`: a text is read once for all of its mentions, and a name that comes back is searched once);
likewise one name alone and a list of names. Short texts are linked by a call each, as a service does.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import sysconfig
import tempfile
import venv
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from benchmarks.rows import record, start_run
from benchmarks.speed.peer_env import can_run
from benchmarks.speed.raw_text_stages import stage_rows
from benchmarks.suites.data import DataFolder
from deixis.documents.reading import read_documents
from deixis.evaluation.rows import ResultRow

ROOT = Path(__file__).resolve().parents[2]
RUNNER = Path(__file__).resolve().parent / "peers" / "run_raw_text.py"
EARLIER = "d97a1d1"
PER_ITEM = (
    "batch", "batch_again", "together", "together_again", "singles", "singles_again",
    "names_batch", "names_batch_again", "names_singles", "names_singles_again",
)  # fmt: skip
ENVIRONMENT = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}


@dataclass(frozen=True)
class Texts:
    """A list of entities, documents and how many of them, and the peers that read them, too."""

    kb: str
    documents: str
    n_documents: int
    peers: tuple[str, ...] = ()


SUITES = {
    "medic-ncbi": Texts("medic/kb.jsonl.gz", "ncbi/dev.jsonl.gz", 100, ("spacy-entityruler", "spacy-phrasematcher")),
    "wiki468k-aida": Texts("wiki468k/kb.jsonl.gz", "aida/train.jsonl.gz", 60),
}


def main(arguments: list[str] | None = None) -> int:
    """Measure, print and record."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--suite", action="append", choices=SUITES, help="may be repeated [all]")
    parser.add_argument("--rounds", type=int, default=5, help="turns of every system [5]")
    parser.add_argument("--models", type=Path, help="folder of built models, which are kept [one that is removed]")
    parser.add_argument("--dry-run", action="store_true", help="record nothing")
    options = parser.parse_args(arguments)
    start_run(is_recorded=not options.dry_run)
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for suite in options.suite or SUITES:
            for row in measure(suite, options.models or Path(folder), options.rounds):
                rows.append(row)
                interval = "" if row.low is None else f"   {row.low:g} to {row.high:g}"
                print(
                    f"{row.suite:24} {row.system:22} {row.metric:16} {row.value:>10g} {row.unit}{interval}", flush=True
                )
    if not options.dry_run:
        record(rows)
    return 0


class Runner:
    """A system in its process, which measures on request."""

    def __init__(self, python: Path, *arguments: str) -> None:
        command = [str(python), str(RUNNER), *arguments]
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=os.environ | ENVIRONMENT
        )
        self.n_characters = int(self._answer()["characters"])

    def measure(self, what: str) -> tuple[float, int]:
        """Seconds of processor time, and what was found."""
        assert self.process.stdin is not None
        self.process.stdin.write(f"{what}\n")
        self.process.stdin.flush()
        answer = self._answer()
        return answer["cpu"], int(answer["found"])

    def _answer(self) -> dict[str, float]:
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        if not line:
            raise SystemExit(f"{self.process.args} ended with {self.process.wait()}")
        answer: dict[str, float] = json.loads(line)
        return answer

    def close(self) -> None:
        """Ends the process."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait()


def measure(suite: str, models: Path, n_rounds: int) -> Iterator[ResultRow]:
    """The rows of a list and its texts; ratios are medians over the rounds, with the least and the greatest."""
    texts, data = SUITES[suite], DataFolder.choose(None, ROOT)
    kb = data.find(texts.kb)
    documents = models / f"{suite}.jsonl"
    models.mkdir(parents=True, exist_ok=True)
    documents.write_text("".join(first_lines(data.find(texts.documents), texts.n_documents)), encoding="utf-8")
    pythons = {"deixis": Path(sys.executable), f"deixis-{EARLIER}": earlier_python(EARLIER)}
    runners = {
        name: Runner(python, "deixis", str(built(python, kb, models / f"{suite}-{name}")), str(documents))
        for name, python in pythons.items()
    }
    runners |= {name: Runner(Path(sys.executable), name, str(kb), str(documents)) for name in texts.peers}
    seconds: dict[str, list[float]] = {}
    counts: dict[str, int] = {}
    for _ in range(n_rounds):
        for name, runner in runners.items():
            for what, label in steps(name):
                cpu, counts[label] = runner.measure(what)
                seconds.setdefault(label, []).append(cpu)
    n_characters = runners["deixis"].n_characters
    for runner in runners.values():
        runner.close()
    model = built(Path(sys.executable), kb, models / f"{suite}-deixis")
    yield from stage_rows(
        f"raw-text/{suite}-stages", model, [each.with_mentions(()) for each in read_documents(documents)]
    )
    settings = {"n_documents": texts.n_documents, "documents": texts.documents, "rounds": n_rounds, "threads": 1}
    yield from rows_of(f"raw-text/{suite}", seconds, counts, n_characters, settings)


def steps(name: str) -> list[tuple[str, str]]:
    """What a system measures in one round, and under which label."""
    if name == "deixis":
        own = [*PER_ITEM, "short_texts", "short_texts_again"]
        return [("first", name), ("second", f"{name}-second-pass"), *((each, each) for each in own)]
    if name.startswith("spacy"):
        return [("second", name)]
    return [("second", name), ("short_texts", f"short_texts-{EARLIER}")]


def rows_of(
    place: str,
    seconds: Mapping[str, list[float]],
    counts: Mapping[str, int],
    n_characters: int,
    settings: Mapping[str, object],
) -> Iterator[ResultRow]:
    """Throughput of each system, and the ratios that matter."""
    for label, own in seconds.items():
        if label in PER_ITEM:
            value, unit, metric = 1e6 * statistics.median(own) / counts[label], "us", "mention_cpu"
        elif label.startswith("short_texts"):
            value, unit, metric = 1e3 * statistics.median(own) / counts[label], "ms", "text_cpu"
        else:
            value, unit, metric = n_characters / statistics.median(own), "characters/s", "throughput"
        yield ResultRow(place, metric, label, float(f"{value:.4g}"), unit, n=counts[label], settings=settings)
    pairs = [(f"deixis-{EARLIER}", new) for new in ("deixis", "deixis-second-pass")]
    spacy = [peer for peer in seconds if peer.startswith("spacy")]
    pairs += [(peer, new) for peer in spacy for new in ("deixis", "deixis-second-pass")]
    pairs += [(f"short_texts-{EARLIER}", each) for each in ("short_texts", "short_texts_again")]
    pairs += [
        (each, others)
        for each in PER_ITEM
        for others in (each.replace("singles", "batch"), each.replace("singles", "together"))
        if "singles" in each and others in PER_ITEM
    ]
    for slow, quick in pairs:
        scale = counts[quick] / counts[slow] if quick in PER_ITEM else 1.0
        ratios = [scale * a / b for a, b in zip(seconds[slow], seconds[quick], strict=True)]
        value, low, high = (float(f"{each:.3g}") for each in (statistics.median(ratios), min(ratios), max(ratios)))
        system = f"{slow}/{quick}" if quick in PER_ITEM else f"{quick}/{slow}"
        yield ResultRow(place, "ratio", system, value, "x", low=low, high=high, settings=settings)


def first_lines(path: Path, n: int) -> list[str]:
    """The first documents of a compressed file."""
    import gzip

    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return [line for _, line in zip(range(n), lines, strict=False)]


def built(python: Path, kb: Path, folder: Path) -> Path:
    """The model of a list, built by the version of Deixis that this Python has, if it is not there."""
    if not folder.exists():
        print(f"building {folder.name} ...", file=sys.stderr)
        code = "import sys; from deixis.cli.main import main; sys.exit(main())"
        command = [str(python), "-c", code, "build", str(kb), "-o", str(folder), "--threads", "1"]
        subprocess.run(command, check=True, capture_output=True)
    return folder


def earlier_python(commit: str) -> Path:
    """The Python of an environment that has Deixis as it was at a commit, with the libraries of this one."""
    folder = ROOT / f".venv-deixis-{commit}"
    python = folder / "bin" / "python"
    if python.exists() and can_run(python, "import deixis.native._core"):
        return python
    print(f"making {folder.name} ...", file=sys.stderr)
    venv.create(folder, clear=True)
    source = folder / "source"
    subprocess.run(["git", "-C", ROOT, "worktree", "prune"], check=True)
    subprocess.run(["git", "-C", ROOT, "worktree", "add", "--quiet", "--detach", source, commit], check=True)
    site = next(folder.glob("lib/python*/site-packages"))
    (site / "libraries.pth").write_text(f"{sysconfig.get_paths()['purelib']}\n", encoding="utf-8")
    command = [
        python,
        "-m",
        "pip",
        "install",
        "--quiet",
        "--no-build-isolation",
        "--no-deps",
        "--prefix",
        folder,
        source,
    ]
    subprocess.run(command, check=True)
    return python


if __name__ == "__main__":
    sys.exit(main())
