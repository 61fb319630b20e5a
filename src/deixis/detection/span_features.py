"""Features of a span: how it is written, its words, its name, the list and the text, and the meaning of each feature.

A span that is a name of the list belongs to one of nine classes, by its case and by whether it has one word or more.
Each class has the same nine columns: the class itself, and its products with what is known of the list (`common`,
`list_lower`, `few`) and of the words (`frequent`, `lower`): so the weights of one list serve for others. Spans that are
no name (runs of capitalized words) have the same and further columns of their own.
"""

from __future__ import annotations

import math
from functools import cache

import numpy as np
from numpy.typing import NDArray

from deixis.detection.calendar import calendar_keys
from deixis.detection.name_facts import NameFacts
from deixis.detection.names import NameMatcher
from deixis.detection.odds import KeyOdds
from deixis.detection.spans import SpanTable
from deixis.native import _core

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
    odds = (seen.of(spans.keys), before.of(spans.before), after.of(spans.after))
    return _features(spans, facts, np.column_stack(odds), counts)


def own_features(spans: SpanTable, facts: NameFacts, counts: Column | None = None) -> Column:
    """spans_by_features, all but those that are learned."""
    return _features(spans, facts, np.zeros((len(spans), 3), dtype=np.float32), counts)[:, :N_OWN]


def _features(spans: SpanTable, facts: NameFacts, odds: Column, counts: Column | None) -> Column:
    n_same, n_lower = (text_counts(spans) if counts is None else counts).T
    logs = np.empty((len(spans), 3), dtype=np.float32)
    np.log1p((spans.ends - spans.starts).astype(np.float32), out=logs[:, 0])
    np.log(np.minimum(n_same, MAX_REPEATED), out=logs[:, 1])
    np.log1p(n_lower, out=logs[:, 2])
    log_names = math.log10(1.0 + facts.n_names)
    features = _core.span_features(
        spans.signs, spans.names, spans.starts, spans.ends, spans.n_words, spans.n_content, spans.keys, spans.before,
        spans.log_counts, spans.lower_shares, facts.of(spans.names), logs, odds, _before_numbers(), calendar_keys(),
        facts.common_fraction / (facts.common_fraction + 0.1), facts.lower_fraction, max(0.0, 1.0 - log_names / 3.0),
        log_names,
    )  # fmt: skip
    return features.reshape(len(spans), len(FEATURES))


def text_counts(spans: SpanTable) -> Column:
    """[n, 2]: how many spans of its text have the same words as each span, itself included; and in lower case."""
    return _core.text_counts(spans.texts, spans.keys, spans.signs).reshape(-1, 2)


@cache
def _before_numbers() -> list[NDArray[np.uint32]]:
    """The words of each kind, in the numbers of `SpanTable.before`."""
    matcher = NameMatcher.build(["xx"])
    return [
        np.array(sorted({*matcher.spans([f"{word} xx" for word in words.split()], 1).before.tolist()}), np.uint32)
        for words in _BEFORE.values()
    ]
