"""Features of a span: how it is written, its words, its name, the list and the text, and the meaning of each feature.

A span that is a name of the list belongs to one of nine classes, by its case and by whether it has one word or more.
Each class has the same nine columns: the class itself, and its products with what is known of the list (`common`,
`list_lower`, `few`) and of the words (`frequent`, `lower`): so the weights of one list serve for others. Spans that are
no name (runs of capitalized words) have the same and further columns of their own.
"""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

from deixis.detection.calendar import is_calendar
from deixis.detection.name_facts import NameFacts
from deixis.detection.names import NameMatcher
from deixis.detection.odds import KeyOdds
from deixis.detection.spans import Sign, SpanTable

Column = NDArray[np.float32]

CLASSES = {
    "lower_word": "one word in lower case",
    "lower_words": "several words in lower case",
    "title_word": "one word with a capital",
    "title_words": "several words, the first with a capital",
    "start_word": "one word with a capital, where capitals are not evidence",
    "start_words": "several words, the first with a capital where capitals are not evidence",
    "capitals_word": "one word in all capitals",
    "capitals_words": "several words in all capitals",
    "mixed": "name in mixed case, or without letters",
    "run": "not a name of the knowledge base",
}
FACTORS = {
    "": "",
    "*common": ", in a list that names common words",
    "*list_lower": ", in a list whose names are written in lower case",
    "*frequent": ", by the frequency of its rarest word",
    "*frequent*common": ", by the frequency of its rarest word, in a list that names common words",
    "*lower": ", by how often its words are in lower case elsewhere",
    "*lower*list_lower": ", by how often its words are in lower case elsewhere, in a list whose names are, too",
    "*few": ", in a short list",
    "*few*frequent": ", by the frequency of its rarest word, in a short list",
}
OTHERS = {
    "one": "constant",
    "listed_case": "written in a case that the list has",
    "only_capitals": "in capitals on the list, but not here",
    "only_capitals_here": "in capitals on the list and here",
    "listed_lower": "in lower case here and on the list",
    "misspelt": "one letter away from a name",
    "misspelt*common": "one letter away from a name, in a list that names common words",
    "misspelt_word": "one word, one letter away from a name",
    "misspelt_upper": "capitalized, one letter away from a name",
    "misspelt*few": "one letter away from a name, in a short list",
    "title": "title of an entity",
    "four_words": "more than three words",
    "length": "length",
    "short": "at most three characters",
    "capitals_short": "at most three capitals",
    "capitals_around": "one word in all capitals among others",
    "capitals_around_frequent": "one word in all capitals among others, by its frequency",
    "capitals_around_lower": "one word in all capitals among others, by how often it is in lower case elsewhere",
    "follows_upper": "previous word is capitalized",
    "precedes_upper": "next word is capitalized",
    "hyphen_before": "hyphen before it",
    "hyphen_after": "hyphen after it",
    "number": "contains a number",
    "in_longer_name": "part of a longer name",
    "run_in_longer_name": "not a name, and part of a longer name",
    "stop_words": "stop words only",
    "stop_words_lower": "stop words only, in lower case",
    "calendar": "day, month or date",
    "own_lower": "in lower case here, by how the descriptions write it",
    "own_start": "capitalized where capitals are not evidence, by how the descriptions write it",
    "own_upper": "capitalized, by how the descriptions write it",
    "text_lower": "capitalized here, but elsewhere in the text in lower case",
    "text_lower*list_lower": "the same, in a list whose names are written in lower case",
    "repeated": "occurrences in the text",
    "repeated_lower": "occurrences in the text, in lower case",
    "repeated_lower*list_lower": "the same, in a list whose names are written in lower case",
    "determiner_lower": "in lower case after a determiner",
    "the_lower": "in lower case after 'the'",
    "verb_lower": "in lower case after a word that precedes verbs",
    "preposition_lower": "in lower case after a preposition",
    "preposition_upper": "capitalized after a preposition",
    "n_longer": "number of longer names that contain it",
    "n_longer_share*list_lower": "share of longer names that contain it, in a list in lower case",
    "n_longer_upper": "number of longer names that contain it, if it is capitalized",
    "one_content_lower": "several words in lower case, all but one of them stop words",
    "run_one_word": "not a name, one word",
    "run_two_words": "not a name, two words",
    "run_four_words": "not a name, more than three words",
    "run_start": "not a name, where capitals are not evidence",
    "run_one_word_start": "not a name, one word where capitals are not evidence",
    "run_follows_upper": "not a name, and the previous word is capitalized",
    "run_precedes_upper": "not a name, and the next word is capitalized",
    "run_capitals": "not a name, in all capitals",
    "run_capitals_around_lower": "not a name, among capitals, by how often its words are in lower case elsewhere",
    "run_repeated": "not a name, occurrences in the text",
}
FROM_DOCUMENTS = {
    "seen": "how often it is a mention in annotated documents",
    "seen_lower": "how often it is a mention in annotated documents, if it is in lower case here",
    "seen_name": "how often it is a mention in annotated documents, if it is a name of the knowledge base",
    "before": "how often the previous word precedes mentions",
    "after": "how often the next word follows mentions",
}
MEANINGS: dict[str, str] = {
    **{each + factor: CLASSES[each] + FACTORS[factor] for each in CLASSES for factor in FACTORS},
    **OTHERS,
    **FROM_DOCUMENTS,
    "corrected": "corrections of spans with the same words",
    "short_form": "short form, as its long form in the text",
}
"""Name of a feature -> its meaning."""
FEATURES: tuple[str, ...] = tuple(MEANINGS)[:-2]
"""The features by name, in order; from `seen` on they come from annotated documents."""
N_LEARNED = len(FROM_DOCUMENTS)
N_OWN = len(FEATURES) - N_LEARNED
MAX_REPEATED = 5  # spans with the same words; in a book there may be thousands

