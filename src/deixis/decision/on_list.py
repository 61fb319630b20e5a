"""How likely a mention means an entity of the list at all: a logistic of sixteen numbers about its best candidate.

The share of the best candidate (softmax) says which entity, if one of them is meant; it cannot say that none is.
Nearly all numbers here are absolute: how well the mention is spelled by a name of the candidate, or said by its
description, whatever other candidates there are. The score of a candidate is the product of both. The weights come
with Deixis, for lists of any size; `python -m benchmarks.quality.score_weights` learned them over many lists.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Sequence
from functools import cache, lru_cache
from importlib.resources import files

import numpy as np
from numpy.typing import NDArray

from deixis.features.acronyms import acronym_of_mention, acronyms
from deixis.features.name_forms import NameForms, NameFormsConfig
from deixis.features.stop_words import filler_words
from deixis.features.tokens import tokenize
from deixis.learners.log_odds import expit
from deixis.learners.logistic import weighed
from deixis.native import _core
from deixis.store.string_hashes import hash_strings
from deixis.store.strings import StringTable
from deixis.tables import BestCandidates

EVIDENCE = {
    "exact": "the mention is one of its names",
    "acronym": "the mention is the initials of one of its names",
    "similarity": "spelling similarity of its best name",
    "high_similarity": "spelling similarity of its best name above 0.75",
    "shared_words": "fraction of the mention's words that begin as words of one name",
    "described": "fraction of the mention's words that its description has",
    "fully_described": "its description has all words of the mention",
    "size_exact": "size of the list, if the mention is one of its names",
    "size_part": "size of the list, if the mention is a part of one of its names",
    "n_words": "number of words of the mention",
    "digit": "the mention has a digit and is none of its names",
    "label_tree": "score of the label tree",
    "capital_exact": "the mention is capitalised and one of its names",
    "lead_exact": "margin over the second candidate, if the mention is one of its names",
    "described_list": "the mention is none of its names, in a list with descriptions",
    "title_exact": "the mention is its title",
    "one": "constant",
}
"""The evidence that a mention means an entity of the list: names and meanings."""
MAX_NAMES = 150  # of one entity that are compared
_FORMS = NameForms(NameFormsConfig.loose())


def on_list_evidence(
    mentions: Sequence[str],
    best: BestCandidates,
    names_of: Callable[[int], Sequence[str]],
    n_entities: int,
    is_described: bool,
) -> NDArray[np.float32]:
    """mentions_by_evidence, in the order of `EVIDENCE`; all 0 where there is no candidate.

    `names_of` gives the names of an entity by its row; `n_entities` of the list may be candidates, and `is_described`
    says whether it has descriptions.
    """
    evidence = _core.on_list_evidence(
        _spelled(mentions, best, names_of), np.array([_counts(mention) for mention in mentions]).reshape(-1, 5),
        best.rows, best.alias, best.title, best.label_tree, best.leads, best.described, best.known,
        np.asarray(best.n_known, dtype=np.int64), best.max_idf, np.log10(max(n_entities, 1)) - 3, is_described,
    )  # fmt: skip
    return evidence.reshape(-1, len(EVIDENCE))


def on_list_probabilities(evidence: NDArray[np.float32]) -> NDArray[np.float64]:
    """How likely mentions with this evidence mean an entity of the list; 0 where there is no candidate."""
    probabilities: NDArray[np.float64] = expit(weighed(evidence, on_list_weights())) * evidence[:, -1]
    return probabilities


@cache
def on_list_weights() -> NDArray[np.float64]:
    """The weights that come with Deixis, in the order of `EVIDENCE`."""
    weights: dict[str, float] = json.loads(files("deixis.decision").joinpath("on_list_weights.json").read_text("utf-8"))
    return np.array([weights[name] for name in EVIDENCE])


def _spelled(
    mentions: Sequence[str], best: BestCandidates, names_of: Callable[[int], Sequence[str]]
) -> NDArray[np.float64]:
    """Similarity, shared words, whether it is a part of a name and whether initials of one, for each mention, [n, 4].

    A mention known as a name of its candidate is not compared, unless it is written like an acronym.
    """
    spelled = np.zeros((len(mentions), 4))
    spelled[:, 0] = best.alias > 0
    pairs: dict[tuple[str, int], list[int]] = {}
    for number, (mention, row, alias) in enumerate(zip(mentions, best.rows.tolist(), best.alias.tolist(), strict=True)):
        if row >= 0 and (alias <= 0 or acronym_of_mention(mention)):
            pairs.setdefault((mention, row), []).append(number)
    if not pairs:
        return spelled
    row_to_names = {row: names_of(row)[:MAX_NAMES] for row in dict.fromkeys(row for _, row in pairs)}
    compared = [row_to_names[row] for _, row in pairs]
    numbers = [number for own in pairs.values() for number in own]
    n_each = [len(own) for own in pairs.values()]
    spelled[numbers, :3] = np.repeat(_similar([mention for mention, _ in pairs], compared), n_each, axis=0)
    shorts = [acronym_of_mention(mention) for mention, _ in pairs]
    abbreviated = dict.fromkeys(name for own, short in zip(compared, shorts, strict=True) if short for name in own)
    short_of = dict(zip(abbreviated, acronyms(abbreviated), strict=True)) if abbreviated else {}
    for (own, short), positions in zip(zip(compared, shorts, strict=True), pairs.values(), strict=True):
        spelled[positions, 3] = bool(short) and any(short_of[name] == short for name in own)
    return spelled


def _similar(mentions: Sequence[str], names: Sequence[Sequence[str]]) -> NDArray[np.float64]:
    """The similarity of each mention to the best of its names, the words one shares, and whether it has them all."""
    different = dict.fromkeys(itertools.chain(mentions, *names))
    number_of = {name: number for number, name in enumerate(different)}
    keys = _FORMS.keys(list(different), n_threads=1)
    queries = np.array([number_of[mention] for mention in mentions], dtype=np.int64)
    starts = np.array([0, *itertools.accumulate(map(len, names))], dtype=np.int64)
    compared = np.array([number_of[name] for own in names for name in own], dtype=np.int64)
    spelled = _core.name_spelling(keys.data, keys.offsets, queries, starts, compared, _filler_hashes())
    return spelled.reshape(-1, 3)


def _runs(text: str) -> list[list[str]]:
    """The tokens of a text, those together that nothing separates: characters of a script without spaces."""
    runs: list[list[str]] = []
    end = -1
    for token in tokenize(text):
        if token.start == end:
            runs[-1].append(token.text)
        else:
            runs.append([token.text])
        end = token.end
    return runs


@cache
def _fillers() -> frozenset[str]:
    runs = (run for key in _FORMS.keys(filler_words(), n_threads=1) for run in _runs(key))
    return frozenset(word for run in runs for word in ([a + b for a, b in itertools.pairwise(run)] or run))


@cache
def _filler_hashes() -> NDArray[np.uint64]:
    return np.sort(hash_strings(StringTable.from_strings(sorted(_fillers()))))


@lru_cache(maxsize=1 << 14)
def _counts(mention: str) -> tuple[float, float, float, float, float]:
    """The words of a text, the different tokens, those of them that are no fillers; a digit, a capital first, or 0."""
    words = {token.text for token in tokenize(mention)}
    n_telling = len(words - _fillers())
    has_digit = any(map(str.isdigit, mention))
    return (
        float(len(_runs(mention))),
        float(len(words)),
        float(n_telling),
        float(has_digit),
        mention[:1].isupper() * 1.0,
    )
