"""Moves modules, their tests and data as a table says, and rewrites every name of them.

    python tools/move_modules.py tools/moves.tsv --commit              every room, a commit each
    python tools/move_modules.py tools/moves.tsv --room kb             one room, left in the working tree

The table has three columns. `move`: a module or a folder gets another dotted name. `merge`: a module joins another one
(or several make a new one); where top-level names would clash it only moves beside it, and that is said. `file`: a test
or a data file gets another path. Tests follow their modules without a row: `tests/unit` mirrors `src/deixis`.
A module or a test that the table does not name stays where it is, or goes along with its folder.
"""

from __future__ import annotations

import argparse
import csv
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tools.contracts import with_source_modules
from tools.joined_modules import clashes, joined
from tools.long_lines import wrap_long_lines

ROOT = Path(__file__).resolve().parents[1]
LEFT_ALONE = ("benchmarks/results/", "tools/move_modules.py", "tools/moves.tsv")
TEXTS = {".py", ".pyi", ".md", ".toml", ".yaml", ".yml", ".cpp", ".hpp", ".json", ".txt", ".sh", ""}
LAYERS = """
    cli
    bench
    service | integrations
    linking | labelling | reports
    detection | candidates | ranking | decision
    neural
    xmr
    labelled
    encoders
    features | nearest | kb | documents | evaluation | learners
    native | store
    registry | progress | config | tables | gold
    types | errors
"""
FOLDERS = {
    "deixis.candidates.sources": "Where candidates come from: one module per source.",
    "deixis.cli.commands": "The commands, one module each.",
    "deixis.decision": "Ranked candidates to probabilities: how sure a link is.",
    "deixis.documents.formats.bioc": "BioC, as JSON and as XML.",
    "deixis.documents.formats.nif": "NIF: documents and links in Turtle.",
    "deixis.evaluation.labels": "Figures of rankings of labels.",
    "deixis.evaluation.linking": "Figures of linked mentions.",
    "deixis.evaluation.statistics": "Intervals, draws and tests that every figure shares.",
    "deixis.integrations.spacy": "The spaCy component `deixis`.",
    "deixis.kb.checking": "What is odd about a knowledge base file, before anything is built from it.",
    "deixis.learners": "Small linear learners: arrays in, weights out, the same bytes every time.",
    "deixis.neural.bi_encoder": "Mentions and entities as vectors: the bi-encoder and its training.",
    "deixis.neural.cross_encoder": "A mention and a candidate read together: the cross-encoder and its training.",
    "deixis.neural.elias": "ELIAS: an index of clusters and labels learned with its encoder.",
    "deixis.neural.one_vs_all": "One classifier per label, on an encoder that is learned with them.",
    "deixis.neural.reader": "The reader: finds and links the mentions of a passage in one go (BEER²).",
    "deixis.ranking.rerankers": "Re-rankers: another look at the best candidates.",
    "deixis.service.api": "Our own JSON over HTTP: its schema and its routes.",
    "deixis.service.dialects.reconciliation": "The reconciliation API of OpenRefine.",
    "deixis.service.dialects.spotlight": "The API of DBpedia Spotlight.",
    "deixis.service.process": "What runs the service: processes, queues, logs, limits.",
}
"""The docstrings of the folders that are new."""

WORDS = {
    "`alias_names`": "`weighted_names`",
    "`name_search`": "`sources/names`",
    "`fusion_training`": "`learners/listwise`",
    "behind one interface (`protocols`)": "behind one interface (`protocol`)",
}
"""Modules that docstrings name by their last word."""

DOTTED = re.compile(r"(?<![\w.\x00])deixis(?:\.\w+)+")
FROM_IMPORT = re.compile(
    r"(?P<indent>[ \t]*)from (?P<module>deixis[\w.]*) import (?P<names>\([^()]*\)|[\w ,]+)(?P<rest>[^\n]*)"
)
PATH = re.compile(r"(?<![\w./-])(?P<before>(?:src/)?(?:deixis/)?)(?P<path>(?:\w+/)+\w+)(?P<suffix>\.py)?(?![\w/-])")
PARENTS = re.compile(r"(__file__\)(?:\.resolve\(\))?\.parents\[)(\d+)\]")


@dataclass(frozen=True)
class Row:
    """A line of the table."""

    old: str
    kind: str
    new: str

    @property
    def room(self) -> str:
        """The room that it moves out of."""
        parts = self.old.split(".") if self.kind != "file" else Path(self.old).parts[2:]
        return parts[1] if self.kind != "file" else parts[0]


def tracked() -> list[Path]:
    """Every file that git knows, below the root."""
    names = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return [Path(name) for name in names.split("\0") if name]


def module_of(path: Path) -> str:
    """The dotted name of a file below `src`."""
    parts = path.relative_to("src").with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


