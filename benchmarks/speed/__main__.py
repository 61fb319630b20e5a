"""Speed beside peers, all suites (`make bench`): `python -m benchmarks.speed [--suite find-names] [--dry-run]`.

Each peer has an environment of its own (`.venv-NAME`), made when it is first needed; one that cannot be made is said
and left out. Systems take turns within each repeat; rows have the median and the extremes, a file per suite.
"""

import argparse
import sys
from collections.abc import Callable

from benchmarks.speed import bench_candidates, bench_find_names, bench_xmr
from benchmarks.xmc import peers

XMC_SYSTEMS = ("deixis", "pecos", "omikuji", "napkinxc")


def tree(repeats: int, is_dry: bool) -> int:
    """Label trees on names and definitions of WordNet."""
    return bench_xmr.main(["--repeats", str(repeats), *["--dry-run"] * is_dry])


def documents(repeats: int, is_dry: bool) -> int:
    """Label trees on laws, by the dev part."""
    systems = [word for system in XMC_SYSTEMS for word in ("--system", system)]
    return peers.main(["--dataset", "eurlex57k", "--repeats", str(repeats), *systems, *["--dry"] * is_dry])


def find_names(repeats: int, is_dry: bool) -> int:
    """Names in raw texts: spaCy's rulers, pyahocorasick."""
    return bench_find_names.main(["--repeats", str(repeats), *["--dry-run"] * is_dry])


def candidates(repeats: int, is_dry: bool) -> int:
    """Candidates of names: RapidFuzz, bm25s, scispaCy."""
    return bench_candidates.main(["--repeats", str(repeats), *["--dry-run"] * is_dry])


SUITES: dict[str, Callable[[int, bool], int]] = {
    "find-names": find_names,
    "candidates": candidates,
    "tree": tree,
    "documents": documents,
}


def main(arguments: list[str] | None = None) -> int:
    """Run the suites, one after the other."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--suite", action="append", choices=list(SUITES), help="may be repeated [all]")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--dry-run", action="store_true", help="record nothing")
    options = parser.parse_args(arguments)
    return max(SUITES[name](options.repeats, options.dry_run) for name in options.suite or SUITES)


if __name__ == "__main__":
    sys.exit(main())
