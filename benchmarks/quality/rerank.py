"""What a second look brings: `python -m benchmarks.quality.rerank gain|sizes|speed`.

`gain`: a linker is built, a cross-encoder is trained on `--mentions` annotated mentions (drawn by a fixed seed, with R'
candidates each), and both are asked about `--questions` test mentions, whole documents drawn by the same seed. Rows
`rerank/SUITE-PART`: in-KB accuracy of the linker, of the cross-encoder alone and of both (`fused`), the gain of both
over the linker with an interval over documents, and what a second look costs. The linker is built from the knowledge
base alone, or, with `--linker mentions`, has learned from the annotated mentions too. With `--max-score` only mentions
of which the ranking is unsure are learned from and read. Where held-out mentions do not gain beyond noise the ranking
is used alone; what the mixture would have done is recorded as `+rerank-ungated`. The documents of the suites `--also`,
both halves of them, are asked of the same linker; `--texts` documents of the last test part are linked from raw text.

`sizes`: R and R' (XMRED, Table 7) on held-out training documents of AIDA; nothing of a test split is read.

`speed`: what a pair costs with torch and with onnxruntime, interleaved, and how far their scores differ.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.quality.rerank_text import text_rows
from benchmarks.rows import record, start_run
from benchmarks.suites.data import DataFolder
from benchmarks.suites.suite import Suite, read_suite
from deixis.evaluation.rows import ResultRow
from deixis.evaluation.statistics.bootstrap import interval_of, quotient, share_interval
from deixis.linker import Linker
from deixis.neural.bi_encoder.model import tokenizer_bytes
from deixis.neural.cross_encoder.config import CrossEncoderConfig
from deixis.neural.cross_encoder.pairs import PairConfig, PairExamples
from deixis.neural.cross_encoder.scorer import OnnxPairScorer
from deixis.neural.cross_encoder.train import logits, open_cross_encoder
from deixis.neural.onnx_export import pair_scorer_to_onnx
from deixis.neural.quiet import quiet
from deixis.ranking.feature import document_numbers
from deixis.ranking.rerankers.examples import Ranked, best_scores
from deixis.ranking.rerankers.mixing import RANKING_ALONE, RERANKER_ALONE, Mixing, RerankerScores
from deixis.training.documents import split_documents
from deixis.training.reranker import ambiguous_examples, enough, fit_cross_encoder, ranked_examples
from deixis.training.split import TrainDevSplit, rebuilt_on
from deixis.types import Document

HERE = Path(__file__).resolve().parent
SUITES = ("wiki468k-aida", "medic-ncbi", "mesh-bc5cdr")
SEED = 0
TAUGHT, JUDGED = "to learn from", "to judge by"  # what documents serve for
SYSTEMS = {"zero": "deixis", "mentions": "deixis+mentions"}
Told = dict[str, Any]


def chosen(options: argparse.Namespace, n_taught: int) -> CrossEncoderConfig:
    """The training that the options ask for."""
    return CrossEncoderConfig(
        n_candidates=options.candidates, n_taught=n_taught, max_mentions=options.mentions, max_checked=options.checked,
        epochs=options.epochs, learning_rate=options.rate, batch_size=options.batch, pairs=PairConfig(options.tokens),
        max_score=options.max_score, checks_per_epoch=options.checks,
    )  # fmt: skip


def built(suite: Suite, data: DataFolder, kind: str, work: Path) -> Linker:
    """The linker, kept in the work folder for the next run."""
    folder = work / f"{suite.name}-{kind}"
    if not folder.exists():
        log(f"building {folder.name}")
        mentions = data.read_mentions(suite.mentions) if kind == "mentions" else None
        Linker.build(data.read_kb(suite.kb), mentions, seed=SEED, n_threads=1).save(folder)
    return Linker.load(folder, n_threads=1)


def shared_out(suite: Suite, data: DataFolder, linker: Linker) -> TrainDevSplit:
    """The documents to learn from and those to judge by, which is the suite's dev split if that is another file.

    Of a linker that has learned from all of them, one like it is built on half of the documents; a fifth of the others
    are to judge by.
    """
    own = [part for part in suite.dev if part.path != suite.mentions]
    dev = [document for part in own for document in data.read_part(suite, part)]
    model, documents = linker.model, data.read_mentions(suite.mentions)
    if not dev and model.seen.holds(documents).all():
        documents, half = split_documents(documents, 0.5, SEED)
        log("building another linker on half of the documents")
        model = rebuilt_on(model, half, SEED)
    return TrainDevSplit.of(model, documents, dev or None, seed=SEED)


def gain(options: argparse.Namespace, data: DataFolder) -> Iterator[list[ResultRow]]:
    """The rows of each suite."""
    config, own = chosen(options, options.train_candidates), SYSTEMS[options.linker]
    for name in options.suites:
        suite = read_suite(HERE / f"{name}.yaml")
        data.check(suite)
        linker = built(suite, data, options.linker, options.work)
        split = shared_out(suite, data, linker)
        taught = ambiguous_examples(split, config, SEED)
        held_out = ranked_examples(split.judge, split.dev, JUDGED, config.n_candidates, config.max_checked, SEED + 1)
        n_unsure = int((best_scores(held_out.candidates) <= config.max_score).sum())
        log(f"{name}: {n_unsure} of {len(held_out.mentions)} held-out mentions are read")
        log(f"{name}: training on {len(taught.mentions)} mentions")
        started = time.process_time()
        ranker, seen = fit_cross_encoder(
            linker.kb, taught, held_out, config, options.work / f"{name}-{options.linker}-training", SEED
        )
        told = {
            "mentions": options.mentions, "R'": config.n_taught, "R": config.n_candidates, "epochs": config.epochs,
            "learning_rate": config.learning_rate, "tokens": options.tokens, "encoder": config.encoder, "seed": SEED,
            "threads": 1,
        }  # fmt: skip
        if config.max_score < 1:
            told |= {"max_score": config.max_score, "mentions": len(taught.mentions)}
        cost = ResultRow(
            f"rerank/{name}-dev",
            "train_cpu",
            f"{own}+rerank",
            _short(time.process_time() - started),
            "s",
            settings=told,
        )
        mixings = {"": ranker.mixing} | ({} if ranker.mixing.reranker else {"-ungated": seen.fitted()})
        log(f"{name}: mixing {ranker.mixing}, fitted {seen.fitted()}")
        rows = [cost, *accuracy_rows(f"rerank/{name}-dev", seen, mixings, held_out, own, told)]
        yield rows
        del split
        for place, documents in asked_of(name, suite, options, data):
            asked = ranked_examples(linker.model, documents, JUDGED, config.n_candidates)
            started = time.process_time()
            opinions = ranker.reranker_scores(asked)
            spent = (time.process_time() - started) / len(asked.mentions)
            rows = list(accuracy_rows(place, opinions, mixings, asked, own, told))
            rows.append(
                ResultRow(place, "mentions_per_cpu_second", f"{own}+rerank", _short(1 / spent), "1/s", settings=told)
            )
            numbers = np.repeat(np.arange(len(asked.mentions)), np.diff(opinions.starts))
            n_read = len(np.unique(numbers[opinions.logits != 0]))
            rows.append(
                ResultRow(
                    place, "read_share", f"{own}+rerank", _share(n_read / len(asked.mentions)), "share", settings=told
                )
            )
            if options.texts and place == f"rerank/{name}-{suite.test[-1].name}":
                n_mentions = sum(len(document.mentions) for document in documents) * options.texts // len(documents)
                drawn = enough(documents, n_mentions, SEED)
                added, ranker.mixing = list(mixings.items())[-1]
                rows += text_rows(place, linker, ranker, drawn, (own, f"{own}+rerank{added}"), told)
            yield rows


def asked_of(
    name: str, suite: Suite, options: argparse.Namespace, data: DataFolder
) -> Iterator[tuple[str, list[Document]]]:
    """The test documents to ask about, and the suite that their rows have."""
    for part in reversed(suite.test):
        yield f"rerank/{name}-{part.name}", enough(list(data.read_part(suite, part)), options.questions, SEED)
    for also in options.also:
        other = read_suite(HERE / f"{also}.yaml")
        data.check(other)
        yield (
            f"rerank/{also}-test",
            [each for part in (*other.dev, *other.test) for each in data.read_part(other, part)],
        )


def accuracy_rows(
    place: str, opinions: RerankerScores, mixings: dict[str, Mixing], asked: Ranked, own: str, told: Told
) -> Iterator[ResultRow]:
    """The accuracy of each side and of both, and what both gain over the ranking, with intervals over documents.

    `mixings` has those of both by what is added to the name of the system.
    """
    _, numbers = np.unique(document_numbers(asked.mentions), return_inverse=True)
    n = len(asked.mentions)
    totals = np.bincount(numbers).astype(np.float64)
    mixed = {f"{own}+rerank{added}": mixing for added, mixing in mixings.items()}
    sides = {own: RANKING_ALONE, f"{own}+cross-encoder-alone": RERANKER_ALONE} | mixed
    right = {name: np.bincount(numbers, weights=opinions.is_first_right(each)) for name, each in sides.items()}
    for name, hits in right.items():
        span = share_interval(hits, totals, SEED)
        yield ResultRow(
            place, "accuracy", name, _share(hits.sum() / n), "share", _share(span.low), _share(span.high), n, told
        )
    for name in mixed:
        sums = np.column_stack([right[name], right[own], totals])
        span = interval_of(_difference, sums, SEED)
        gained = [_share(each) for each in ((sums[:, 0] - sums[:, 1]).sum() / n, span.low, span.high)]
        yield ResultRow(place, "accuracy_gain", name, gained[0], "share", gained[1], gained[2], n, told)


def _difference(sums: NDArray[np.float64]) -> NDArray[np.float64]:
    return quotient(sums[:, 0] - sums[:, 1], sums[:, 2])


def sizes(options: argparse.Namespace, data: DataFolder) -> Iterator[list[ResultRow]]:
    """Table 7: the accuracy of both for every R' trained with and every R asked with, on held-out documents."""
    suite = read_suite(HERE / "wiki468k-aida.yaml")
    linker = built(suite, data, options.linker, options.work)
    split = shared_out(suite, data, linker)
    most = max(options.r)
    held_out = ranked_examples(split.judge, split.dev, JUDGED, most, options.checked, SEED + 1)
    for n_taught in options.r_taught:
        config = chosen(options, n_taught)
        taught = ranked_examples(split.judge, split.train, TAUGHT, n_taught, config.max_mentions, SEED)
        log(f"R' = {n_taught}")
        ranker, _ = fit_cross_encoder(linker.kb, taught, held_out, config, options.work / f"sizes-{n_taught}", SEED)
        rows = []
        ranker.config = replace(ranker.config, n_candidates=most)
        everything = ranker.reranker_scores(held_out)
        for n in options.r:
            opinions = first(everything, n)
            told = {"mentions": options.mentions, "epochs": options.epochs, "R'": n_taught, "R": n, "seed": SEED}
            rows += accuracy_rows(
                f"rerank/sizes-{n_taught}-{n}",
                opinions,
                {"": opinions.mixing()},
                held_out,
                SYSTEMS[options.linker],
                told,
            )
        yield rows


