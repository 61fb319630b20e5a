"""The words of windows around mentions are those that the windows' own texts have, wherever their borders fall."""

import itertools
import math
import re
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from deixis.features.added_ngrams import AddedNgrams, AddedVectorizer
from deixis.features.entity_words import EntityWords
from deixis.ranking.feature import surroundings
from deixis.store.strings import StringTable
from deixis.types import MentionInContext

WINDOWS = (0, 3, 12, 1000)
MARGIN = 8
STOP = re.compile(r"[.!?。！？](?=\s)|\n|[。！？]")
VOCABULARY = ["a", "b", "ab", "aba", "Iraq", "Iraqi", "i", "東", "京", "naïve", "e\u0301t", "t", "3", "ß", "ss", "é"]
NAMES = StringTable.from_strings(VOCABULARY)
WORDS = EntityWords.build(NAMES, np.arange(len(NAMES)), NAMES, n_threads=1)
NGRAMS = AddedNgrams(WORDS.vectorizer)
ADDED = NGRAMS.rows(["zz zebra", "gone"])


def own_sentence(mention, margin):
    """What `around` says is a sentence, by a pattern: from the stop before the mention to the one after it."""
    text, start, end = mention.document_text, mention.start, mention.end
    before, after = text[max(0, start - margin) : start], text[end : end + margin]
    return f"{STOP.split(before)[-1]} {STOP.split(after, maxsplit=1)[0]}"


def texts_with_spans():
    letters = st.sampled_from(
        [*"aab bi.!? \n3", "Iraq", "i ", "東", "京", "。", "é", "\u0301", "\u200d", "ß", "\xa0", "zz"]
    )
    texts = st.lists(letters, max_size=40).map("".join)
    return texts.flatmap(lambda text: st.tuples(st.just(text), spans_of(text)))


def spans_of(text):
    places = st.integers(0, len(text))
    return st.lists(st.tuples(places, places).map(sorted), min_size=1, max_size=4)


@given(drawn=st.lists(texts_with_spans(), min_size=1, max_size=3))
@example(drawn=[("The Iraqi said. Iraq is ab", [[16, 20]]), ("aaaa", [[0, 2]]), ("é. a\u0301 b", [[3, 4], [5, 5]])])
def test_a_window_has_the_words_of_its_own_text(drawn):
    mentions = [MentionInContext(t[s:e], t, s, e, None, str(n)) for n, (t, own) in enumerate(drawn) for s, e in own]
    numbers = np.array([int(mention.document_id) for mention in mentions])
    starts, ends = (np.array([getattr(each, end) for each in mentions]) for end in ("start", "end"))
    texts = [text for text, _ in drawn]
    weights, cosines = WORDS.around(texts, numbers, starts, ends, WINDOWS, MARGIN, n_threads=1)
    expected = [surroundings(mention, window) for window in WINDOWS for mention in mentions]
    queries = WORDS.rows_of(expected + [own_sentence(mention, MARGIN) for mention in mentions], n_threads=1)
    for name in ("indptr", "indices", "data"):
        assert getattr(weights, name).tolist() == getattr(queries, name).tolist(), expected
    squares = (queries.data**2).tolist()
    for first, last in itertools.pairwise(queries.indptr.tolist()):
        length = math.sqrt(math.fsum(squares[first:last]))
        np.testing.assert_allclose(cosines.data[first:last], np.array(squares[first:last]) / (length or 1), rtol=1e-6)


def test_words_that_were_added_later_count_while_they_are_there():
    is_live = np.array([name != "gone" for _, name in NGRAMS._numbers])
    words = replace(WORDS, vectorizer=AddedVectorizer(NGRAMS, is_live))
    text = "a zebra zz is b. Gone unheard zebra"
    weights, _ = words.around([text], np.array([0]), np.array([2]), np.array([7]), [100], 100, n_threads=1)
    expected = words.rows_of(["a zz is b Gone unheard", "a  zz is b"], n_threads=1)
    assert weights.indptr.tolist() == expected.indptr.tolist() == [0, 3, 6]
    for first, last in itertools.pairwise(expected.indptr.tolist()):
        own, others = (dict(zip(r.indices[first:last], r.data[first:last], strict=True)) for r in (weights, expected))
        assert own == others


def test_threads_and_texts_without_mentions_change_nothing():
    texts, numbers = ["a b. ab", "unheard", "Iraq ab a"], np.array([0, 0, 2])
    spans = np.array([0, 2, 5]), np.array([1, 3, 7])
    one, four = (WORDS.around(texts, numbers, *spans, WINDOWS, MARGIN, n_threads=n) for n in (1, 4))
    for rows, others in zip(one, four, strict=True):
        for name in ("indptr", "indices", "data"):
            assert getattr(rows, name).tolist() == getattr(others, name).tolist()
    nothing, _ = WORDS.around([], *[np.zeros(0, int)] * 3, WINDOWS, MARGIN)
    assert nothing.indptr.tolist() == [0] and not len(nothing.row_lengths)


@pytest.mark.parametrize(
    ("numbers", "starts", "ends", "reason"),
    [
        ([1], [0], [1], "documents"),
        ([0], [0], [9], "a text of 3"),
        ([0], [2], [1], "from 2 to 1"),
        ([0, 0], [0], [1], "starts"),
    ],
)
def test_mentions_that_do_not_fit_their_texts_are_refused(numbers, starts, ends, reason):
    with pytest.raises(ValueError, match=reason):
        WORDS.around(["a b"], np.array(numbers), np.array(starts), np.array(ends), WINDOWS, MARGIN, n_threads=1)
