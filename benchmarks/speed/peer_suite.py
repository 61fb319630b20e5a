"""A suite of peers that do one kind of work: files for all of them, jobs in their environments, rows."""

import argparse
import json
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.rows import record, start_run
from benchmarks.speed.matrices import cache_folder
from benchmarks.speed.peer_env import peer_python
from benchmarks.speed.summary import spread
from benchmarks.speed.systems import run_job
from benchmarks.suites.data import DataFolder
from deixis.evaluation.rows import ResultRow
from deixis.kb.knowledge_base import KnowledgeBase

Figures = dict[str, dict[str, float]]


@dataclass(frozen=True)
class System:
    """Whose runner, in whose environment (ours if None), and what it is told."""

    runner: str
    environment: str | None
    action: str
    options: Mapping[str, object] = field(default_factory=dict)


@dataclass
class PeerSuite:
    """Where a suite's files are, and what its rows say of it."""

    name: str
    folder: Path
    data: DataFolder
    settings: dict[str, Any] = field(default_factory=dict)
    gold: dict[str, set[str]] = field(default_factory=dict)
    missing: dict[str, str] = field(default_factory=dict)  # environments that cannot be made, and why

    def write(self, name: str, value: object) -> str:
        """The path of a file that holds this as JSON."""
        path = self.folder / name
        path.write_text(json.dumps(value))
        return str(path)

    def job(self, runner: str, environment: str | None, action: str, **job: object) -> dict[str, Any]:
        """What a runner reports."""
        python = Path(sys.executable) if environment is None else peer_python(environment)
        return run_job(runner, python, self.folder / runner, 1, {"action": action, **job})

    def model_of(self, kb_path: Path) -> tuple[KnowledgeBase, dict[str, str]]:
        """A list, and what all systems get of it: its names with their ids, and our model, built."""
        kb = KnowledgeBase.read(kb_path)
        names, rows = kb.names()
        keys = [kb.ids[row] for row in rows.tolist()]
        files = {
            "names": self.write("names.json", list(zip(keys, names, strict=True))),
            "model": str(self.folder / "model"),
        }
        self.job("deixis_texts", None, "build", kb=str(kb_path), model=files["model"])
        self.settings["n_names"] = len(names)
        return kb, files

    def reports(self, systems: Mapping[str, System], files: Mapping[str, str]) -> Iterator[tuple[str, dict[str, Any]]]:
        """What each system reports, in turn; of those whose environment cannot be made it is said once why."""
        for name, system in systems.items():
            environment = system.environment
            if environment in self.missing:
                continue
            try:
                if environment is not None:
                    peer_python(environment)
            except SystemExit as stopped:
                self.missing[str(environment)] = str(stopped)
                print(f"{self.name}: {name} is left out: {stopped}", file=sys.stderr)
                continue
            print(f"{self.name}: {name} ...", file=sys.stderr, flush=True)
            yield name, self.job(system.runner, environment, system.action, **system.options, **files)


def run_suite(
    name: str,
    about: str | None,
    prepare: Callable[[PeerSuite], dict[str, str]],
    measure: Callable[[PeerSuite, Mapping[str, str]], Figures],
    units: Mapping[str, str],
    main_figure: str,
    arguments: list[str] | None,
) -> int:
    """Repeat, print and record; ratios are of `main_figure`, the first system's over each other's."""
    parser = argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument(
        "--leave-out", action="append", default=[], help="environment of a peer; may be repeated [none]"
    )
    parser.add_argument("--dry-run", action="store_true", help="record nothing")
    options = parser.parse_args(arguments)
    start_run(is_recorded=not options.dry_run)
    folder = cache_folder() / name.replace("/", "-")
    folder.mkdir(parents=True, exist_ok=True)
    suite = PeerSuite(name, folder, DataFolder.choose(None, Path(__file__).resolve().parents[2]))
    suite.missing.update(dict.fromkeys(options.leave_out, "by --leave-out"))
    files = prepare(suite)
    repeats = [measure(suite, files) for _ in range(options.repeats)]
    rows = rows_of(suite, repeats, units, main_figure)
    for row in rows:
        print(
            f"{row.suite:24} {row.system:32} {row.metric:28} {row.value:>10g} {row.unit:9} [{row.low:g}, {row.high:g}]"
        )
    if not options.dry_run:
        record(rows)
    return 0


def rows_of(suite: PeerSuite, repeats: list[Figures], units: Mapping[str, str], main_figure: str) -> list[ResultRow]:
    """The median of each figure, and the ratios of the main one, repeat by repeat."""
    rows, ours = [], next(iter(repeats[0]))
    for system, figures in repeats[0].items():
        for metric in figures:
            values = [each[system][metric] for each in repeats]
            rows.append(spread(suite.name, metric, system, values, units[metric], suite.settings))
        if system != ours:
            ratios = [each[ours][main_figure] / each[system][main_figure] for each in repeats]
            ratio = {**suite.settings, "ratio": f"{main_figure} of {ours} over that of the peer"}
            rows.append(spread(suite.name, f"{main_figure}_ratio", f"{ours}/{system}", ratios, "x", ratio))
    return rows