def first(opinions: RerankerScores, n: int) -> RerankerScores:
    """What was said of the first `n` candidates of each mention."""
    counts = np.diff(opinions.starts)
    is_first = np.arange(len(opinions.shares)) - np.repeat(opinions.starts[:-1], counts) < n
    starts = np.concatenate([[0], np.cumsum(np.minimum(counts, n))])
    return RerankerScores(starts, opinions.shares[is_first], opinions.logits[is_first], opinions.is_right[is_first])


def speed(options: argparse.Namespace, data: DataFolder) -> Iterator[list[ResultRow]]:
    """What a pair of 128 tokens costs by torch and by onnxruntime, and how far their scores differ."""
    pairs = [("entity " * 60, f"mention {number} " + "text " * 58) for number in range(64)]
    lessons = PairExamples(np.array([0, len(pairs)]), pairs, np.zeros(len(pairs), dtype=np.bool_))
    with quiet(1):
        model = open_cross_encoder("minilm", 128)
        graph, stored = pair_scorer_to_onnx(model), tokenizer_bytes(model)
        scorer = OnnxPairScorer(np.frombuffer(graph, np.uint8), np.frombuffer(stored, np.uint8), n_threads=1)
        costs: dict[str, list[float]] = {"torch": [], "onnxruntime": []}
        for _ in range(options.repeats):
            for name, score in (
                ("torch", lambda: logits(model, lessons)),
                ("onnxruntime", lambda: scorer.scores(pairs)),
            ):
                started = time.process_time()
                score()
                costs[name].append(1000 * (time.process_time() - started) / len(pairs))
        apart = float(np.abs(logits(model, lessons) - scorer.scores(pairs)).max())
    told = {"threads": 1, "tokens": 128, "pairs": len(pairs), "repeats": options.repeats, "encoder": "minilm"}
    rows = [
        ResultRow(
            "rerank/speed",
            "pair_cpu",
            name,
            _short(median(each)),
            "ms",
            _short(min(each)),
            _short(max(each)),
            len(each),
            told,
        )
        for name, each in costs.items()
    ]
    ratios = [one / other for one, other in zip(costs["torch"], costs["onnxruntime"], strict=True)]
    rows.append(
        ResultRow(
            "rerank/speed",
            "pair_cpu_ratio",
            "torch/onnxruntime",
            _short(median(ratios)),
            "x",
            _short(min(ratios)),
            _short(max(ratios)),
            len(ratios),
            told,
        )
    )
    rows.append(ResultRow("rerank/speed", "largest_difference", "torch/onnxruntime", _short(apart), "", settings=told))
    yield rows


