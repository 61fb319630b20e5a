"""Linking across languages: `python -m benchmarks.quality.cross_lingual [--split test] [titles transfer]`.

An encoder of names is fitted to half of ESCO's occupations with names in another language (`deixis fit name-encoder`);
occupations of the list have English names alone. Three random halves: a row has their mean, and the least and greatest.

`titles`: MELO's German job titles, those whose occupations the encoder was fitted to (`seen`) and the others apart,
against exact names, similar spellings, vectors of titles (the label baseline) and of names (OLPEAT), and the linker
over a bilingual list, in which the half that the encoder was fitted to has its German names as aliases.
`transfer`: names of the other half in each of six languages, by encoders fitted to one language or to all six, and,
to tell what the map itself brings, to the English names of the list alone (`from-en`).

Settings were chosen on `--split dev`: by the halves of MELO's queries, and of the occupations.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.rows import record, start_run
from benchmarks.suites.data import DataFolder, half_of
from benchmarks.suites.melo import melo_documents, melo_records
from benchmarks.suites.questions import Questions, ranks_of
from benchmarks.systems.embedded import EmbeddedNames, EmbeddedTitles
from benchmarks.systems.exact import ExactNames
from benchmarks.systems.ours import LinkerSystem
from benchmarks.systems.protocols import Proposer
from benchmarks.systems.spelling import SimilarNames
from deixis.candidates.config import SourcesConfig
from deixis.candidates.source import SourceInputs
from deixis.candidates.sources.name_vectors import NameVectorConfig, NameVectorSource
from deixis.encoders.config import EncoderConfig
from deixis.encoders.parallel_fit import fit_parallel
from deixis.encoders.registry import register_encoder
from deixis.evaluation.rows import ResultRow
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.linker import Linker
from deixis.linking.config import LinkerConfig
from deixis.training.name_encoder import fit_name_encoder
from deixis.types import Document, Mention

HERE = Path(__file__).resolve().parent
TARGET, SET_OF_TARGET = "en", "deu_q_de_c_en"
SETS = {
    "de": "deu_q_de_c_de", "es": "esp_q_es_c_es", "fr": "fra_q_fr_c_fr", "it": "ita_q_it_c_it", "nl": "nld_q_nl_c_nl",
    "sv": "swe_q_sv_c_sv",
}  # fmt: skip
HALVES = (0, 1, 2)  # seeds
DEPTHS = (1, 10)
N_QUERIES, N_AT_ONCE = 500, 100
NAME = "across"
Values = dict[tuple[str, str, str], list[float]]  # suite, metric and system -> a value of each half


@dataclass(frozen=True)
class Occupations:
    """Names of occupations by language and id; those of the list are in the target language."""

    lang_to_names: dict[str, dict[str, list[str]]]
    folder: Path

    @classmethod
    def read(cls, data: DataFolder) -> Occupations:
        """All sets of MELO."""
        folder = data.find("melo")
        names = {
            lang: {record["id"]: [record["title"], *record["aliases"]] for record in melo_records(folder / own)}
            for lang, own in (SETS | {TARGET: SET_OF_TARGET}).items()
        }
        return cls(names, folder)

    @cached_property
    def kb(self) -> KnowledgeBase:
        """The list with names in the target language alone."""
        return self.with_names((), frozenset())

    def half(self, seed: int) -> frozenset[str]:
        """A random half of the occupations."""
        ids = sorted(self.lang_to_names[TARGET])
        return frozenset(np.random.default_rng(seed).permutation(ids)[: len(ids) // 2].tolist())

    def with_names(self, langs: tuple[str, ...], ids: frozenset[str]) -> KnowledgeBase:
        """The list in which these occupations have their names in these languages, too."""
        records = []
        for identifier, names in self.lang_to_names[TARGET].items():
            further = langs if identifier in ids else ()
            aliases = [
                {"text": name, "lang": lang}
                for lang in (TARGET, *further)
                for name in self.lang_to_names[lang].get(identifier, ())
            ]
            records.append({"id": identifier, "title": names[0], "aliases": aliases})
        return KnowledgeBase.from_records(records)

    def titles(self, split: str) -> Questions:
        """MELO's German job titles of a split."""
        documents = melo_documents(self.folder / SET_OF_TARGET)
        return Questions.collect(self.kb, (each for each in documents if half_of(each.id) == split))

    def names(self, lang: str, split: str, without: frozenset[str]) -> Questions:
        """Names in a language of occupations of a split that are not among some."""
        documents = [
            Document(f"{identifier}#{number}", name, lang, mentions=(Mention(0, len(name), name, entity=identifier),))
            for identifier, names in self.lang_to_names[lang].items()
            if identifier not in without and half_of(identifier) == split
            for number, name in enumerate(names)
        ]
        return Questions.collect(self.kb, documents).sample(N_QUERIES)