_BEFORE = {
    "determiner": "a an this that these those his her its their my our your some any no each every another",
    "the": "the",
    "verb": "to will would can could should must might i you we they he she who not don didn won cannot let",
    "preposition": "of in with from for by on at about against between without during after before as into and or",
}


def span_features(
    spans: SpanTable, facts: NameFacts, seen: KeyOdds, before: KeyOdds, after: KeyOdds, counts: Column | None = None
) -> Column:
    """spans_by_features; `counts` are `text_counts` of them, if they are part of a longer table."""
    own = own_features(spans, facts, counts)
    return np.column_stack([own, *learned_features(spans, seen, before, after)]).astype(np.float32, copy=False)


def own_features(spans: SpanTable, facts: NameFacts, counts: Column | None = None) -> Column:
    """spans_by_features, all but those that are learned."""
    n_same, n_lower = (text_counts(spans) if counts is None else counts).T
    has = {sign: spans.has(getattr(Sign, sign)).astype(np.float32) for sign in _SIGNS}
    name = (spans.names >= 0).astype(np.float32)
    run = 1 - name
    # Scripts without capitals are mostly those without spaces, where every character is a word.
    has_case = (has["LOWER_CASE"] + has["TITLE_CASE"] + has["CAPITALS"]) > 0
    n_words = np.where(has_case, spans.n_words, 1)
    one = (n_words == 1).astype(np.float32)
    several = 1 - one
    is_start = np.maximum(has["BEGINS_SENTENCE"], has["CAPITALS_AROUND"])
    lower, capitals, mixed = has["LOWER_CASE"], has["CAPITALS"], has["MIXED_CASE"]
    title, start = has["TITLE_CASE"] * (1 - is_start), has["TITLE_CASE"] * is_start
    upper = title + start + capitals

    common = facts.common_fraction / (facts.common_fraction + 0.1)
    list_lower = facts.lower_fraction
    few = max(0.0, 1.0 - np.log10(1.0 + facts.n_names) / 3.0)
    is_other = has["OTHER_LANGUAGE"] > 0
    frequent = np.where(is_other, 0.0, np.clip((spans.log_counts - 3.0) / 2.0, -1.0, 2.0)).astype(np.float32)
    own_lower = np.where(is_other, 0.5, spans.lower_shares).astype(np.float32)
    factors: list[np.float32 | Column] = [
        np.float32(1), np.float32(common), np.float32(list_lower), frequent, frequent * np.float32(common), own_lower,
        own_lower * np.float32(list_lower), np.float32(few), frequent * np.float32(few),
    ]  # fmt: skip
    classes = [
        lower * one, lower * several, title * one, title * several, start * one, start * several, capitals * one,
        capitals * several, mixed,
    ]  # fmt: skip
    # A stop word is one, whatever the list, unless it is written as a name: with a capital inside a sentence.
    is_own_word = 1 - has["STOP_WORDS"] * is_start * (1 - lower)
    columns = [each * name * is_own_word * factor for each in classes for factor in factors]
    columns += [run * factor for factor in factors]

    n_upper_own, n_lower_own, n_longer, is_title = facts.of(spans.names).T
    own = n_lower_own - n_upper_own
    n_longer = n_longer * name / np.float32(np.log(10))
    n_longer_excess = np.maximum(0, n_longer - np.log10(1.0 + facts.n_names) + 4) * (n_longer > 0)
    lengths = (spans.ends - spans.starts).astype(np.float32)
    short = (lengths <= 3).astype(np.float32)
    four = (n_words > 3).astype(np.float32)
    repeated = np.log(np.minimum(n_same, MAX_REPEATED))
    around = capitals * one * has["CAPITALS_AROUND"]
    before = {kind: _is_any_of(spans.before, numbers).astype(np.float32) for kind, numbers in _before_numbers().items()}
    text_lower = name * upper * np.log1p(n_lower)
    only_capitals, misspelt = has["LISTED_CAPITALS"] * name, has["MISSPELT"]
    columns += [
        np.ones(len(spans), dtype=np.float32), has["LISTED_CASE"], only_capitals * (1 - capitals),
        only_capitals * capitals, has["LISTED_LOWER"] * lower, misspelt,
        misspelt * np.float32(common), misspelt * one, misspelt * upper, misspelt * np.float32(few), is_title * name,
        four * name, np.log1p(lengths) * name,
        short * name, capitals * one * short * name, around * name, around * name * frequent, around * name * own_lower,
        has["FOLLOWS_UPPER"] * name, has["PRECEDES_UPPER"] * name, has["HYPHEN_BEFORE"], has["HYPHEN_AFTER"],
        has["HAS_NUMBER"], has["IN_LONGER_NAME"] * name, has["IN_LONGER_NAME"] * run, has["STOP_WORDS"],
        has["STOP_WORDS"] * lower, is_calendar(spans).astype(np.float32), own * lower * name, own * start * name,
        own * (title + capitals) * name, text_lower, text_lower * np.float32(list_lower), repeated * name,
        repeated * lower * name, repeated * lower * name * np.float32(list_lower), before["determiner"] * lower,
        before["the"] * lower, before["verb"] * lower, before["preposition"] * lower, before["preposition"] * title,
        n_longer, n_longer_excess * np.float32(list_lower), n_longer * upper,
        lower * several * name * (spans.n_content == 1), run * one, run * (n_words == 2), run * four, run * is_start,
        run * one * is_start, run * has["FOLLOWS_UPPER"], run * has["PRECEDES_UPPER"], run * capitals,
        run * has["CAPITALS_AROUND"] * own_lower, run * repeated,
    ]  # fmt: skip
    return np.column_stack(columns).astype(np.float32, copy=False)


