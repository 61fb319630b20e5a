"""What speaks for and against a span being a mention, as numbers: how it is written, where it stands, its name.

What the features of a span say, for people.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from deixis.detection.calendar import is_calendar
from deixis.detection.name_facts import NameFacts
from deixis.detection.odds import KeyOdds
from deixis.detection.spans import Sign, SpanTable

_SIGNS = {
    "name": Sign.NAME, "unruly": Sign.UNRULY_NAME, "inflected": Sign.INFLECTED, "upper": Sign.BEGINS_UPPER,
    "all_upper": Sign.ALL_UPPER, "lower": Sign.BEGINS_LOWER, "begins_sentence": Sign.BEGINS_SENTENCE,
    "upper_anyway": Sign.UPPER_ANYWAY, "follows_upper": Sign.FOLLOWS_UPPER, "precedes_upper": Sign.PRECEDES_UPPER,
    "in_longer_name": Sign.IN_LONGER_NAME, "common": Sign.COMMON_NAME, "hyphen_before": Sign.HYPHEN_BEFORE,
    "hyphen_after": Sign.HYPHEN_AFTER, "number": Sign.HAS_NUMBER, "lower_word": Sign.HAS_LOWER_WORD,
    "lower_text": Sign.LOWER_TEXT,
}  # fmt: skip

FEATURES: tuple[str, ...] = (
    "one", *_SIGNS, "nameless", "one_word", "two_words", "many_words", "short", "length",
    "nameless_follows_upper", "nameless_precedes_upper", "nameless_upper_anyway", "nameless_one_word",
    "one_word_upper_anyway", "one_word_lower", "all_upper_one_word", "name_in_longer_name",
    "bearers", "popularity", "own_upper", "own_lower", "own_lower_share", "own_lower_share_lower",
    "own_lower_share_upper_anyway", "popularity_lower", "repeated", "calendar",
    "seen", "seen_lower", "seen_name", "before", "after",
)  # fmt: skip
"""The features by name, in order; from `seen` on they come from annotated documents."""

N_LEARNED = 5
MAX_REPEATED = 5  # spans that read alike; in a book there may be thousands
N_OWN = len(FEATURES) - N_LEARNED


def span_features(
    spans: SpanTable,
    facts: NameFacts,
    seen: KeyOdds,
    before: KeyOdds,
    after: KeyOdds,
    repeated: NDArray[np.float32] | None = None,
) -> NDArray[np.float32]:
    """spans_by_features; `alike` is what `n_repeated` says of them, if they are part of a longer table."""
    own = own_features(spans, facts, repeated)
    return np.column_stack([own, *learned_features(spans, seen, before, after)]).astype(np.float32, copy=False)


def own_features(
    spans: SpanTable, facts: NameFacts, repeated: NDArray[np.float32] | None = None
) -> NDArray[np.float32]:
    """spans_by_features, all but those that are learned."""
    counts = n_repeated(spans) if repeated is None else repeated
    has = {name: spans.has(sign).astype(np.float32) for name, sign in _SIGNS.items()}
    nameless = (spans.names < 0).astype(np.float32)
    # Scripts without capitals are mostly those without spaces, where every character is a token.
    has_case = (has["upper"] + has["lower"] + has["number"]) > 0
    n_words = np.where(has_case, spans.n_tokens, 1)
    one, two = ((n_words == n).astype(np.float32) for n in (1, 2))
    lengths = (spans.ends - spans.starts).astype(np.float32)
    n_entities, popularity, own_upper, own_lower = facts.of(spans.names).T
    lower_ratio = own_lower - own_upper
    columns = [
        np.ones(len(spans), dtype=np.float32), *has.values(),
        nameless, one, two, (n_words > 3).astype(np.float32), (lengths <= 3).astype(np.float32),
        np.log1p(lengths), nameless * has["follows_upper"], nameless * has["precedes_upper"],
        nameless * has["upper_anyway"], nameless * one,
        one * has["upper_anyway"], one * has["lower"], has["all_upper"] * one, has["name"] * has["in_longer_name"],
        n_entities, popularity, own_upper, own_lower, lower_ratio, lower_ratio * has["lower"],
        lower_ratio * has["upper_anyway"], popularity * has["lower"], np.log(np.minimum(counts, MAX_REPEATED)),
        is_calendar(spans).astype(np.float32),
    ]  # fmt: skip
    return np.column_stack(columns).astype(np.float32, copy=False)


def learned_features(spans: SpanTable, seen: KeyOdds, before: KeyOdds, after: KeyOdds) -> list[NDArray[np.float32]]:
    """The columns that annotated documents give: how often what reads so is a mention, and what stands beside it."""
    odds = seen.of(spans.keys)
    lower, name = (spans.has(sign).astype(np.float32) for sign in (Sign.BEGINS_LOWER, Sign.NAME))
    return [odds, odds * lower, odds * name, before.of(spans.before), after.of(spans.after)]


def n_repeated(spans: SpanTable) -> NDArray[np.float32]:
    """How many spans of its text read like each span, itself counted."""
    order = np.lexsort((spans.keys, spans.texts))
    texts, keys = spans.texts[order], spans.keys[order]
    is_new = np.ones(len(order), dtype=bool)
    is_new[1:] = (np.diff(texts) != 0) | (keys[1:] != keys[:-1])
    groups = np.cumsum(is_new) - 1
    counts = np.empty(len(order), dtype=np.float32)
    counts[order] = np.bincount(groups)[groups]
    return counts


MEANINGS: dict[str, str] = {
    "one": "what holds of every span",
    "name": "it is a name on the list",
    "unruly": "it is a name on the list, written otherwise",
    "inflected": "it is the plural or the singular of a name",
    "upper": "it begins with a capital",
    "all_upper": "it is all in capitals",
    "lower": "it begins with a small letter",
    "begins_sentence": "it begins a sentence",
    "upper_anyway": "capitals say nothing where it stands",
    "follows_upper": "the word before has a capital",
    "precedes_upper": "the word after has a capital",
    "in_longer_name": "it is part of a longer name",
    "common": "a common word is written like it",
    "hyphen_before": "a hyphen stands before it",
    "hyphen_after": "a hyphen stands after it",
    "number": "it has a number",
    "lower_word": "a word inside has no capital",
    "lower_text": "no word around it has a capital",
    "nameless": "it is no name on the list",
    "one_word": "it is one word",
    "two_words": "it is two words",
    "many_words": "it is more than three words",
    "short": "it has three letters or fewer",
    "length": "how long it is",
    "nameless_follows_upper": "it is no name, and the word before has a capital",
    "nameless_precedes_upper": "it is no name, and the word after has a capital",
    "nameless_upper_anyway": "it is no name, and capitals say nothing there",
    "nameless_one_word": "it is no name, and one word",
    "one_word_upper_anyway": "it is one word, and capitals say nothing there",
    "one_word_lower": "it is one word that begins with a small letter",
    "all_upper_one_word": "it is one word all in capitals",
    "name_in_longer_name": "it is a name, and part of a longer name",
    "bearers": "how many entities bear the name",
    "popularity": "how popular those who bear the name are",
    "own_upper": "how often descriptions write it with a capital",
    "own_lower": "how often descriptions write it with a small letter",
    "own_lower_share": "how much more often descriptions write it small than with a capital",
    "own_lower_share_lower": "descriptions write it small, and so does this text",
    "own_lower_share_upper_anyway": "descriptions write it small, and capitals say nothing here",
    "popularity_lower": "how popular those who bear it are, and it is written small",
    "repeated": "how often the text has it",
    "calendar": "it is a day or a month",
    "seen": "how often it was a mention in annotated documents",
    "seen_lower": "how often it was a mention there, and it is written small here",
    "seen_name": "how often it was a mention there, and it is a name on the list",
    "before": "the word before stands before mentions elsewhere",
    "after": "the word after stands after mentions elsewhere",
    "corrected": "what corrections said of spans that read so",
}
"""Name of a feature of `deixis.detection.span_features`, or what corrections add to them -> what it says."""