class Plan:
    """Old and new names of everything that moves in one run."""

    def __init__(self, rows: Iterable[Row]) -> None:
        rows = list(rows)
        self.modules: dict[str, Path] = {}
        self.data: dict[Path, Path] = {}
        self.tests: dict[Path, Path] = {}
        self.files = {path for path in tracked() if (ROOT / path).exists()}
        self.sources = {module_of(path): path for path in self.files if path.parts[0] == "src" and path.suffix == ".py"}
        self.names = {row.old: row.new for row in rows if row.kind in ("move", "merge") and row.old in self.sources}
        for row in rows:
            gone = row.old not in self.sources if row.kind != "file" else Path(row.old) not in self.files
            if gone:
                print(f"not there, passed over: {row.old}")
        self._settle_clashes([row for row in rows if row.kind == "merge" and row.old in self.names])
        after = {self.renamed(module) for module in self.sources}
        self.packages = {name.rpartition(".")[0] for name in after}
        self.packages |= {self.renamed(old) for old, path in self.sources.items() if path.name == "__init__.py"}
        self.modules = {module: self._file(self.renamed(module)) for module in self.sources}
        self.modules = {
            module: path for module, path in self.modules.items() if path != self.sources[module]
        }  # also those that only become a folder, or go along with one
        self.data = {Path(row.old): Path(row.new) for row in rows if row.kind == "file" and Path(row.old) in self.files}
        self.tests = self._tests()

    def renamed(self, dotted: str) -> str:
        """The new name of a module, or of what is inside one."""
        parts = dotted.split(".")
        for n in range(len(parts), 1, -1):
            if (start := ".".join(parts[:n])) in self.names:
                return ".".join([self.names[start], *parts[n:]])
        return dotted

    def parts_of(self) -> dict[str, list[str]]:
        """Modules that are made of several -> their old names; the one that gives its place first."""
        parts: dict[str, list[str]] = {}
        for module in sorted(self.sources):
            parts.setdefault(self.renamed(module), []).append(module)
        return {new: sorted(old, key=lambda each: each != new) for new, old in parts.items() if len(old) > 1}

    def _settle_clashes(self, merges: list[Row]) -> None:
        for new in sorted({row.new for row in merges}):
            old = self.parts_of().get(new, [])
            texts = [(ROOT / self.sources[each]).read_text(encoding="utf-8") for each in old]
            if names := clashes([self.rewritten(text) for text in texts], new):
                print(f"not merged into {new}, because of {', '.join(sorted(names))}: {', '.join(old)}")
                for row in merges:
                    if row.new == new:
                        self.names[row.old] = f"{new.rpartition('.')[0]}.{row.old.rpartition('.')[2]}"

    def _file(self, module: str) -> Path:
        inside = Path("src", *module.split("."))
        return inside / "__init__.py" if module in self.packages else inside.with_suffix(".py")

    def _tests(self) -> dict[Path, Path]:
        moved = {}
        for path in sorted(self.files):
            if path.parts[:2] != ("tests", "unit") or not path.name.startswith("test_") or path in self.data:
                continue
            module = ".".join(["deixis", *path.parts[2:-1], path.stem.removeprefix("test_")])
            if module not in self.sources:
                folder = self.renamed(module.rpartition(".")[0]).split(".")[1:]
                new = Path("tests", "unit", *folder, path.name)
            else:
                *folder, name = self.renamed(module).split(".")[1:]
                joins = len(self.parts_of().get(self.renamed(module), [])) > 1
                new = Path("tests", "unit", *folder, path.name if joins else f"test_{name}.py")
            if new != path:
                moved[path] = new
        return moved

    def rewritten(self, text: str) -> str:
        """A text with the new names: imports of modules, dotted names, paths, names of data files."""
        text = FROM_IMPORT.sub(self._from_import, text)
        text = DOTTED.sub(lambda match: self.renamed(match[0]), text).replace("\x00", "")
        text = PATH.sub(self._path, text)
        for old, new in WORDS.items():
            text = text.replace(old, new)
        for old, new in self.data.items():
            if old.suffix != ".py":
                text = re.sub(rf"(?<![\w-]){re.escape(old.name)}(?!\w)", new.name, text)
        return text

    def _from_import(self, match: re.Match[str]) -> str:
        names = [each.strip() for each in match["names"].strip("()").split(",") if each.strip()]
        lines, stays = [], []
        for each in names:
            name, _, other = each.partition(" as ")
            old = f"{match['module']}.{name}"
            if old in self.sources and self.renamed(old) != old:
                folder, _, stem = self.renamed(old).rpartition(".")
                called = other or name
                lines.append(f"from \x00{folder} import {stem}" + (f" as {called}" if called != stem else ""))
            else:
                stays.append(each)
        if not lines:
            return match[0]
        if stays:
            lines.insert(0, f"from {match['module']} import {', '.join(stays)}")
        return "\n".join(match["indent"] + line for line in lines) + match["rest"]

    def _path(self, match: re.Match[str]) -> str:
        around = match.string[match.start() - 1 : match.start()] + match.string[match.end() : match.end() + 1]
        old = "deixis." + match["path"].replace("/", ".")
        test = Path(match[0])
        if test in self.tests:
            return str(self.tests[test])
        if not (match["suffix"] or match["before"] or around == "``") or old not in self.sources:
            return match[0]
        if self.renamed(old) == old and old not in self.modules:
            return match[0]
        if match["suffix"]:
            new = self.modules[old] if old in self.modules else self.sources[old]
            return match["before"] + str(new.relative_to("src/deixis"))
        return match["before"] + self.renamed(old).removeprefix("deixis.").replace(".", "/")


