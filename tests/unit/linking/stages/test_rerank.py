"""Candidates reranked: when asked for, with a decision of their own, saved, and opened only when needed."""

from dataclasses import replace

import numpy as np
import pytest

from deixis.decision.decision import Decision, Decisions
from deixis.errors import ConfigError, StoreError
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.linker import Linker
from deixis.linking.options import LinkOptions
from deixis.linking.plan import LinkPlan
from deixis.linking.seen_documents import SeenDocuments
from deixis.linking.stages.rerank import reranked_by
from deixis.linking.stored import model_arrays
from deixis.linking.streams import rank_mentions
from deixis.store.lazy_part import LazyPart
from deixis.tables import Ranking
from deixis.training.calibrate import judge
from deixis.types import Document, Mention
from tests.linkers import Contrarian, with_decisions, with_parts, with_reranker

KB = KnowledgeBase.from_records([
    {"id": "city", "title": "Paris", "description": "capital of France on the Seine", "types": ["city"]},
    {"id": "prince", "title": "Paris", "description": "prince of Troy who took Helen", "types": ["man"]},
    {"id": "town", "title": "Paris", "description": "town in Texas", "types": ["city"]},
    {"id": "troy", "title": "Troy", "description": "ancient city besieged by the Greeks", "types": ["city"]},
])  # fmt: skip
TEXT = "The Seine flows through Paris."
GIVEN = Document("d", TEXT, mentions=(Mention(24, 29, "Paris"),))


@pytest.fixture(scope="module")
def linker():
    return Linker.build(KB)


def annotated(n=40):
    texts = [f"{TEXT} {number}" for number in range(n)]
    return [Document(str(i), text, mentions=(Mention(24, 29, "Paris", "city"),)) for i, text in enumerate(texts)]


def entities(document):
    return [mention.entity for mention in document.mentions]


def test_a_linker_without_a_reranker_says_how_to_get_one(linker):
    for ask in (linker.link, lambda text, rerank: linker.link_many([text], rerank=rerank)):
        with pytest.raises(ConfigError, match="deixis fit reranker MODEL --mentions train.jsonl"):
            ask(TEXT, rerank=True)
    with pytest.raises(ConfigError, match="no re-ranker"):
        linker.calibrate(annotated(), rerank=True)


def test_candidates_are_reranked_only_when_asked_for(linker):
    ranker = Contrarian()
    contrary = with_reranker(linker, ranker)
    assert contrary.link(GIVEN) == linker.link(GIVEN) and entities(linker.link(GIVEN)) == ["city"]
    assert not ranker.n_read
    before = [candidate.id for candidate in linker.link(GIVEN).mentions[0].candidates]
    (mention,) = contrary.link(GIVEN, rerank=True).mentions
    assert [candidate.id for candidate in mention.candidates] == before[::-1]
    on_list = sum(candidate.score for candidate in linker.link(GIVEN).mentions[0].candidates)
    assert mention.score == pytest.approx(0.9 * on_list)
    assert next(contrary.link_many([TEXT], rerank=True)) == contrary.link(TEXT, rerank=True)


def test_of_detected_mentions_the_reranker_says_what_they_mean_and_what_that_is_worth():
    linker, ranker = Linker.build(KB, n_threads=1), Contrarian()
    contrary = with_reranker(linker, ranker)
    names = {"recognizer": lambda texts: [[(24, 29)] for _ in texts]}  # or a name of three bearers would be unlikely
    before, after = linker.link(TEXT, **names).mentions, contrary.link(TEXT, rerank=True, **names).mentions
    assert [(m.start, m.end) for m in before] == [(m.start, m.end) for m in after]
    assert len(ranker.n_read) == len(after)  # no span that is no mention costs anything
    first, then = (next(m for m in mentions if m.text == "Paris") for mentions in (before, after))
    assert (first.entity, then.candidates[0].id) == ("city", first.candidates[-1].id)
    assert 0 < then.score < 1 and then.score != first.score
    assert contrary.link(TEXT, rerank=True) == next(contrary.link_many([TEXT], rerank=True))
    sceptical = with_reranker(linker, Contrarian(1e-9))
    (unlikely,) = (m for m in sceptical.link(TEXT, rerank=True, **names).mentions if m.text == "Paris")
    assert unlikely.score < min(first.score, then.score)
    on_list = sum(candidate.score for candidate in linker.link(GIVEN).mentions[0].candidates)
    assert contrary.link(GIVEN, rerank=True).mentions[0].score == pytest.approx(0.9 * on_list)


def test_it_reads_as_many_candidates_as_it_was_taught_to_however_few_are_wanted(linker):
    ranker = Contrarian()
    asked = Document("d", TEXT, mentions=(Mention(24, 29, "Paris"),)).mentions_in_context()
    few = with_parts(with_reranker(linker, ranker), config=replace(linker.config, n_candidates=1))
    best = rank_mentions(few.model, asked, k=1, rerank=True)
    assert len(best.rows) == 1 and ranker.n_read == [3]
    assert best.rows[0] == rank_mentions(linker.model, asked, k=3).rows[-1]


def test_how_many_are_wanted_does_not_change_which_is_best(linker):
    asked = Document("d", TEXT, mentions=(Mention(24, 29, "Paris"),)).mentions_in_context()
    model = with_reranker(linker, Contrarian()).model
    whole = rank_mentions(model, asked, k=4, rerank=True)
    for k in (1, 2, 3):
        assert rank_mentions(model, asked, k, rerank=True).rows.tolist() == whole.rows[:k].tolist()


