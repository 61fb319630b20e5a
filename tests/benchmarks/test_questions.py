import numpy as np
import pytest

from benchmarks.suites.questions import Questions, ranks_of
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.types import Candidate, Document, Mention

KB = KnowledgeBase.from_records([{"id": "a", "title": "A"}, {"id": "b", "title": "B", "alt_ids": ["b2"]}])


def document(name, *entities):
    mentions = [Mention(i, i + 1, "x", entity=entity, is_nil=entity is None) for i, entity in enumerate(entities)]
    return Document(name, "x" * len(entities), mentions=tuple(mentions))


def test_only_mentions_whose_entity_is_known_are_asked_about():
    questions = Questions.collect(KB, [document("1", "a", None, "gone"), document("2"), document("3", "b2", "gone|a")])
    assert questions.accepted == [{"a"}, {"b"}, {"a"}]
    assert questions.documents.tolist() == [0, 2, 2]
    assert questions.n_linked.tolist() == [2, 0, 2]
    assert questions.n_in_kb.tolist() == [1, 0, 2]
    bound = questions.upper_bound()
    assert (bound.value, bound.n) == (0.75, 4)
    assert bound.interval.low <= 0.75 <= bound.interval.high


def test_recall_counts_answers_among_the_best_k():
    questions = Questions.collect(KB, [document("1", "a", "a"), document("2", "b", "b")])
    ranks = np.array([1, 3, 0, 10])
    assert [questions.recall(ranks, k).value for k in (1, 3, 9, 10)] == [0.25, 0.5, 0.5, 0.75]
    assert questions.recall(ranks, 10).n == 4


def test_intervals_draw_whole_documents():
    questions = Questions.collect(KB, [document("1", *"a" * 10), document("2", *"a" * 10)])
    ranks = np.array([1] * 10 + [0] * 10)
    interval = questions.recall(ranks, 1).interval
    assert (interval.low, interval.high) == (0.0, 1.0), "with two documents, one may be drawn twice"


def test_a_sample_is_the_same_for_the_same_seed_and_keeps_the_order():
    questions = Questions.collect(KB, [document(str(n), "a", "b") for n in range(50)])
    first, again, other = questions.sample(20), questions.sample(20), questions.sample(20, seed=1)
    assert len(first) == 20
    assert first.documents.tolist() == again.documents.tolist() == sorted(first.documents.tolist())
    assert first.documents.tolist() != other.documents.tolist()
    assert first.upper_bound() == questions.upper_bound()
    assert questions.sample(1000) is questions


@pytest.mark.parametrize(("listed", "rank"), [(["a"], 1), (["b", "a", "c"], 2), (["b"], 0), ([], 0)])
def test_the_rank_is_the_place_of_the_first_right_candidate(listed, rank):
    found = [[Candidate(name, 1.0) for name in listed]]
    assert ranks_of(found, [frozenset({"a", "c"})]).tolist() == [rank]