def move(plan: Plan) -> None:
    """Carries a plan out in the working tree."""
    merged = plan.parts_of()
    texts = {path: _read(path) for path in sorted(plan.files)}
    paths = {plan.sources[module]: new for module, new in plan.modules.items()} | plan.data | plan.tests
    _check_free(plan, paths, merged)
    for path, text in texts.items():
        if text is not None and (new := _with_depth(plan.rewritten(text), path, paths.get(path, path))) != text:
            (ROOT / path).write_text(new, encoding="utf-8")
    for new, old in merged.items():
        parts = [(ROOT / plan.sources[each]).read_text(encoding="utf-8") for each in old]
        (ROOT / plan.sources[old[0]]).write_text(joined(parts, new), encoding="utf-8")
        for each in old[1:]:
            _git("rm", "-q", "-f", str(plan.sources[each]))
            paths.pop(plan.sources[each], None)
    for path in sorted(paths):  # by way of a name that nothing has: a module may become a folder
        _git("mv", str(path), f"{path}.moving")
    for path, new in sorted(paths.items()):
        (ROOT / new).parent.mkdir(parents=True, exist_ok=True)
        _git("mv", f"{path}.moving", str(new))
    _make_folders(plan)
    _write_layers()
    _tidy()


def _check_free(plan: Plan, paths: dict[Path, Path], merged: dict[str, list[str]]) -> None:
    news: dict[Path, Path] = {}
    for old, new in paths.items():
        joins = old.parts[0] == "src" and old.suffix == ".py" and plan.renamed(module_of(old)) in merged
        if not joins and (new in news or (new in plan.files and new not in paths)):
            raise SystemExit(f"{old} cannot move to {new}: {news.get(new, new)} is or goes there. Change the table.")
        news[new] = old


def _read(path: Path) -> str | None:
    if str(path).startswith(LEFT_ALONE) or path.suffix not in TEXTS:
        return None
    try:
        return (ROOT / path).read_text(encoding="utf-8")
    except UnicodeDecodeError:
        return None


def _with_depth(text: str, old: Path, new: Path) -> str:
    deeper = len(new.parts) - len(old.parts)
    return PARENTS.sub(lambda match: f"{match[1]}{int(match[2]) + deeper}]", text) if deeper else text


def _make_folders(plan: Plan) -> None:
    for path in sorted((ROOT / "src" / "deixis").rglob("*.py")):
        folder = path.parent
        if not (folder / "__init__.py").exists():
            name = ".".join(folder.relative_to(ROOT / "src").parts)
            if name not in FOLDERS:
                raise SystemExit(f"{name} is a new folder: say in FOLDERS what it is for")
            (folder / "__init__.py").write_text(f'"""{FOLDERS[name]}"""\n', encoding="utf-8")
    inside = [path for top in ("src/deixis", "tests") for path in (ROOT / top).rglob("*") if path.is_dir()]
    for folder in sorted(inside, reverse=True):
        if folder.name == "__pycache__" or not any(folder.iterdir()):
            shutil.rmtree(folder)


def _write_layers() -> None:
    here = {path.stem for path in (ROOT / "src" / "deixis").iterdir() if path.suffix != ".typed"}
    layers = [[room for room in line.split(" | ") if room in here] for line in LAYERS.strip().split("\n    ")]
    lines = "".join(f'    "{" | ".join(layer)}",\n' for layer in layers if layer)
    path = ROOT / "pyproject.toml"
    text = re.sub(r"(?m)^layers = \[[^\]]*\]", lambda _: f"layers = [\n{lines}]", path.read_text(encoding="utf-8"))
    path.write_text(with_source_modules(text), encoding="utf-8")


def _tidy() -> None:
    for words in (["check", "-q", "--select", "I", "--fix"], ["format", "-q"]):
        subprocess.run([Path(sys.executable).parent / "ruff", *words, "."], cwd=ROOT, check=True)
    wrap_long_lines(ROOT)


def _git(*words: str) -> None:
    subprocess.run(["git", *words], cwd=ROOT, check=True)


def main() -> None:
    """Reads the table and moves one room after the other."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("table", type=Path)
    parser.add_argument("--room", action="append", help="only modules of this room (repeatable)")
    parser.add_argument("--commit", action="store_true", help="a commit per room")
    given = parser.parse_args()
    with given.table.open(encoding="utf-8", newline="") as stream:
        rows = [Row(**line) for line in csv.DictReader(stream, delimiter="\t")]
    if subprocess.run(["git", "diff", "--quiet", "HEAD"], cwd=ROOT, check=False).returncode:
        raise SystemExit("The working tree has changes; commit them first, so that the move can be looked at alone.")
    for room in given.room or sorted({row.room for row in rows}):
        print(f"{room}:")
        move(Plan(row for row in rows if row.room == room))
        if given.commit:
            _git("add", "-A")
            _git("commit", "-q", "-m", f"{room}/: modules move to their new names; nothing else changes")


if __name__ == "__main__":
    main()
