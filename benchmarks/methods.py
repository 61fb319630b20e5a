"""Every method on one page: what it needs, what it brought, what it costs (docs/explanation/which-method.md).

`<!-- results methods=linking -->` in a document becomes the table of the methods of that name. All figures are rows in
`results/`; a row that is missing is an error.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from benchmarks.suites.results import Row

Key = tuple[str, str, str]  # suite, metric, system
MILLION = 1_000_000
HOUR = 3600.0


class Gain(NamedTuple):
    """A figure without a method, and with it. Without a first system, the figure alone."""

    data: str
    suite: str
    metric: str
    before: str | None
    after: str


class Method(NamedTuple):
    """A method, as a line of the table."""

    name: str
    page: str
    command: str
    needs: str
    gains: tuple[Gain, ...]
    training: Key | None = None
    prediction: Key | None = None


def aida(before: str | None, after: str, metric: str = "recall@1") -> Gain:
    """What a system brings in news."""
    return Gain("AIDA testb", "wiki468k-aida/testb", metric, before, after)


def aquaint(before: str | None, after: str) -> Gain:
    """The same in older news that has no training documents."""
    return Gain("AQUAINT", "wiki468k-aquaint/test", "recall@1", before, after)


def ncbi(before: str | None, after: str) -> Gain:
    """The same in medical abstracts."""
    return Gain("NCBI", "medic-ncbi/test", "recall@1", before, after)


def engine(name: str, option: str, system: str, before: str, needs: str) -> Method:
    """An engine of labelling as a line of the table: what it brings over another on 8,000 laws and on all."""
    sets = (
        ("8,000 laws", FEW_LAWS, "precision@1"),
        ("all laws", ALL_LAWS, "precision@1"),
        ("all laws", ALL_LAWS, "recall@100"),
    )
    gains = tuple(Gain(data, suite, metric, before, system) for data, suite, metric in sets)
    return Method(
        name, "elias-plus.md" if option.endswith("++") else "elias.md",
        f"deixis xmr train docs.jsonl -o model --engine {option}", needs, gains,
        (FEW_LAWS, "train_cpu", system), (FEW_LAWS, "predict_cpu", system),
    )  # fmt: skip


def answered(suite: str, system: str) -> Key:
    """The cost of mentions."""
    return suite, "answer_cpu", system


TESTB = "wiki468k-aida/testb"
JOINT = "reader/ncbi-seed-0-test"
RERANKED_TESTB = "rerank/wiki468k-aida-testb"
LAWS = "xmc/eurlex57k"
FEW_LAWS = "xmc/eurlex57k-8000/elias-test"
ALL_LAWS = "xmc/eurlex57k/elias-test"
METHODS: dict[str, tuple[Method, ...]] = {
    "linking": (
        Method(
            "exact names", "ladder.md", "deixis build list.csv --sources alias", "a list of names",
            (aida(None, "exact"), aquaint(None, "exact"), ncbi(None, "exact")),
            (TESTB, "build_cpu", "exact"), answered(TESTB, "exact"),
        ),
        Method(
            "default linker", "candidate-sources.md", "deixis build list.csv", "a list; descriptions help",
            (aida("exact", "deixis"), aquaint("exact", "deixis"), ncbi("exact", "deixis")),
            (TESTB, "build_cpu", "deixis"), answered(TESTB, "deixis"),
        ),
        Method(
            "annotated mentions", "ranking.md", "deixis build list.csv --mentions train.jsonl",
            "annotated documents of the same kind",
            tuple(brings("deixis", "deixis+mentions") for brings in (aida, aquaint, ncbi)),
            (TESTB, "build_cpu", "deixis+mentions"), answered(TESTB, "deixis+mentions"),
        ),
        Method(
            "XMRED to the letter", "xmred.md", "deixis build list.csv --mentions train.jsonl --preset xmred",
            "annotated documents",
            (aida("deixis+mentions", "xmred+mentions"), aquaint("deixis+mentions", "xmred+mentions")),
            (TESTB, "build_cpu", "xmred+mentions"), answered(TESTB, "xmred+mentions"),
        ),
        Method(
            "embedded names (OLPEAT)", "ladder.md", "deixis build list.csv --sources alias,name_vectors",
            "a list of names",
            (Gain("job titles", "melo-en/dev", "recall@10", "string", "embedded"),
             Gain("diseases", "medic-ncbi/dev", "recall@10", "string", "embedded"),
             Gain("diseases, both sources", "medic-ncbi/dev", "recall@1", "uncased", "alias+vectors")),
            ("melo-en/dev", "build_cpu", "embedded"), answered("melo-en/dev", "embedded"),
        ),
        Method(
            "names across languages", "../how-to/cross-lingual.md", "deixis fit name-encoder list.csv -o encoder",
            "a list with names in both languages",
            (Gain("German titles, seen", "cross-lingual/titles-seen", "recall@10", "deixis", "deixis+across"),
             Gain("unseen", "cross-lingual/titles-unseen", "recall@10", "deixis", "deixis+across")),
            ("cross-lingual/titles-seen", "fit_cpu", "deixis+across"),
            answered("cross-lingual/titles-seen", "deixis+across"),
        ),
        Method(
            "contexts as knowledge base", "dense.md", "deixis build list.csv --mentions train.jsonl --encoder static",
            "annotated documents, descriptions",
            (Gain("AIDA, held out", "dense/wiki468k-aida", "recall@1", "ranked", "ranked+dense"),
             Gain("NCBI, held out", "dense/medic-ncbi", "recall@1", "ranked", "ranked+dense")),
            None, answered("dense/wiki468k-aida", "static-both"),
        ),
        Method(
            "trained bi-encoder", "bi-encoder.md", "deixis fit encoder model --mentions train.jsonl",
            "annotated documents, an hour a round",
            (Gain("encoder alone, part of AIDA", "bi-encoder/rounds", "recall@10", "untrained", "round-3"),),
            ("bi-encoder/rounds", "train_cpu", "all"), None,
        ),
        Method(
            "cross-encoder", "reranking.md", "deixis fit reranker model --mentions train.jsonl",
            "annotated documents, an hour",
            (Gain("AIDA testb, an earlier ranker", RERANKED_TESTB, "accuracy", "deixis", "deixis+rerank"),
             Gain("NCBI, the same", "rerank/medic-ncbi-test", "accuracy", "deixis", "deixis+rerank")),
            ("rerank/wiki468k-aida-dev", "train_cpu", "deixis+rerank"),
            (RERANKED_TESTB, "mentions_per_cpu_second", "deixis+rerank"),
        ),
        Method(
            "cross-encoder after annotated mentions", "reranking.md",
            "deixis fit reranker model --mentions train.jsonl --set reranker.max_score=0.75",
            "annotated documents, an hour",
            (Gain("AIDA testb", RERANKED_TESTB, "accuracy", "deixis+mentions", "deixis+mentions+rerank"),
             Gain("AQUAINT", "rerank/wiki468k-aquaint-test", "accuracy", "deixis+mentions", "deixis+mentions+rerank")),
            ("rerank/wiki468k-aida-dev", "train_cpu", "deixis+mentions+rerank"),
            (RERANKED_TESTB, "mentions_per_cpu_second", "deixis+mentions+rerank"),
        ),
        Method(
            "reader", "reader.md", "deixis fit reader model --mentions train.jsonl",
            "documents with every mention annotated",
            (Gain("NCBI, raw text", "reader/ncbi-test", "inkb_micro_f1", "finding", "sources-long+finding"),),
            ("reader/ncbi-test", "train_cpu", "sources-long"), None,
        ),
        Method(
            "reader and retriever together (BEER²)", "reader.md",
            "deixis fit reader model --mentions train.jsonl --joint",
            "the same; a list of some ten thousand entities at most",
            tuple(Gain(f"{data}, against the two apart", suite, "inkb_micro_f1", "none/two-passes", "both/two-passes")
                  for data, suite in (("NCBI", JOINT), ("BC5CDR", "reader/bc5cdr-seed-0-test"))),
            (JOINT, "train_cpu", "both"), None,
        ),
    ),
    "labelling": (
        Method(
            "tree", "extreme-classification.md", "deixis xmr train docs.jsonl --labels list.csv -o model",
            "labelled documents",
            tuple(Gain("laws, against PECOS", LAWS, f"precision@{k}", "pecos", "deixis") for k in (1, 5)),
            (LAWS, "train_cpu", "deixis"), (LAWS, "predict_cpu", "deixis"),
        ),
        Method(
            "three trees", "extreme-classification.md", "deixis xmr train docs.jsonl -o model --trees 3",
            "the same", (Gain("laws", LAWS, "precision@5", "deixis", "deixis-3"),),
            (LAWS, "train_cpu", "deixis-3"), (LAWS, "predict_cpu", "deixis-3"),
        ),
        engine("reranked tree (tree++)", "tree++", "tree++", "tree", "the same; ten times slower to predict"),
        engine("one-vs-all", "one-vs-all", "one-vs-all", "tree", "extra `neural`; not too many labels"),
        engine("ELIAS", "elias", "stage-2", "tree", "extra `neural`"),
        engine("ELIAS++", "elias++", "elias++", "tree++", "extra `neural`"),
        Method(
            "names of labels (Gandalf)", "gandalf.md", "deixis xmr train docs.jsonl --labels list.csv --augment soft",
            "texts that are like the names of labels",
            (Gain("related titles", "gandalf/also-mentioned-tree-test", "precision@1", "self", "soft"),
             Gain("titles in descriptions", "gandalf/description-titles-tree-test", "precision@1", "self", "soft")),
        ),
    ),
}  # fmt: skip


def method_lines(name: str, by_key: Mapping[Key, Row], shown: Callable[[Row | None], str]) -> list[str]:
    """The table of the methods of a name."""
    methods = METHODS[name]
    unit = "documents" if name == "labelling" else "mentions"
    lines = [
        f"| method | needs | what it brought | training | a million {unit} | command |",
        "| --- | --- | --- | ---: | ---: | --- |",
    ]
    for method in methods:
        gains = "; ".join(gain_text(gain, by_key, shown) for gain in method.gains)
        training = "–" if method.training is None else minutes(row_of(method.training, by_key))
        prediction = "–" if method.prediction is None else hours_per_million(row_of(method.prediction, by_key))
        lines.append(
            f"| [{method.name}]({method.page}) | {method.needs} | {gains} | {training} | {prediction} | "
            f"`{method.command}` |"
        )
    return lines


def gain_text(gain: Gain, by_key: Mapping[Key, Row], shown: Callable[[Row | None], str]) -> str:
    """The figures of a gain, and where."""
    systems = [gain.after] if gain.before is None else [gain.before, gain.after]
    values = [shown(row_of((gain.suite, gain.metric, system), by_key)) for system in systems]
    return f"{gain.data}, {gain.metric.removeprefix('inkb_micro_')} " + " → ".join(values)


def row_of(key: Key, by_key: Mapping[Key, Row]) -> Row:
    """The row; one that is missing is an error."""
    if key not in by_key:
        raise ValueError(f"No row {key} in results; benchmarks/methods.py names it.")
    return by_key[key]


def minutes(row: Row) -> str:
    """Processor time of a training."""
    seconds = row["value"]
    return f"{seconds:.0f} s" if seconds < 100 else f"{seconds / 60:.0f} min"


def hours_per_million(row: Row) -> str:
    """Processor hours for a million mentions or documents."""
    value, unit = row["value"], row["unit"]
    seconds = {"s/1000": value * 1000, "ms": value * 1000, "1/s": MILLION / value}
    if unit not in seconds:
        raise ValueError(f"The unit {unit} of {row['suite']} {row['metric']} has no cost of a million.")
    hours = seconds[unit] / HOUR
    return f"{hours:.1f} h" if hours >= 1 else f"{hours * 60:.0f} min" if hours >= 1 / 60 else f"{hours * HOUR:.0f} s"