def fitted_to(occupations: Occupations, langs: tuple[str, ...], ids: frozenset[str]) -> None:
    """Registers under `NAME` an encoder fitted to names of some occupations; without languages, to the list alone."""
    kb = occupations.with_names(langs, ids)
    if langs:
        encoder = fit_name_encoder(kb, target=TARGET, held_out=0, n_threads=1).encoder
    else:
        names, rows = kb.names()
        encoder = fit_parallel(names, rows, np.ones(len(rows), dtype=bool), n_threads=1)
    register_encoder(NAME, encoder)


def name_vectors(kb: KnowledgeBase) -> NameVectorSource:
    """All names of the list as vectors by the encoder."""
    return NameVectorSource.build(SourceInputs(kb, n_threads=1), NameVectorConfig(encoder=EncoderConfig(name=NAME)))


def linker(kb: KnowledgeBase) -> LinkerSystem:
    """The linker with the encoder's vectors of names added to the default sources."""
    own = NameVectorConfig(encoder=EncoderConfig(name=NAME))
    config = replace(LinkerConfig(), candidates=SourcesConfig().with_source("name_vectors", own))
    return LinkerSystem(Linker.build(kb, config=config, n_threads=1))


WITHOUT_ENCODER = {
    "exact": ExactNames.build,
    "string": SimilarNames.build,
    "labels": EmbeddedTitles.build,
    "embedded": EmbeddedNames.build,
    "deixis": LinkerSystem.build,
}
WITH_ENCODER = {NAME: name_vectors, f"deixis+{NAME}": linker}
BILINGUAL = {"bilingual": LinkerSystem.build, f"bilingual+{NAME}": linker}


def ranks(system: Proposer, questions: Questions) -> tuple[NDArray[np.int64], float]:
    """The rank of the first right answer to each question, and the processor seconds of all answers."""
    lists, started = [], time.process_time()
    for begin in range(0, len(questions), N_AT_ONCE):
        lists += system.generate(questions.mentions[begin : begin + N_AT_ONCE], max(DEPTHS))
    return ranks_of(lists, questions.accepted), time.process_time() - started


def titles(occupations: Occupations, split: str, only: tuple[str, ...] = ()) -> Iterator[ResultRow]:
    """The rows of German job titles."""
    del only
    questions, kb, values = occupations.titles(split), occupations.kb, defaultdict(list)
    answers = {name: answered(questions, build, kb) for name, build in WITHOUT_ENCODER.items()}
    for seed in HALVES:
        half = occupations.half(seed)
        log(f"titles, half {seed}")
        started = time.process_time()
        fitted_to(occupations, ("de",), half)
        fit = time.process_time() - started
        own = {name: answered(questions, build, kb, fit) for name, build in WITH_ENCODER.items()}
        both = occupations.with_names(("de",), half)
        own |= {name: answered(questions, build, both, fit * (build is linker)) for name, build in BILINGUAL.items()}
        n_seen = np.array([len(ids & half) for ids in questions.accepted])
        n_gold = np.array([len(ids) for ids in questions.accepted])
        parts = {"seen": n_seen == n_gold, "unseen": n_seen == 0}
        for system, (own_ranks, built, spent) in (answers | own).items():
            for part, is_in in parts.items():
                suite = f"cross-lingual/titles-{part}"
                put_recalls(values, suite, system, own_ranks[is_in])
                values[suite, "fit_cpu", system].append(built)
                values[suite, "answer_cpu", system].append(1000 * spent / len(questions))
    yield from rows_of(values, split)