def _share(value: float) -> float:
    return round(float(value), 4)


def _short(value: float) -> float:
    return float(f"{value:.4g}")


def log(words: str) -> None:
    """What goes on, and how much processor time it took until now."""
    print(f"[{time.process_time():.0f} s] {words}", file=sys.stderr, flush=True)


def main(arguments: list[str] | None = None) -> int:
    """Measure, print and record."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("study", choices=("gain", "sizes", "speed"))
    parser.add_argument("--suites", nargs="+", default=SUITES, metavar="SUITE")
    parser.add_argument("--linker", choices=SYSTEMS, default="zero", help="what the linker was built from")
    parser.add_argument("--mentions", type=int, default=2000, help="training mentions")
    parser.add_argument("--train-candidates", type=int, default=8, help="R': candidates of a training mention")
    parser.add_argument("--candidates", type=int, default=10, help="R: candidates re-ranked")
    parser.add_argument("--questions", type=int, default=600, help="test mentions")
    parser.add_argument("--checked", type=int, default=300, help="held-out mentions")
    parser.add_argument("--max-score", type=float, default=1.0, help="of the best candidate, of mentions that are read")
    parser.add_argument("--also", nargs="+", default=(), metavar="SUITE", help="gain: suites asked of the same linker")
    parser.add_argument(
        "--texts", type=int, default=0, help="gain: documents of the last test part linked from raw text"
    )
    parser.add_argument("--checks", type=int, default=2, help="times an epoch that the held-out mentions are read")
    parser.add_argument("--epochs", type=int, default=1)
    parser.add_argument("--rate", type=float, default=1e-4, help="learning rate")
    parser.add_argument("--batch", type=int, default=16)
    parser.add_argument("--tokens", type=int, default=96, help="tokens of a pair")
    parser.add_argument("--r", type=int, nargs="+", default=(5, 10, 15, 20), help="sizes: R")
    parser.add_argument("--r-taught", type=int, nargs="+", default=(5, 10, 15, 20), help="sizes: R'")
    parser.add_argument("--repeats", type=int, default=5, help="speed: times each is asked")
    parser.add_argument("--work", type=Path, default=Path("build/rerank"), help="folder for models and checkpoints")
    parser.add_argument("--dry-run", action="store_true", help="record nothing")
    options = parser.parse_args(arguments)
    data = DataFolder.choose(None, HERE.parents[1])
    start_run(is_recorded=not options.dry_run)
    options.work.mkdir(parents=True, exist_ok=True)
    for rows in {"gain": gain, "sizes": sizes, "speed": speed}[options.study](options, data):
        for row in rows:
            print(f"{row.suite:32} {row.system:18} {row.metric:24} {row.value:.4f} {row.low} {row.high}", flush=True)
        if not options.dry_run:
            record(rows)
    return 0


if __name__ == "__main__":
    sys.exit(main())
