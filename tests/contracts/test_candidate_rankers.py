"""What the ranker of candidates promises."""

import numpy as np
import pytest
from scipy import sparse

from deixis.candidates.combined import CandidateSources
from deixis.candidates.config import DEFAULT_SOURCES
from deixis.candidates.entity_facts import popularity_from
from deixis.errors import DataError, StoreError
from deixis.nearest.merging import merged
from deixis.ranking.ranker import FeatureRanker


@pytest.fixture(scope="module")
def generator(kb):
    return CandidateSources.build(kb, n_threads=1)


@pytest.fixture(scope="module")
def ranker(kb, generator):
    return FeatureRanker.build(kb, generator.words, popularity_from(kb.counts), n_threads=1, sources=DEFAULT_SOURCES)


def drawn(kb, n_mentions, seed=5):
    """Lists of different length, some empty, that name entities at random, with scores from 0 to 1."""
    rng = np.random.default_rng(seed)
    lists = {}
    for name in DEFAULT_SOURCES:
        dense = rng.random((n_mentions, len(kb))) * (rng.random((n_mentions, len(kb))) < 0.2)
        dense[::4] = 0
        lists[name] = sparse.csr_matrix(dense.astype(np.float32))
    return lists


@pytest.fixture(scope="module", params=["found", "drawn"])
def proposals(request, kb, generator, mentions):
    return generator.propose(mentions) if request.param == "found" else merged(drawn(kb, len(mentions)))


def rows_of(ranked):
    return [ranked.indices[a:b].tolist() for a, b in zip(ranked.indptr, ranked.indptr[1:], strict=False)]


def test_the_best_are_proposals_and_all_of_them_if_as_many_are_asked_for(ranker, mentions, proposals, kb):
    proposed = rows_of(proposals.as_matrix(len(kb)))
    assert [sorted(rows) for rows in rows_of(ranker.rank(mentions, proposals, len(kb)))] == proposed
    for few, every in zip(rows_of(ranker.rank(mentions, proposals, 3)), proposed, strict=True):
        assert len(few) == min(3, len(every)) and set(few) <= set(every) and len(set(few)) == len(few)


def test_more_begin_with_the_fewer(ranker, mentions, proposals):
    few, many = (rows_of(ranker.rank(mentions, proposals, k)) for k in (2, 9))
    assert few == [rows[:2] for rows in many]


def test_scores_fall_and_lie_between_0_and_1(ranker, mentions, proposals, kb):
    ranked = ranker.rank(mentions, proposals, len(kb))
    assert np.isfinite(ranked.data).all() and (ranked.data >= 0).all() and (ranked.data <= 1).all()
    for first, last in zip(ranked.indptr, ranked.indptr[1:], strict=False):
        assert (np.diff(ranked.data[first:last]) <= 0).all()


def test_nothing_to_rank_is_an_empty_row(ranker, mentions, kb):
    nothing = dict.fromkeys(DEFAULT_SOURCES, sparse.csr_matrix((len(mentions), len(kb)), dtype=np.float32))
    assert ranker.rank(mentions, merged(nothing), 5).nnz == 0
    none = dict.fromkeys(DEFAULT_SOURCES, sparse.csr_matrix((0, len(kb)), dtype=np.float32))
    assert ranker.rank([], merged(none), 5).shape == (0, len(kb))


def test_a_batch_is_its_singles(ranker, mentions, kb):
    """To the last bit, whatever stands around a mention: each of these has a text of its own."""
    lists = drawn(kb, len(mentions))
    together = ranker.rank(mentions, merged(lists), 40)
    for number, mention in enumerate(mentions):
        alone = merged({name: rows[number] for name, rows in lists.items()})
        single, row = ranker.rank([mention], alone, 40), together[number]
        assert single.indices.tolist() == row.indices.tolist()
        assert single.data.tobytes() == row.data.tobytes()


def test_proposals_are_left_as_they_came(ranker, mentions, proposals):
    before = {name: signal.copy() for name, signal in proposals.signals.items()}
    ranker.rank(mentions, proposals, 5)
    for name, signal in proposals.signals.items():
        assert np.array_equal(signal, before[name])


def test_proposals_for_each_mention_are_demanded(ranker, mentions, proposals):
    with pytest.raises(DataError, match=f"1 and {len(mentions)}"):
        ranker.rank(mentions[:1], proposals, 5)


def test_what_is_stored_ranks_the_same(ranker, mentions, proposals, generator):
    arrays = ranker.to_arrays("x")
    assert all(name.startswith("x.") for name in arrays)
    again = type(ranker).from_arrays(arrays, "x", words=generator.words, n_entities=len(generator.kb))
    first, second = (one.rank(mentions, proposals, 40) for one in (ranker, again))
    assert rows_of(first) == rows_of(second) and first.data.tobytes() == second.data.tobytes()
    for name, array in again.to_arrays("x").items():
        assert array.tobytes() == arrays[name].tobytes()


def test_every_stored_array_is_needed_and_fits(ranker, generator):
    arrays = ranker.to_arrays("x")
    for name in arrays:
        others = {other: array for other, array in arrays.items() if other != name}
        damaged = [others, others | {name: arrays[name].astype(np.int8)}]
        if len(arrays[name]):
            damaged.append(others | {name: arrays[name][:-1]})
        for kept in damaged:
            with pytest.raises(StoreError):
                type(ranker).from_arrays(kept, "x", words=generator.words, n_entities=len(generator.kb))


def test_threads_change_nothing(kb, generator, mentions, proposals):
    popularity = popularity_from(kb.counts)
    one, three = (
        FeatureRanker.build(kb, generator.words, popularity, n_threads=n, sources=DEFAULT_SOURCES).rank(
            mentions, proposals, 40
        )
        for n in (1, 3)
    )
    assert one.indices.tobytes() == three.indices.tobytes() and one.data.tobytes() == three.data.tobytes()
