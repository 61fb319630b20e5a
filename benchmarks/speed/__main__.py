"""Speed beside peers, all suites (`make bench`): `python -m benchmarks.speed [--suite find-names] [--leave-out NAME]`.

Each peer has an environment of its own (`.venv-NAME`), made when it is first needed; one that cannot be made is said
and left out. Systems take turns within each repeat; rows have the median and the extremes, a file per suite. The index
of scispaCy takes half an hour to build, once; all else takes half an hour on an idle machine.
"""

import argparse
import sys
from collections.abc import Callable, Sequence

from benchmarks.speed import bench_candidates, bench_find_names, bench_raw_text, bench_xmr
from benchmarks.xmc import peers

TREES = ("deixis", "pecos", "omikuji")
LABELLERS = (*TREES, "napkinxc")


def raw_text(options: argparse.Namespace) -> int:
    """Raw text to links: an earlier version, spaCy's rulers."""
    return bench_raw_text.main(["--rounds", str(options.repeats), *["--dry-run"] * options.dry_run])


def tree(options: argparse.Namespace) -> int:
    """Label trees on names and definitions of WordNet."""
    systems = _each("--system", [name for name in TREES if name not in options.leave_out])
    return bench_xmr.main([*systems, "--repeats", str(options.repeats), *["--dry-run"] * options.dry_run])


def documents(options: argparse.Namespace) -> int:
    """Label trees on laws, by the dev part."""
    systems = _each("--system", [name for name in LABELLERS if name not in options.leave_out])
    how = ["--dataset", "eurlex57k", "--repeats", str(options.repeats), *["--dry"] * options.dry_run]
    return peers.main([*systems, *how])


def find_names(options: argparse.Namespace) -> int:
    """Names in raw texts: spaCy's rulers, pyahocorasick."""
    return bench_find_names.main(_of_suite(options))


def candidates(options: argparse.Namespace) -> int:
    """Candidates of names: RapidFuzz, bm25s, scispaCy."""
    return bench_candidates.main(_of_suite(options))


def _of_suite(options: argparse.Namespace) -> list[str]:
    left_out = _each("--leave-out", options.leave_out)
    return [*left_out, "--repeats", str(options.repeats), *["--dry-run"] * options.dry_run]


def _each(option: str, values: Sequence[str]) -> list[str]:
    return [word for value in values for word in (option, value)]


SUITES: dict[str, Callable[[argparse.Namespace], int]] = {
    "raw-text": raw_text,
    "find-names": find_names,
    "candidates": candidates,
    "tree": tree,
    "documents": documents,
}


def main(arguments: list[str] | None = None) -> int:
    """Run the suites, one after the other."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--suite", action="append", choices=list(SUITES), help="may be repeated [all]")
    parser.add_argument("--leave-out", action="append", default=[], help="a peer; may be repeated [none]")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--dry-run", action="store_true", help="record nothing")
    options = parser.parse_args(arguments)
    return max(SUITES[name](options) for name in options.suite or SUITES)


if __name__ == "__main__":
    sys.exit(main())
