"""A linker with a calibration, from documents to a stored model."""

import json

import numpy as np
import pytest

from deixis.decision.calibrator import CalibrationConfig
from deixis.documents.reading import read_documents
from deixis.errors import ConfigError, DataError
from deixis.evaluation.linking.calibration import expected_calibration_error
from deixis.kb.demo import demo_sentences_path, read_demo
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.linker import Linker
from deixis.linking.build_settings import ThresholdConfig
from deixis.linking.config import LinkerConfig
from deixis.ranking.default_weights import RankerConfig
from deixis.training.calibrate import judge
from deixis.types import Document, Mention
from tests.linkers import with_parts

N = 120
METALS = ("iron", "tin", "zinc", "lead", "gold")


def titles():
    return [f"{metal} {number}" for number in range(N // len(METALS)) for metal in METALS]


@pytest.fixture(scope="module")
def linker():
    return Linker.build(KnowledgeBase.from_records({"id": f"e{n}", "title": title} for n, title in enumerate(titles())))


def annotated(first=0, last=N):
    """Every third mention is of something that the list lacks; every fifth of a name with a word too many."""
    documents = []
    for number in range(first, last):
        title = titles()[number]
        text = "lead 977" if number % 3 == 0 else f"old {title}" if number % 5 == 0 else title
        is_nil = number % 3 == 0
        mention = Mention(0, len(text), text, entity=None if is_nil else f"e{number}", is_nil=is_nil)
        documents.append(Document(f"d{number}", f"{text} is a metal", mentions=(mention,)))
    return documents


def test_calibrated_scores_are_nearer_to_the_truth_and_no_order_changes(linker):
    calibrated = linker.calibrate(annotated(0, 60))
    new = annotated(60, N)
    judged = judge(linker.model, new).curve
    after = list(calibrated.link_many(new))
    before = list(linker.link_many(new))
    for old, fresh in zip(before, after, strict=True):
        assert [c.id for c in old.mentions[0].candidates] == [c.id for c in fresh.mentions[0].candidates]
        scores = [c.score for c in fresh.mentions[0].candidates]
        assert scores == sorted(scores, reverse=True)
    scores = [document.mentions[0].score for document in after]
    error = expected_calibration_error(scores, judged.is_right)
    assert error < expected_calibration_error(judged.scores, judged.is_right)


def test_the_old_linker_stays_as_it_was(linker):
    linker.calibrate(annotated())
    given = linker.model.decisions.given
    assert (given.model, given.curve, given.threshold) == (None, None, None)
    assert linker.config.nil == ThresholdConfig()


def test_gold_outside_of_the_knowledge_base_makes_a_link_wrong(linker):
    mention = Mention(0, 6, "iron 0", entity="elsewhere")
    judged = judge(linker.model, [*annotated(0, 6), Document("x", "iron 0", mentions=(mention,))]).curve
    assert not judged.is_right[-1] and not judged.is_known[-1]
    assert judged.scores[-1] > 0


def test_mentions_that_nobody_decided_about_are_left_out(linker):
    undecided = Document("x", "iron 0", mentions=(Mention(0, 6, "iron 0"),))
    assert len(judge(linker.model, [*annotated(0, 6), undecided]).curve) == 6


def test_a_target_precision_becomes_a_threshold(linker):
    precise = linker.calibrate(annotated(), target_precision=0.9)
    given = precise.model.decisions.given
    assert given.target_precision == 0.9
    expected = given.expectation()
    assert expected == given.curve.for_precision(0.9)
    assert expected.precision >= 0.9
    linked = [m for document in precise.link_many(annotated()) for m in document.mentions]
    assert sum(not m.is_nil for m in linked) / N == pytest.approx(expected.coverage)


def test_a_threshold_given_by_the_user_is_kept(linker):
    assert linker.calibrate(annotated(), threshold=0.25).model.decisions.given.threshold == 0.25


def test_the_method_none_keeps_scores_and_chooses_a_threshold(linker):
    config = LinkerConfig(calibration=CalibrationConfig("none"))
    plain = with_parts(linker, config=config).calibrate(annotated())
    given = plain.model.decisions.given
    assert given.model is None
    assert given.threshold is not None and len(given.curve) == N
    before, after = (list(each.link_many(annotated()[:5])) for each in (linker, plain))
    assert [d.mentions[0].candidates for d in before] == [d.mentions[0].candidates for d in after]


def test_a_calibrated_linker_is_stored_whole(linker, tmp_path):
    calibrated = linker.calibrate(annotated(), target_precision=0.8)
    calibrated.save(tmp_path / "model")
    again = Linker.load(tmp_path / "model")
    assert again.config.nil.target_precision == 0.8
    assert list(again.link_many(annotated())) == list(calibrated.link_many(annotated()))
    first, then = (each.model.decisions.given for each in (calibrated, again))
    assert (first.threshold, first.target_precision, first.source) == (
        then.threshold,
        then.target_precision,
        then.source,
    )
    assert then.curve.for_precision(0.8) == first.curve.for_precision(0.8)
    assert again.to_bytes() == calibrated.to_bytes()
    assert json.loads((tmp_path / "model" / "manifest.json").read_text())["config"]["nil"]["target_precision"] == 0.8


def test_a_model_can_be_calibrated_again_as_if_for_the_first_time(linker):
    once = linker.calibrate(annotated(0, 60))
    twice = once.calibrate(annotated(60, N))
    once_only = linker.calibrate(annotated(60, N))
    assert list(twice.link_many(annotated(0, 20))) == list(once_only.link_many(annotated(0, 20)))


def test_documents_without_known_entities_cannot_calibrate(linker):
    nothing = [Document("d", "iron 0", mentions=(Mention(0, 6, "iron 0", is_nil=True),))]
    with pytest.raises(DataError, match="None of the 1 mentions"):
        linker.calibrate(nothing)


def test_annotated_documents_can_be_held_back_at_build(linker):
    config = LinkerConfig(held_out_share=0.3, ranking=RankerConfig(min_mentions=10))
    whole = Linker.build(linker.kb, annotated(), config)
    assert len(whole.model.decisions.given.curve) == round(N * 0.3)
    assert whole.config.held_out_share == 0.3
    learned = [d.mentions[0].text for d in annotated() if d.mentions[0].entity is not None]
    assert whole.model.ranker.facts.seen_names.holds(learned).all()  # those held back too
    assert whole.model.ranker.weights.by_name() != linker.model.ranker.weights.by_name()
    with pytest.raises(ConfigError, match="held_out_share"):
        LinkerConfig(held_out_share=1.0)


def test_too_few_annotated_mentions_teach_no_weights_and_calibrate_nothing(linker):
    whole = Linker.build(linker.kb, annotated())
    given = whole.model.decisions.given
    assert given.model is None and given.curve is None
    assert whole.model.ranker.weights.by_name() == linker.model.ranker.weights.by_name()
    assert whole.model.ranker.facts.seen_names.holds(["old iron 1", "zinc 0"]).any()


def test_cross_validation_scores_every_mention_by_curves_that_have_not_seen_it(linker):
    judged = judge(linker.model, annotated())
    after = judged.cross_validated(CalibrationConfig())
    assert len(after) == N and (after.scores > 0).all()
    in_sample = judged.rescored(judged.fitted(CalibrationConfig()))
    assert not np.allclose(after.scores, in_sample)


def test_calibrating_again_keeps_the_target_precision_of_raw_text_too():
    gold = list(read_documents(demo_sentences_path()))
    built = Linker.build(read_demo(), n_threads=1)
    once = built.calibrate(gold, target_precision=0.8, all_mentions_annotated=True)
    again = once.calibrate(gold, all_mentions_annotated=True).model.decisions
    assert once.model.decisions.detected.target_precision == 0.8
    assert (again.given.target_precision, again.detected.target_precision) == (0.8, 0.8)
