"""A linker with a calibration, from documents to a stored model."""

import json

import numpy as np
import pytest

from deixis.decision.calibrator import CalibrationConfig
from deixis.errors import ConfigError, DataError
from deixis.evaluation.linking.calibration import expected_calibration_error
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.linking.config import LinkerConfig
from deixis.linking.linker import Linker
from deixis.linking.nil import NilRule
from deixis.linking.rehearsal import RehearsalConfig
from deixis.ranking.ranker import FusionConfig
from deixis.types import Document, Mention

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
    judged = linker.judged(new).held_out
    after = calibrated.link(new)
    before = linker.link(new)
    for old, fresh in zip(before, after, strict=True):
        assert [c.id for c in old.mentions[0].candidates] == [c.id for c in fresh.mentions[0].candidates]
        scores = [c.score for c in fresh.mentions[0].candidates]
        assert scores == sorted(scores, reverse=True)
    scores = [document.mentions[0].score for document in after]
    error = expected_calibration_error(scores, judged.is_right)
    assert error < expected_calibration_error(judged.scores, judged.is_right)


def test_the_old_linker_stays_as_it_was(linker):
    linker.calibrate(annotated())
    assert linker.calibration is None
    assert linker.config.nil == NilRule()


def test_gold_outside_of_the_knowledge_base_makes_a_link_wrong(linker):
    mention = Mention(0, 6, "iron 0", entity="elsewhere")
    judged = linker.judged([*annotated(0, 6), Document("x", "iron 0", mentions=(mention,))]).held_out
    assert not judged.is_right[-1] and not judged.is_known[-1]
    assert judged.scores[-1] > 0


def test_mentions_that_nobody_decided_about_are_left_out(linker):
    undecided = Document("x", "iron 0", mentions=(Mention(0, 6, "iron 0"),))
    assert len(linker.judged([*annotated(0, 6), undecided]).held_out) == 6


def test_a_target_precision_becomes_a_threshold(linker):
    precise = linker.calibrate(annotated(), NilRule(target_precision=0.9))
    assert precise.config.nil.target_precision == 0.9
    expected = precise.calibration.expected(precise.config.nil)
    assert expected.precision >= 0.9
    linked = [m for document in precise.link(annotated()) for m in document.mentions]
    assert sum(not m.is_nil for m in linked) / N == pytest.approx(expected.coverage)


def test_a_threshold_given_by_the_user_is_kept(linker):
    assert linker.calibrate(annotated(), NilRule(threshold=0.25)).config.nil.threshold == 0.25


def test_the_method_none_keeps_scores_and_chooses_a_threshold(linker):
    config = LinkerConfig(calibration=CalibrationConfig("none"))
    plain = Linker(linker.kb, linker.detector, linker.generator, linker.ranker, config).calibrate(annotated())
    assert plain.calibration.calibrator is None
    assert plain.config.nil.threshold is not None
    before, after = linker.link(annotated()[:5]), plain.link(annotated()[:5])
    assert [d.mentions[0].candidates for d in before] == [d.mentions[0].candidates for d in after]


def test_a_calibrated_linker_is_stored_whole(linker, tmp_path):
    calibrated = linker.calibrate(annotated(), NilRule(target_precision=0.8))
    calibrated.save(tmp_path / "model")
    again = Linker.load(tmp_path / "model")
    assert again.config == calibrated.config
    assert again.link(annotated()) == calibrated.link(annotated())
    assert again.calibration.held_out.for_precision(0.8) == calibrated.calibration.held_out.for_precision(0.8)
    assert json.loads((tmp_path / "model" / "manifest.json").read_text())["config"]["nil"]["target_precision"] == 0.8


def test_a_model_can_be_calibrated_again_as_if_for_the_first_time(linker):
    once = linker.calibrate(annotated(0, 60))
    twice = once.calibrate(annotated(60, N))
    assert twice.link(annotated(0, 20)) == linker.calibrate(annotated(60, N)).link(annotated(0, 20))


def test_documents_without_known_entities_cannot_calibrate(linker):
    nothing = [Document("d", "iron 0", mentions=(Mention(0, 6, "iron 0", is_nil=True),))]
    with pytest.raises(DataError, match="None of the 1 mentions"):
        linker.calibrate(nothing)


def test_annotated_documents_can_be_held_back_at_build(linker):
    config = LinkerConfig(held_out_share=0.3, ranking=FusionConfig(min_mentions=10))
    whole = Linker.build(linker.kb, annotated(), config)
    assert len(whole.calibration.held_out) == round(N * 0.3)
    assert whole.config.held_out_share == 0.3
    learned = [d.mentions[0].text for d in annotated() if d.mentions[0].entity is not None]
    assert whole.generator.tree.learned.holds(learned).all()  # those held back too
    assert not np.array_equal(whole.ranker.weights, linker.ranker.weights)
    with pytest.raises(ConfigError, match="held_out_share"):
        LinkerConfig(held_out_share=1.0)


def test_too_few_annotated_mentions_teach_no_weights_and_calibrate_nothing(linker):
    whole = Linker.build(linker.kb, annotated())
    assert whole.calibration is None
    assert np.array_equal(whole.ranker.weights, linker.ranker.weights)
    assert whole.generator.tree.learned.holds(["old iron 1", "zinc 0"]).any()


def test_cross_validation_scores_every_mention_by_curves_that_have_not_seen_it(linker):
    judged = linker.judged(annotated())
    after = judged.cross_validated(CalibrationConfig())
    assert len(after) == N and (after.scores > 0).all()
    in_sample = judged.rescored(judged.fitted(CalibrationConfig()))
    assert not np.allclose(after.scores, in_sample)


def test_a_rehearsed_linker_says_so(linker):
    rehearsed = linker.rehearse()
    assert rehearsed.calibration.source == "rehearsed"
    built = Linker.build(linker.kb, config=LinkerConfig(rehearsal=RehearsalConfig(use="always")))
    assert built.calibration.source == "rehearsed"
    assert built.link(annotated()[:9]) == rehearsed.link(annotated()[:9])
