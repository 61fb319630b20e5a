"""Measures every table and picture of README and docs anew: `python -m benchmarks.reproduce [PATTERN ...]`.

Without a pattern all of it, which takes days on one machine and the data of `DEIXIS_DATA`; with patterns only what
fills suites of these names (`'wordnet/*'`, `'xmc/*'`). Every step is a command of this folder that records its rows in
`results/`; at the end the tables and pictures are written from the rows. `--list` prints the commands and runs nothing.
"""

import argparse
import fnmatch
import shlex
import subprocess
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from benchmarks.rows import start_run
from benchmarks.tables import ROOT

BY_NAME = "demo,geonames,medic-ncbi,melo-*,mesh-bc5cdr,reddit-*,wiki468k-*,wordnet".split(",")
ASKED_ON_TEST = "medic-ncbi melo-de melo-de-en melo-en melo-es melo-fr melo-it melo-nl melo-sv mesh-bc5cdr"
ON_WIKIPEDIA = "reddit-comments reddit-posts wiki468k-aida wiki468k-aquaint wiki468k-wned-wiki"


@dataclass(frozen=True)
class Step:
    """A command (the words behind `python -m benchmarks`) and the suites whose rows it records."""

    command: str
    suites: tuple[str, ...]

    def arguments(self) -> list[str]:
        """The command as a process is started with it."""
        module, *rest = shlex.split(self.command)
        return [sys.executable, "-m", "benchmarks" if module == "benchmarks" else f"benchmarks.{module}", *rest]