@pytest.mark.parametrize(("n_candidates", "n_shown", "expected"), [(3, 3, 3), (3, 2, 3), (2, 2, 2), (2, 4, 4)])
def test_candidates_that_are_only_shown_stand_behind_those_that_count(linker, n_candidates, n_shown, expected):
    ranking = Ranking(np.array([0, 4, 4, 6]), np.array([0, 1, 2, 3, 3, 0]), np.array([0.4, 0.3, 0.2, 0.1, 0.6, 0.4]))
    mentions = [each for d in annotated(3) for each in d.mentions_in_context()]
    whole = with_reranker(linker, Contrarian())
    whole = with_parts(whole, config=replace(whole.config, n_candidates=n_candidates))
    plan = LinkPlan.of(whole.model, LinkOptions(rerank=True, top_k=n_shown), detects=False)
    after = reranked_by(plan.reranker.opened, plan, mentions, ranking)
    n_counting = min(3, n_candidates)
    assert after.take(np.array([0])).rows[:n_counting].tolist() == [2, 1, 0][:n_counting]
    assert np.diff(after.starts).tolist() == [expected, 0, 2]
    for number in range(3):
        own = after.take(np.array([number])).rows.tolist()
        assert len(set(own)) == len(own) and set(own) <= set(ranking.take(np.array([number])).rows.tolist())
        scores = after.take(np.array([number])).scores.tolist()
        assert scores == sorted(scores, reverse=True)


def test_the_scores_of_candidates_that_are_only_shown_go_on_in_the_rankers_proportions(linker):
    ranking = Ranking(np.array([0, 4]), np.array([0, 1, 2, 3]), np.array([0.4, 0.3, 0.2, 0.1]))
    whole = with_reranker(linker, Contrarian(0.08))
    whole = with_parts(whole, config=replace(whole.config, n_candidates=2))
    plan = LinkPlan.of(whole.model, LinkOptions(rerank=True, top_k=4), detects=False)
    after = reranked_by(plan.reranker.opened, plan, annotated(1)[0].mentions_in_context(), ranking)
    # Row 1 counts last, with 0.04 for the ranker's 0.3; nothing behind it has more.
    assert after.rows.tolist() == [2, 1, 0, 3]
    assert after.scores.tolist() == pytest.approx([0.08, 0.04, 0.04, 0.04 / 3])


def test_a_filter_holds_for_the_reranker_too(linker):
    contrary = with_reranker(linker, Contrarian())
    (mention,) = contrary.link(TEXT, types="city", rerank=True).mentions
    assert {candidate.id for candidate in mention.candidates} <= {"city", "town", "troy"}


def test_the_reranker_has_a_threshold_and_a_calibration_of_its_own(linker):
    strict = with_reranker(linker, Contrarian(0.4), Decision(threshold=0.5))
    assert entities(strict.link(GIVEN)) == ["city"] and entities(strict.link(GIVEN, rerank=True)) == [None]
    calibrated = strict.calibrate(annotated(), threshold=0.25, rerank=True)
    decisions = calibrated.model.decisions
    assert decisions.given is linker.model.decisions.given and calibrated.config == linker.config
    assert (decisions.reranked.threshold, decisions.reranked.target_precision) == (0.25, None)
    # It is always wrong, and says so now.
    assert calibrated.link(GIVEN, rerank=True).mentions[0].score < 0.2
    assert calibrated.link(GIVEN) == linker.link(GIVEN) and calibrated.link(TEXT) == linker.link(TEXT)


def test_a_model_keeps_its_reranker_and_opens_it_only_when_asked(linker, tmp_path):
    seen = SeenDocuments.of(annotated(3))
    decision = judge(linker.model, annotated()).decision(linker.config.calibration)
    decision = replace(decision, threshold=0.3, target_precision=0.9)
    with_reranker(linker, Contrarian(), decision, annotated(3)).save(tmp_path / "model")
    loaded = Linker.load(tmp_path / "model")
    assert loaded.link(TEXT) == linker.link(TEXT)
    again, reranker = loaded.model.decisions.reranked, loaded.model.reranker
    assert (again.threshold, again.target_precision) == (0.3, 0.9)
    assert reranker.seen.hashes.tolist() == seen.hashes.tolist()
    assert again.curve.scores.tolist() == decision.curve.scores.tolist()
    assert isinstance(reranker.part, LazyPart) and "opened" not in vars(reranker.part)
    loaded.save(tmp_path / "copy")  # also without opening it
    copied = Linker.load(tmp_path / "copy").model.reranker.part.to_arrays("here")
    assert {name: array.tolist() for name, array in copied.items()} == {"here.score": [0.9]}
    assert "opened" not in vars(reranker.part)
    dropped = with_decisions(with_parts(loaded, reranker=None), reranked=None)
    assert not [name for name in model_arrays(dropped.model) if "rerank" in name]


def test_a_damaged_threshold_is_refused(linker):
    arrays = model_arrays(with_reranker(linker, Contrarian(), Decision(threshold=0.3)).model)
    assert Decisions.from_arrays(arrays, "decisions").reranked.threshold == 0.3
    for damaged in (np.zeros(3), np.array(1.5), np.array("high")):
        with pytest.raises(StoreError, match=r"decisions\.reranked\.threshold"):
            Decisions.from_arrays(arrays | {"decisions.reranked.threshold": damaged}, "decisions")
