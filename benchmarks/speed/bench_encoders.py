"""Encoders side by side: `python -m benchmarks.speed.bench_encoders [--dry-run]`.

MiniLM on NumPy, as an ONNX graph and by torch, and the static encoder distilled from it, on beginnings of descriptions
of `wiki468k` that have about 8 and about 64 tokens. Texts per processor second of one thread: each encoder in turn
encodes the same texts, `REPEATS` times; the median counts, with the slowest and the quickest. Ratios are of the medians
against NumPy, `agreement` is the mean cosine with torch's vector of the same text.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from statistics import median

import numpy as np
import torch
from numpy.typing import NDArray

from benchmarks.rows import record, start_run
from benchmarks.suites.data import DataFolder
from deixis.encoders.minilm import MiniLmEncoder, package_folder
from deixis.encoders.protocol import TextEncoder
from deixis.encoders.static import StaticEncoder
from deixis.encoders.unit_rows import unit_rows
from deixis.evaluation.rows import ResultRow
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.neural.quiet import quiet
from deixis.neural.sentence_encoder import open_as_onnx, open_sentence_transformer
from deixis.neural.windows import TokenWindows

SEED, REPEATS = 0, 5
LENGTHS = {8: 256, 64: 64}  # tokens of a text with the two around it, and how many texts
STATIC_TIMES = 40  # the static encoder gets each text so often, or it were done at once; it remembers words by then


class Torch:
    """MiniLM by sentence-transformers, as it comes."""

    def __init__(self) -> None:
        self.model = open_sentence_transformer("minilm")

    def encode(self, texts: list[str], /) -> NDArray[np.float32]:
        """Vectors of the texts."""
        rows: NDArray[np.float32] = self.model.encode(texts, batch_size=32, show_progress_bar=False)
        return rows


def main(arguments: list[str] | None = None) -> int:
    """Measure, print and record."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dry-run", action="store_true", help="record nothing")
    options = parser.parse_args(arguments)
    start_run(is_recorded=not options.dry_run)
    torch.set_num_threads(1)
    with quiet():
        rows = []
        for row in measure(DataFolder.choose(None, Path(__file__).resolve().parents[2])):
            rows.append(row)
            print(f"{row.suite:18} {row.system:22} {row.metric:14} {row.value:>10g} {row.unit}", flush=True)
    if not options.dry_run:
        record(rows)
    return 0


def measure(data: DataFolder) -> Iterator[ResultRow]:
    """What each costs to make and to use, and how alike the vectors are."""
    encoders: dict[str, TextEncoder] = {}
    makers = {"minilm-numpy": MiniLmEncoder, "minilm-torch": Torch, "minilm-onnx": lambda: open_as_onnx("minilm"),
              "static": lambda: StaticEncoder.distil(MiniLmEncoder())}  # fmt: skip
    for name, make in makers.items():
        started = time.process_time()
        encoders[name] = make()
        yield ResultRow("encoders", "open_cpu", name, _rounded(time.process_time() - started), "s")
    kb = KnowledgeBase.read(data.find("wiki468k/kb.jsonl.gz"))
    for n_tokens, n_texts in LENGTHS.items():
        texts = of_length(kb, n_tokens, n_texts)
        settings = {"n_tokens": n_tokens, "n_texts": n_texts, "repeats": REPEATS, "seed": SEED, "threads": 1}
        yield from rows_of(f"encoders/{n_tokens}-tokens", texts, encoders, settings)


def rows_of(
    place: str, texts: list[str], encoders: Mapping[str, TextEncoder], settings: dict[str, int]
) -> Iterator[ResultRow]:
    """Speed, ratios of speed, and agreement with torch."""
    speeds = speeds_of(texts, encoders)
    for name, found in speeds.items():
        value, low, high = (_rounded(one) for one in (median(found), min(found), max(found)))
        yield ResultRow(place, "texts_per_cpu_second", name, value, "texts/s", low, high, len(texts), settings)
    for name in ("minilm-torch", "minilm-onnx", "static"):
        ratio = median(speeds[name]) / median(speeds["minilm-numpy"])
        yield ResultRow(place, "speed_ratio", f"{name}/minilm-numpy", _rounded(ratio), "x", settings=settings)
    expected = unit_rows(encoders["minilm-torch"].encode(texts))
    for name in ("minilm-numpy", "minilm-onnx"):
        agreement = float((expected * encoders[name].encode(texts)).sum(axis=1).mean())
        yield ResultRow(place, "agreement", name, round(agreement, 6), "cosine", n=len(texts), settings=settings)
    kept = likeness_kept(expected, encoders["static"].encode(texts))
    yield ResultRow(place, "likeness_correlation", "static/minilm-torch", round(kept, 4), "r", settings=settings)


def speeds_of(texts: list[str], encoders: Mapping[str, TextEncoder]) -> dict[str, list[float]]:
    """Texts per processor second, in each of the repeats."""
    speeds: dict[str, list[float]] = {name: [] for name in encoders}
    for encoder in encoders.values():
        encoder.encode(texts[:8])  # the first call of each library prepares something
    for _ in range(REPEATS):
        for name, encoder in encoders.items():
            given = texts * STATIC_TIMES if name == "static" else texts
            started = time.process_time()
            encoder.encode(given)
            speeds[name].append(len(given) / (time.process_time() - started))
    return speeds


def likeness_kept(expected: NDArray[np.float32], found: NDArray[np.float32]) -> float:
    """The correlation of the cosines between all pairs of texts, by one encoder and by the other."""
    pairs = np.triu_indices(len(expected), 1)
    return float(np.corrcoef((expected @ expected.T)[pairs], (found @ found.T)[pairs])[0, 1])


def of_length(kb: KnowledgeBase, n_tokens: int, n_texts: int) -> list[str]:
    """Beginnings of descriptions with about that many tokens, drawn with a fixed seed."""
    drawn = np.sort(np.random.default_rng(SEED).choice(len(kb), 20 * n_texts, replace=False))
    windows = TokenWindows.from_file(package_folder() / "tokenizer.json")
    heads = windows.heads(list(kb.description_texts(drawn)), n_tokens - 2)
    lengths = windows.n_tokens(heads)
    return [head for head, n in zip(heads, lengths, strict=True) if n_tokens - 4 <= n <= n_tokens - 2][:n_texts]


def _rounded(value: float) -> float:
    return float(f"{value:.4g}")


if __name__ == "__main__":
    sys.exit(main())
