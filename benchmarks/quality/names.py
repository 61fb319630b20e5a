"""What each way to ignore differences between names brings to an alias table: `python -m benchmarks.quality.names`.

Zero-shot, on dev parts only: MELO's one-language sets (inflected job titles), GeoNames (spellings and scripts), AIDA's
train mentions, NCBI's and BC5CDR's dev abstracts and the demo's sentences. Each rung ignores what the one before it
does, and one thing more; `uncased-lemmas` stands beside them, as the thesis has it. `acronyms` adds those of names, and
`close-first` lets names closer to the mention's own spelling come first. `--part SUITE` runs one suite. Rows go to
`benchmarks/results/`.
"""

import argparse
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from benchmarks.rows import record, start_run
from benchmarks.suites.data import DataFolder
from benchmarks.suites.questions import Questions, ranks_of
from benchmarks.suites.suite import read_suite
from deixis.candidates.source import SourceInputs
from deixis.candidates.sources.alias import AliasConfig, AliasSource
from deixis.evaluation.rows import ResultRow, metric_rows
from deixis.features.name_forms import NameFormsConfig

HERE = Path(__file__).resolve().parent
SUITES = (
    "melo-de", "melo-fr", "melo-es", "melo-it", "melo-nl", "melo-sv", "melo-en", "demo", "medic-ncbi", "mesh-bc5cdr",
    "geonames", "wiki468k-aida",
)  # fmt: skip
MAX_MENTIONS = 4000


def ladder(lang: str) -> dict[str, AliasConfig]:
    """The ways to compare names, each by what it is called."""
    cased = NameFormsConfig(ignores_case=False, lang=lang)
    uncased = replace(cased, ignores_case=True)
    no_punctuation = replace(uncased, ignores_punctuation=True)
    no_diacritics = replace(no_punctuation, ignores_diacritics=True)
    lemmas = replace(no_diacritics, drops_endings=True, lemmatizes=True)
    rungs = {
        "exact": cased,
        "uncased": uncased,
        "uncased-lemmas": replace(uncased, drops_endings=True, lemmatizes=True),
        "no-punctuation": no_punctuation,
        "no-diacritics": no_diacritics,
        "lemmas": lemmas,
        "transliterated": replace(lemmas, transliterates=True),
    }
    # Without a language there are no lemmas, and the rungs would be the same.
    rungs = {name: forms for name, forms in rungs.items() if lang or "lemmas" not in name}
    tables = {name: AliasConfig(forms=forms, close_share=0.0, acronym_weight=0.0) for name, forms in rungs.items()}
    loosest = AliasConfig(forms=rungs["transliterated"])
    return tables | {"acronyms": replace(loosest, close_share=0.0), "close-first": loosest}


def measure(name: str, data: DataFolder) -> Iterator[ResultRow]:
    """Recall of every rung on the dev parts of a suite, and what a table costs."""
    suite = read_suite(HERE / f"{name}.yaml")
    data.check(suite)
    kb = data.read_kb(suite.kb)
    parts = {part.name: Questions.collect(kb, data.read_part(suite, part)).sample(MAX_MENTIONS) for part in suite.dev}
    lang = name.removeprefix("melo-") if name.startswith("melo-") else "" if name == "geonames" else "en"
    for system, config in ladder(lang).items():
        started = time.process_time()
        table = AliasSource.build(SourceInputs(kb), config)
        settings = {"lang": lang, "build_cpu_s": round(time.process_time() - started, 2), "n_keys": len(table.table)}
        for part, questions in parts.items():
            if len(questions):
                ranks = ranks_of(table.generate(questions.mentions, 10), questions.accepted)
                recalls = [questions.recall(ranks, k) for k in (1, 10)]
                yield from metric_rows(recalls, f"{name}/{part}-names", system, settings)


def main(arguments: list[str] | None = None) -> int:
    """Measure, print and record."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--part", choices=SUITES, help="one suite only")
    parser.add_argument("--dry-run", action="store_true", help="record nothing")
    options = parser.parse_args(arguments)
    start_run(is_recorded=not options.dry_run)
    data = DataFolder.choose(None, HERE.parents[1])
    rows = []
    for name in [options.part] if options.part else SUITES:
        for row in measure(name, data):
            print(
                f"{row.suite:32} {row.system:20} {row.metric:10} {row.value:.4f} [{row.low:.4f}, {row.high:.4f}]",
                flush=True,
            )
            rows.append(row)
    if not options.dry_run:
        record(rows)
    return 0


if __name__ == "__main__":
    sys.exit(main())
