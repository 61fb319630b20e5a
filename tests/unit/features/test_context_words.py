"""The words of windows around mentions are those that the windows' own texts have, wherever their borders fall."""

import re
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from deixis.features.added_ngrams import AddedNgrams, AddedVectorizer
from deixis.features.entity_words import EntityWords, MentionSpans
from deixis.features.word_rows import ColumnRows, Pairs, WordRows
from deixis.ranking.feature import surroundings
from deixis.store.row_parts import RowParts
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
    """What a sentence is, by a pattern: from the stop before the mention to the one after it."""
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


def in_context(words, texts, numbers, starts, ends, windows=WINDOWS[::-1], margin=MARGIN, n_threads=1):
    """What an entity for each word of the vocabulary has of the words around mentions, [kinds, mentions, words]."""
    n, n_words = len(numbers), words.vectorizer.n_features
    each = ColumnRows(np.arange(n_words + 1), np.arange(n_words, dtype=np.int32))
    own = replace(words, texts=WordRows.of(each, each), scales=np.ones((n_words, 2), dtype=np.float32))
    spans = zip(numbers.tolist(), starts.tolist(), ends.tolist(), strict=False)
    mention_words = words.rows_of([texts[number][s:e] for number, s, e in spans if number < len(texts)], n_threads=1)
    pairs = Pairs(np.arange(n + 1) * n_words, np.tile(np.arange(n_words), n))
    places = MentionSpans(numbers, starts, ends, mention_words)
    found = own.in_context(texts, places, pairs, windows, margin, 0.01, n_threads)
    return [columns.reshape(len(columns), n, n_words) for columns in found]


@given(drawn=st.lists(texts_with_spans(), min_size=1, max_size=3))
@example(drawn=[("The Iraqi said. Iraq is ab", [[16, 20]]), ("aaaa", [[0, 2]]), ("é. a\u0301 b", [[3, 4], [5, 5]])])
def test_a_window_has_the_words_of_its_own_text(drawn):
    mentions = [MentionInContext(t[s:e], t, s, e, None, str(n)) for n, (t, own) in enumerate(drawn) for s, e in own]
    numbers = np.array([int(mention.document_id) for mention in mentions])
    starts, ends = (np.array([getattr(each, end) for each in mentions]) for end in ("start", "end"))
    texts = [text for text, _ in drawn]
    described, titled = in_context(WORDS, texts, numbers, starts, ends)
    around = [surroundings(mention, window) for window in WINDOWS[::-1] for mention in mentions]
    queries = WORDS.queries(around + [own_sentence(mention, MARGIN) for mention in mentions], n_threads=1).toarray()
    lengths = np.sqrt((queries.astype(np.float64) ** 2).sum(axis=1, keepdims=True))
    expected = queries**2 / np.maximum(lengths, 1e-9)
    np.testing.assert_allclose(described[:-1].reshape(expected.shape), expected, rtol=1e-6, err_msg=str(around))
    # Words that the mention has are no rest of a title; of one word, all or nothing is there.
    in_text, own = queries[: len(mentions)], WORDS.queries([mention.text for mention in mentions]).toarray()
    assert titled[0].tolist() == in_text.tolist()
    assert titled[1].tolist() == np.where((own == 0), in_text, 0).tolist()


@given(drawn=st.lists(texts_with_spans(), min_size=1, max_size=3))
def test_other_mentions_have_the_words_of_all_without_the_mentions_own(drawn):
    places = [(number, s, e) for number, (_, own) in enumerate(drawn) for s, e in own]
    texts, (numbers, starts, ends) = [text for text, _ in drawn], np.ascontiguousarray(np.array(places).T)
    others = in_context(WORDS, texts, numbers, starts, ends)[0][-1]
    idf, own = WORDS.vectorizer.idf, [WORDS.queries([texts[n][s:e]]).toarray()[0] > 0 for n, s, e in places]
    for row, (number, _, _) in enumerate(places):
        together = np.any([own[i] for i, (other, _, _) in enumerate(places) if other == number], axis=0)
        rest = np.where(together & ~own[row], idf, 0)
        np.testing.assert_allclose(others[row], rest / np.sqrt(np.maximum(rest.sum(), 1e-9)), rtol=1e-4, atol=1e-6)


def test_words_that_were_added_later_count_while_they_are_there():
    is_live = np.array([name != "gone" for _, name in NGRAMS._numbers])
    words = replace(WORDS, vectorizer=AddedVectorizer(NGRAMS, is_live))
    text = "a zebra zz is b. Gone unheard zebra"
    _, titled = in_context(words, [text], np.array([0]), np.array([2]), np.array([7]), [100], 100)
    assert titled[0].tolist() == words.queries(["a zz is b Gone unheard"]).toarray().tolist()


def test_threads_and_texts_without_mentions_change_nothing():
    texts, numbers = ["a b. ab", "unheard", "Iraq ab a"], np.array([0, 0, 2])
    spans = np.array([0, 2, 5]), np.array([1, 3, 7])
    one, four = (in_context(WORDS, texts, numbers, *spans, n_threads=n) for n in (1, 4))
    assert all(own.tobytes() == other.tobytes() and own.any() for own, other in zip(one, four, strict=True))
    nothing = in_context(WORDS, [], *[np.zeros(0, int)] * 3)
    assert [columns.shape[1] for columns in nothing] == [0, 0]


def test_words_of_entities_in_several_parts_are_those_of_one():
    texts, places = ["Iraq ab a. b"], [np.zeros(2, int), np.array([0, 5]), np.array([4, 7])]
    mention_words, pairs = WORDS.rows_of(["Iraq", "ab"]), Pairs(np.array([0, 16, 19]), np.array([*range(16), 9, 3, 0]))
    parts = RowParts.of([5, 11])
    halves = [
        replace(
            WORDS,
            texts=WordRows.of(*(WORDS.texts.columns(kind, rows) for kind in (0, 1))),
            names=WordRows.of(WORDS.names.columns(0, rows)),
            scales=WORDS.scales[rows],
        )
        for rows in (np.arange(5), np.arange(5, 16))
    ]
    joined = EntityWords.joined(halves, parts, WORDS.vectorizer)
    for own, other in zip(
        *(w.in_context(texts, MentionSpans(*places, mention_words), pairs, [50], 9, 0.01, 1) for w in (WORDS, joined)),
        strict=True,
    ):
        assert own.any() and own.tobytes() == other.tobytes()


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
        in_context(WORDS, ["a b"], np.array(numbers), np.array(starts), np.array(ends))
