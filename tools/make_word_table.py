"""Writes src/deixis/detection/words.tsv, the common words of English: `python -m tools.make_word_table`.

Counted in the descriptions of `wiki468k` (DEIXIS_DATA, else ../shared/data): how often each stem occurs, as the
logarithm of its frequency per billion words, and which share of its occurrences inside sentences is in lower case. The
table has the 5,000 most frequent stems; more did not help (docs/explanation/detection.md).
"""

from __future__ import annotations

import gzip
import json
import os
import re
import sys
from collections import Counter
from math import log10
from pathlib import Path

from deixis.native import _core

ROOT = Path(__file__).resolve().parents[1]
DATA = Path(os.environ.get("DEIXIS_DATA", ROOT.parent / "shared" / "data"))
TARGET = ROOT / "src" / "deixis" / "detection" / "words.tsv"
N_WORDS = 5_000
_WORD = re.compile(r"[^\W\d_]+")
_ENDS_SENTENCE = re.compile(r"[.!?:;\"“”„«»(\[\n]\s*$")


def main() -> int:
    """Counts, and writes the table."""
    n_lower: Counter[str] = Counter()
    n_upper: Counter[str] = Counter()
    n_all: Counter[str] = Counter()
    with gzip.open(DATA / "wiki468k" / "kb.jsonl.gz", "rt", encoding="utf-8") as lines:
        for line in lines:
            count(json.loads(line).get("description") or "", n_all, n_lower, n_upper)
    stems: dict[str, list[int]] = {}
    for word, n in n_all.items():
        for stem in _core.stems(word)[:1]:
            sums = stems.setdefault(stem, [0, 0, 0])
            for place, value in enumerate((n, n_lower[word], n_upper[word])):
                sums[place] += value
    total = sum(n for n, _, _ in stems.values())
    commonest = sorted(stems, key=lambda stem: (-stems[stem][0], stem))[:N_WORDS]
    rows = ["# stem, log10 of its frequency per billion words, share in lower case; made by tools/make_word_table.py"]
    for stem in commonest:
        n, lower, upper = stems[stem]
        rows.append(f"{stem}\t{log10(n / total * 1e9):.2f}\t{(lower + 0.5) / (lower + upper + 1):.2f}")
    TARGET.write_text("\n".join(rows) + "\n", encoding="utf-8")
    print(f"{total:,} words counted, {len(rows) - 1:,} of {len(stems):,} stems written", file=sys.stderr)
    return 0


def count(text: str, n_all: Counter[str], n_lower: Counter[str], n_upper: Counter[str]) -> None:
    """Adds the words of a text; capitals where a sentence begins say nothing."""
    end = 0
    for match in _WORD.finditer(text):
        word, before = match[0], text[end : match.start()]
        folded = word.casefold()
        n_all[folded] += 1
        if word[0].islower():
            n_lower[folded] += 1
        elif end and not _ENDS_SENTENCE.search(before):
            n_upper[folded] += 1
        end = match.end()


if __name__ == "__main__":
    sys.exit(main())