_SIGNS = (
    "LISTED_CASE", "LISTED_LOWER", "LISTED_CAPITALS", "LOWER_CASE", "TITLE_CASE", "CAPITALS", "MIXED_CASE",
    "BEGINS_SENTENCE", "CAPITALS_AROUND", "FOLLOWS_UPPER", "PRECEDES_UPPER", "IN_LONGER_NAME", "HYPHEN_BEFORE",
    "HYPHEN_AFTER", "HAS_NUMBER", "STOP_WORDS", "OTHER_LANGUAGE", "MISSPELT",
)  # fmt: skip


def learned_features(spans: SpanTable, seen: KeyOdds, before: KeyOdds, after: KeyOdds) -> list[Column]:
    """The features from annotated documents: how often the words are a mention, and the words next to mentions."""
    odds = seen.of(spans.keys)
    lower, name = (spans.has(sign).astype(np.float32) for sign in (Sign.LOWER_CASE, Sign.NAME))
    return [odds, odds * lower, odds * name, before.of(spans.before), after.of(spans.after)]


def text_counts(spans: SpanTable) -> Column:
    """[n, 2]: how many spans of its text have the same words as each span, itself included; and in lower case."""
    order = np.lexsort((spans.keys, spans.texts))
    texts, keys = spans.texts[order], spans.keys[order]
    is_new = np.ones(len(order), dtype=bool)
    is_new[1:] = (np.diff(texts) != 0) | (keys[1:] != keys[:-1])
    groups = np.cumsum(is_new) - 1
    counts = np.empty((len(order), 2), dtype=np.float32)
    counts[order, 0] = np.bincount(groups)[groups]
    counts[order, 1] = np.bincount(groups, weights=spans.has(Sign.LOWER_CASE)[order])[groups]
    return counts


def _is_any_of(values: NDArray[np.uint32], numbers: NDArray[np.uint32]) -> NDArray[np.bool_]:
    """Which values are among ascending numbers; `np.isin` takes ten times as long for the few of a short text."""
    is_among: NDArray[np.bool_] = numbers[np.searchsorted(numbers[:-1], values)] == values
    return is_among


@cache
def _before_numbers() -> dict[str, NDArray[np.uint32]]:
    """The words of each kind, in the numbers of `SpanTable.before`."""
    matcher = NameMatcher.build(["xx"])
    return {
        kind: np.array(sorted({*matcher.spans([f"{word} xx" for word in words.split()], 1).before.tolist()}), np.uint32)
        for kind, words in _BEFORE.items()
    }
