"""Features of a span: spelling, context and name, and the meaning of each feature."""

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
MAX_REPEATED = 5  # spans with the same words; in a book there may be thousands
N_OWN = len(FEATURES) - N_LEARNED


def span_features(
    spans: SpanTable,
    facts: NameFacts,
    seen: KeyOdds,
    before: KeyOdds,
    after: KeyOdds,
    repeated: NDArray[np.float32] | None = None,
) -> NDArray[np.float32]:
    """spans_by_features; `repeated` is `n_repeated` of them, if they are part of a longer table."""
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
    """The features from annotated documents: how often the words are a mention, and the words next to mentions."""
    odds = seen.of(spans.keys)
    lower, name = (spans.has(sign).astype(np.float32) for sign in (Sign.BEGINS_LOWER, Sign.NAME))
    return [odds, odds * lower, odds * name, before.of(spans.before), after.of(spans.after)]


def n_repeated(spans: SpanTable) -> NDArray[np.float32]:
    """How many spans of its text have the same words as each span, itself included."""
    order = np.lexsort((spans.keys, spans.texts))
    texts, keys = spans.texts[order], spans.keys[order]
    is_new = np.ones(len(order), dtype=bool)
    is_new[1:] = (np.diff(texts) != 0) | (keys[1:] != keys[:-1])
    groups = np.cumsum(is_new) - 1
    counts = np.empty(len(order), dtype=np.float32)
    counts[order] = np.bincount(groups)[groups]
    return counts


MEANINGS: dict[str, str] = {
    "one": "constant",
    "name": "name of the knowledge base",
    "unruly": "name of the knowledge base in another spelling",
    "inflected": "plural or singular of a name",
    "upper": "begins with a capital",
    "all_upper": "all capitals",
    "lower": "begins in lower case",
    "begins_sentence": "begins a sentence",
    "upper_anyway": "in a position where capitals are not evidence",
    "follows_upper": "previous word is capitalized",
    "precedes_upper": "next word is capitalized",
    "in_longer_name": "part of a longer name",
    "common": "spelled like a common word",
    "hyphen_before": "hyphen before it",
    "hyphen_after": "hyphen after it",
    "number": "contains a number",
    "lower_word": "contains a word in lower case",
    "lower_text": "no capitalized word around it",
    "nameless": "not a name of the knowledge base",
    "one_word": "one word",
    "two_words": "two words",
    "many_words": "more than three words",
    "short": "at most three characters",
    "length": "length",
    "nameless_follows_upper": "not a name, and the previous word is capitalized",
    "nameless_precedes_upper": "not a name, and the next word is capitalized",
    "nameless_upper_anyway": "not a name, in a position where capitals are not evidence",
    "nameless_one_word": "not a name, one word",
    "one_word_upper_anyway": "one word, in a position where capitals are not evidence",
    "one_word_lower": "one word in lower case",
    "all_upper_one_word": "one word in all capitals",
    "name_in_longer_name": "name that is part of a longer name",
    "bearers": "number of entities with the name",
    "popularity": "popularity of the entities with the name",
    "own_upper": "capitalized occurrences in descriptions",
    "own_lower": "lower-case occurrences in descriptions",
    "own_lower_share": "ratio of lower-case to capitalized occurrences in descriptions",
    "own_lower_share_lower": "the same ratio, if it is in lower case here",
    "own_lower_share_upper_anyway": "the same ratio, in a position where capitals are not evidence",
    "popularity_lower": "popularity of the entities with the name, if it is in lower case",
    "repeated": "occurrences in the text",
    "calendar": "day, month or date",
    "seen": "how often it is a mention in annotated documents",
    "seen_lower": "how often it is a mention in annotated documents, if it is in lower case here",
    "seen_name": "how often it is a mention in annotated documents, if it is a name of the knowledge base",
    "before": "how often the previous word precedes mentions",
    "after": "how often the next word follows mentions",
    "corrected": "corrections of spans with the same words",
}
"""Name of a feature, or `corrected` -> its meaning."""