def answered(
    questions: Questions, build: Callable[[KnowledgeBase], Proposer], kb: KnowledgeBase, fit: float = 0.0
) -> tuple[NDArray[np.int64], float, float]:
    """Ranks, the processor seconds of fitting and building, and those of answering."""
    started = time.process_time()
    system = build(kb)
    built = time.process_time() - started
    system.generate(questions.mentions[:1], max(DEPTHS))  # what is only made at the first question is no cost of it
    found, spent = ranks(system, questions)
    return found, fit + built, spent


def transfer(occupations: Occupations, split: str, only: tuple[str, ...] = ()) -> Iterator[ResultRow]:
    """The rows of names of the other half, by language of the names and of those the encoder was fitted to."""
    values: Values = defaultdict(list)
    embedded = EmbeddedNames.build(occupations.kb)
    fits = {TARGET: (), **{lang: (lang,) for lang in SETS}, "all": tuple(SETS)}
    for seed in HALVES:
        half = occupations.half(seed)
        asked = {lang: occupations.names(lang, split, half) for lang in SETS}
        for lang, questions in asked.items():
            put_recalls(values, f"cross-lingual/{lang}", "embedded", ranks(embedded, questions)[0])
        for name, langs in ((name, fits[name]) for name in only or fits):
            log(f"transfer, half {seed}, {name}")
            fitted_to(occupations, langs, half)
            system = name_vectors(occupations.kb)
            for lang, questions in asked.items():
                put_recalls(values, f"cross-lingual/{lang}", f"from-{name}", ranks(system, questions)[0])
    yield from rows_of(values, split)


def put_recalls(values: Values, suite: str, system: str, own: NDArray[np.int64]) -> None:
    """Adds a half's recall."""
    for k in DEPTHS:
        values[suite, f"recall@{k}", system].append(float(((own > 0) & (own <= k)).mean()))


def rows_of(values: Values, split: str) -> Iterator[ResultRow]:
    """A row for each figure: the mean over halves, the least and the greatest."""
    units = {"fit_cpu": "s", "answer_cpu": "s/1000"}
    about = {"split": split, "halves": len(HALVES), "threads": 1}
    for (suite, metric, system), each in values.items():
        value, low, high = (round(float(one), 4) for one in (np.mean(each), min(each), max(each)))
        unit = units.get(metric, "share")
        yield ResultRow(suite, metric, system, value, unit, low, high, len(each), about)


def log(words: str) -> None:
    """What goes on, and how much processor time it took until now."""
    print(f"[{time.process_time():.0f} s] {words}", file=sys.stderr, flush=True)


STUDIES = {"titles": titles, "transfer": transfer}


def main(arguments: list[str] | None = None) -> int:
    """Measure, print and record; dev is never recorded."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("studies", nargs="*", choices=[[], *STUDIES], default=[])
    parser.add_argument("--split", choices=("dev", "test"), default="dev")
    parser.add_argument("--only", nargs="+", default=(), help="what encoders of transfer are fitted to: de, all, ...")
    parser.add_argument("--dry-run", action="store_true", help="record nothing")
    options = parser.parse_args(arguments)
    is_recorded = options.split == "test" and not options.dry_run
    start_run(is_recorded=is_recorded)
    occupations = Occupations.read(DataFolder.choose(None, HERE.parents[1]))
    for study in options.studies or STUDIES:
        rows = list(STUDIES[study](occupations, options.split, tuple(options.only)))
        for row in rows:
            print(f"{row.suite:28} {row.system:16} {row.metric:12} {row.value:.4f} {row.low:.4f} {row.high:.4f}")
        if is_recorded:
            record(rows)
    return 0


if __name__ == "__main__":
    sys.exit(main())
