"""Laws of the arrays that travel between the stages, against the plainest lists."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from deixis.features.word_rows import sums_by_row
from deixis.tables import FlatRows, Ranking, Spans, on_one_line
from deixis.types import Document, Mention

quick = settings(max_examples=80, deadline=None)
pairs = st.tuples(st.integers(0, 9), st.floats(0, 1))
lists = st.lists(st.lists(pairs, max_size=6), max_size=6)
rows = st.lists(
    st.tuples(st.integers(0, 5), st.integers(0, 30), st.integers(0, 30), st.floats(-9, 9), st.booleans()), max_size=9
)


def ranking_of(each):
    flat = [pair for own in each for pair in own]
    starts = np.cumsum([0, *map(len, each)]).astype(np.int64)
    return Ranking(starts, np.array([r for r, _ in flat], np.int64), np.array([s for _, s in flat], np.float64))


def lists_of(ranking):
    flat = list(zip(ranking.rows.tolist(), ranking.scores.tolist(), strict=True))
    starts = ranking.starts.tolist()
    assert starts[0] == 0 and starts[-1] == len(flat)
    return [flat[first:last] for first, last in zip(starts, starts[1:], strict=False)]


def spans_of(each):
    columns = list(zip(*each, strict=True)) or [()] * 5
    kinds = (np.int64, np.int64, np.int64, np.float64, bool)
    return Spans(*(np.array(column, kind) for column, kind in zip(columns, kinds, strict=True)))


def rows_of(spans):
    columns = spans.documents, spans.starts, spans.ends, spans.log_odds, spans.has_name
    return list(zip(*(column.tolist() for column in columns), strict=True))


@quick
@given(lists, st.data())
def test_candidates_taken_are_those_of_the_spans_named_in_their_order(each, data):
    ranking, n = ranking_of(each), len(each)
    numbers = data.draw(st.lists(st.integers(0, n - 1), max_size=8)) if n else []
    assert lists_of(ranking.take(np.array(numbers, dtype=np.int64))) == [each[number] for number in numbers]
    is_kept = data.draw(st.lists(st.booleans(), min_size=n, max_size=n))
    assert lists_of(ranking.take(np.array(is_kept, dtype=bool))) == [
        own for own, kept in zip(each, is_kept, strict=True) if kept
    ]


@quick
@given(lists, st.integers(1, 7))
def test_the_head_of_a_ranking_is_the_head_of_each_list(each, k):
    assert lists_of(ranking_of(each).head(k)) == [own[:k] for own in each]


@quick
@given(lists, st.data())
def test_candidates_kept_stay_with_their_spans(each, data):
    n = sum(map(len, each))
    flags = data.draw(st.lists(st.booleans(), min_size=n, max_size=n))
    remaining = iter(flags)
    expected = [[pair for pair in own if next(remaining)] for own in each]
    assert lists_of(ranking_of(each).keep(np.array(flags, dtype=bool))) == expected


@quick
@given(st.lists(lists, max_size=4))
def test_joined_rankings_are_their_lists_one_after_the_other(parts):
    joined = Ranking.joined([ranking_of(each) for each in parts])
    assert lists_of(joined) == [own for each in parts for own in each]
    assert len(joined) == sum(map(len, parts)) and joined.rows.dtype == np.int64 and joined.scores.dtype == np.float64


@quick
@given(lists, st.integers(0, 3))
def test_best_rows_and_scores_are_those_of_the_first_candidates(each, rank):
    ranking = ranking_of(each)
    assert ranking.best_scores(rank).tolist() == [own[rank][1] if len(own) > rank else 0.0 for own in each]
    assert ranking.best_rows().tolist() == [own[0][0] if own else -1 for own in each]
    assert ranking.ranks.tolist() == [place for own in each for place in range(len(own))]
    assert ranking.span_numbers.tolist() == [number for number, own in enumerate(each) for _ in own]


@quick
@given(lists)
def test_other_scores_keep_the_candidates_and_a_matrix_gives_them_back(each):
    ranking = ranking_of(each)
    halved = ranking.with_scores(ranking.scores / 2)
    assert lists_of(halved) == [[(row, score / 2) for row, score in own] for own in each]
    again = Ranking.of_matrix(ranking.to_matrix(10))
    assert again.rows.tolist() == ranking.rows.tolist() and again.starts.tolist() == ranking.starts.tolist()
    assert again.scores.tolist() == ranking.scores.astype(np.float32).tolist()


@quick
@given(rows, st.data())
def test_spans_taken_are_those_of_the_rows_named(each, data):
    spans, n = spans_of(each), len(each)
    numbers = data.draw(st.lists(st.integers(0, n - 1), max_size=8)) if n else []
    assert rows_of(spans.take(np.array(numbers, dtype=np.int64))) == [each[number] for number in numbers]
    is_kept = data.draw(st.lists(st.booleans(), min_size=n, max_size=n))
    assert rows_of(spans.take(np.array(is_kept, dtype=bool))) == [
        row for row, kept in zip(each, is_kept, strict=True) if kept
    ]
    first, last = sorted(data.draw(st.tuples(st.integers(0, n), st.integers(0, n))))
    assert rows_of(spans.take(slice(first, last))) == each[first:last]


@quick
@given(st.lists(rows, max_size=4))
def test_joined_spans_are_their_rows_one_after_the_other(parts):
    joined = Spans.joined([spans_of(each) for each in parts])
    assert rows_of(joined) == [row for each in parts for row in each]
    assert len(joined) == sum(map(len, parts)) and joined.documents.dtype == np.int64


@quick
@given(st.lists(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), max_size=4), max_size=4))
def test_given_spans_are_the_mentions_of_documents_and_certain(places):
    text = "0123456789"
    documents = [
        Document("same id", text, mentions=tuple(Mention(min(p), max(p), text[min(p) : max(p)]) for p in own))
        for own in places
    ]
    spans = Spans.given(documents)
    assert list(spans.keys()) == [(n, m.start, m.end) for n, d in enumerate(documents) for m in d.mentions]
    assert (spans.log_odds == np.inf).all() and spans.has_name.all()
    in_context = spans.in_context(documents)
    assert [each.text for each in in_context] == [m.text for d in documents for m in d.mentions]
    # Two documents of one id must not lend each other mentions.
    assert [each.document_id for each in in_context] == [str(n) for n, own in enumerate(places) for _ in own]


@quick
@given(rows)
def test_on_one_line_spans_overlap_exactly_where_they_do_in_their_documents(each):
    spans = spans_of([(n, min(s, e), max(s, e), odds, named) for n, s, e, odds, named in each])
    starts, ends = on_one_line(spans.documents, spans.starts, spans.ends)
    keys = list(spans.keys())
    for a, (number, start, end) in enumerate(keys):
        for b, (other, first, last) in enumerate(keys):
            is_overlapping = number == other and start < last and first < end
            assert (starts[a] < ends[b] and starts[b] < ends[a]) == is_overlapping


@quick
@given(st.lists(st.lists(st.integers(0, 3), min_size=4, max_size=4), min_size=1, max_size=5), st.data())
def test_flat_rows_are_what_a_sparse_matrix_is(cells, data):
    dense = np.array(cells, dtype=np.float32)
    rows, matrix = FlatRows.of(sparse.csr_matrix(dense)), sparse.csr_matrix(dense)
    assert rows.toarray().tolist() == cells and rows.nnz == matrix.nnz
    assert rows.row_lengths.tolist() == matrix.getnnz(axis=1).tolist()
    assert sums_by_row(rows.indptr, rows.data).tolist() == dense.sum(axis=1).tolist()
    numbers = data.draw(st.lists(st.integers(0, len(cells) - 1), min_size=1, max_size=6))
    assert rows[np.array(numbers)].toarray().tolist() == dense[numbers].tolist()
    assert rows[numbers[0]].toarray().tolist() == [cells[numbers[0]]]
    assert FlatRows.stacked([rows, rows[:1]]).toarray().tolist() == [*cells, cells[0]]
    assert rows.kept_where(rows.data > 1).toarray().tolist() == np.where(dense > 1, dense, 0).tolist()
    assert rows.with_data(rows.data * 2).toarray().tolist() == (2 * dense).tolist()
    assert FlatRows.empty(2, 3).toarray().tolist() == [[0, 0, 0], [0, 0, 0]]