STEPS = (
    Step("quality.choices path-score", ("wordnet-dev/*",)),
    Step("quality.choices instances", ("wiki468k/aida-train-zero-shot", "wiki468k/aida-train-held-out")),
    Step("quality.choices nil-threshold", ("wiki468k/*-nil", "medic/ncbi-dev-nil")),
    Step("quality.choices filters", ("wiki468k/aida-train-filters",)),
    Step("quality.ranker", ("*/ranking",)),
    Step("quality.own_text", ("*/own-text",)),
    Step("quality.names", ("*/dev-names", "*/dev-*-names", "*/train-names")),
    Step("quality.calibration", ("calibration/*",)),
    Step("quality.nil", ("nil/*",)),
    Step("quality.list_names --split test", ("list_names/*",)),
    Step("quality.sentences", ("sentences/*",)),
    Step("quality.retrieval", ("retrieval/*", "retrieval-trees/*", "candidates/*")),
    Step("quality.embedding", ("embedding/*",)),
    Step("quality.dense", ("dense/*",)),
    Step("quality.bi_encoder", ("bi-encoder/*",)),
    Step("quality.cross_lingual --split test", ("cross-lingual/*",)),
    Step("quality.rerank gain", ("rerank/*-dev", "rerank/*-test", "rerank/*-testa", "rerank/*-testb")),
    Step(
        "quality.rerank gain --suites wiki468k-aida --linker mentions --max-score 0.75 --mentions 700 "
        "--train-candidates 10 --checked 1000 --checks 1 --questions 1500 --also wiki468k-aquaint --texts 50",
        ("rerank/wiki468k-*",),
    ),
    Step("quality.rerank sizes --mentions 600", ("rerank/sizes-*",)),
    Step("quality.rerank speed", ("rerank/speed",)),
    Step("quality.end_to_end --split dev --split test", ("end_to_end/*",)),
    Step("quality.reader --split dev --split test", ("reader/*",)),
    Step("quality.corrections --split test", ("corrections/*",)),
    Step("quality.unlinked train testa testb", ("unlinked/*",)),
    Step("quality.edits", ("edits/*-train",)),
    Step("quality.edits --tree --percent 5", ("edits/*-train",)),
    Step("quality.edits --split test", ("edits/*-testa",)),
    Step("speed.bench_edits", ("edits/*-speed",)),
    Step("reliability.journal", ("reliability/journal",)),
    Step("reliability.batch", ("reliability/batch",)),
    Step("scale.workers", ("scale/workers", "scale/spark")),
    Step("scale.build_workers", ("scale/build_workers",)),
    Step("scale.import_dumps", ("dumps/*",)),
    Step("scale.build_curve --record", ("scale/wiki*",)),
    Step("speed.bench_xmr --suite wordnet", ("wordnet",)),
    Step("speed.bench_xmr --suite wiki468k-names --repeats 1", ("wiki468k-names",)),
    Step("speed.bench_names", ("string/*",)),
    Step("speed.bench_raw_text", ("raw-text/*",)),
    Step("speed.bench_candidates", ("find_candidates/*",)),
    Step("speed.bench_find_names", ("find_names/*",)),
    Step("speed.bench_start_up", ("start_up/*",)),
    Step("speed.bench_tree_reads", ("tree_reads/*",)),
    Step("xmc.peers --dataset eurlex57k --part dev --system deixis --system pecos", ("xmc/eurlex57k/dev",)),
    Step("speed.bench_encoders", ("encoders", "encoders/*")),
    Step("speed.bench_vectors --n 20000", ("vectors/*",)),
    Step("speed.bench_detection", ("detection/*",)),
    Step("service.load", ("service/wiki468k",)),
    Step("service.overload", ("service/wiki468k",)),
    Step("service.reloads", ("service/wiki468k",)),
    Step("service.fuzz", ("service/wiki468k",)),
    Step("service.versions", ("service/wiki468k-versions",)),
    Step(
        "xmc.elias eurlex57k --documents 8000 --seeds 0 1 2 --peers --test --record",
        ("xmc/eurlex57k-8000/elias-test", "xmc/eurlex57k-8000/elias-graph"),
    ),
    Step("xmc.elias eurlex57k --documents 8000 --only minilm --test --record", ("xmc/eurlex57k-8000/elias-test",)),
    Step("xmc.elias eurlex57k --test --record", ("xmc/eurlex57k/elias-test", "xmc/eurlex57k/elias-graph")),
    Step("xmc.elias_trials --record", ("xmc/eurlex57k-8000/trials/*",)),
    Step(
        "xmc.elias yso_en --documents 20000 --plain --test --record",
        ("xmc/yso_en-20000/elias-test", "xmc/yso_en-20000/elias-graph"),
    ),
    Step(
        "xmc.elias wiki_sentences --plain --peers --test --record",
        ("xmc/wiki_sentences/elias-test", "xmc/wiki_sentences/elias-graph"),
    ),
    Step("xmc.elias_plus eurlex57k --first tree --part test --record", ("xmc/eurlex57k/elias-plus-*",)),
    Step("xmc.tree_shapes", ("xmc/yso_en/shapes",)),
    Step(
        "xmc.peers --part test --dataset yso_en --dataset eurlex57k --dataset tibkat",
        ("xmc/yso_en", "xmc/eurlex57k", "xmc/tibkat"),
    ),
    *(
        Step(f"xmc.gandalf {ranker} {size} --test", (f"gandalf/yso_en-{name}-{ranker}*",))
        for ranker in ("bag", "tree")
        for name, size in {
            "25k": "--documents 25000",
            "50k": "--documents 50000",
            "100k": "--documents 100000",
            "all": "",
        }.items()
    ),
    Step("xmc.gandalf_titles", ("gandalf/also-mentioned-*", "gandalf/description-titles-*")),
    Step("xmc.related_entities", ("gandalf/wiki468k-aida", "gandalf/wiki468k-aida-tree")),
    Step("xmc.related_entities --linker", ("gandalf/wiki468k-aida-linker",)),
    Step("benchmarks demo --record", ("demo/dev",)),
    Step("benchmarks medic-ncbi --systems alias+vectors --record", ("medic-ncbi/dev",)),
    Step("benchmarks geonames --record", ("geonames/dev-*",)),
    Step(
        f"benchmarks wordnet {ASKED_ON_TEST} {ON_WIKIPEDIA} --record",
        tuple(f"{name}/{part}" for name in BY_NAME[2:] for part in ("dev", "train")),
    ),
    Step(
        f"benchmarks wordnet {ASKED_ON_TEST} {ON_WIKIPEDIA} --split test --record",
        tuple(f"{name}/{part}" for name in BY_NAME[2:] for part in ("test", "testa", "testb")),
    ),
)
GONE = {"wiki468k/aida-train-tree-share": "measured when candidates of tree and names were one list (before 5e443324)"}


def filling(patterns: Sequence[str]) -> list[Step]:
    """The steps that record rows of suites of these names, in order; all without a name."""
    return [step for step in STEPS if not patterns or any(_meet(step.suites, pattern) for pattern in patterns)]


def _meet(suites: Iterable[str], pattern: str) -> bool:
    return any(fnmatch.fnmatchcase(pattern, suite) or fnmatch.fnmatchcase(suite, pattern) for suite in suites)


def main(arguments: list[str] | None = None) -> int:
    """Run the steps one after the other, then write tables and pictures; 1 if a step failed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("patterns", nargs="*", metavar="PATTERN", help="suites whose tables are wanted [all]")
    parser.add_argument("--list", action="store_true", help="print the commands and run nothing")
    options = parser.parse_args(arguments)
    steps = filling(options.patterns)
    if not steps:
        parser.error(f"no step fills a suite named {' or '.join(options.patterns)}; --list shows all")
    if options.list:
        for step in steps:
            print("python", *step.arguments()[1:])
        return 0
    start_run(is_recorded=True)
    failed = [step for step in steps if subprocess.run(step.arguments(), cwd=ROOT, check=False).returncode]
    for step in failed:
        print("failed: python", *step.arguments()[1:], file=sys.stderr)
    for module in ("benchmarks.tables", "benchmarks.figures"):
        subprocess.run([sys.executable, "-m", module], cwd=ROOT, check=True)
    return int(bool(failed))


if __name__ == "__main__":
    sys.exit(main())
