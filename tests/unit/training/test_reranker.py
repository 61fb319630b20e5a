"""A re-ranker is trained on the model's own candidates, judged by what neither has seen, and kept with the model."""

from dataclasses import replace

import numpy as np
import pytest

from deixis.errors import ConfigError, DataError
from deixis.linker import Linker
from deixis.neural.cross_encoder.config import CrossEncoderConfig
from deixis.neural.cross_encoder.pairs import PairConfig
from deixis.ranking.rerankers.examples import best_scores
from deixis.training.calibrate import judge, with_decision
from deixis.training.config import TrainingConfig
from deixis.training.examples import training_examples
from deixis.training.reranker import (
    ambiguous_examples,
    enough,
    ranked_examples,
    train_reranker,
    with_promised_precision,
)
from deixis.training.split import TrainDevSplit
from deixis.types import Document, Mention
from tests.aviary import even_aviary, sightings, tiny_encoder

KB = even_aviary()


@pytest.fixture(scope="module")
def config(tmp_path_factory):
    rerank = CrossEncoderConfig(
        encoder=tiny_encoder(tmp_path_factory.mktemp("tiny")), pairs=PairConfig(n_tokens=48), epochs=4, batch_size=8,
        learning_rate=3e-3, n_taught=3, n_candidates=3, max_checked=30,
    )  # fmt: skip
    return TrainingConfig(reranker=rerank)


@pytest.fixture(scope="module")
def learned(config, tmp_path_factory):
    folder = tmp_path_factory.mktemp("work")
    return train_reranker(Linker.build(KB).model, sightings(60), sightings(40, seed=1), config, folder)


def share_right(linker, documents, rerank):
    bare = [d.with_mentions([Mention(m.start, m.end, m.text) for m in d.mentions]) for d in documents]
    linked = linker.link_many(bare, rerank=rerank)
    gold = [d.mentions[0].entity for d in documents]
    pairs = [(one.mentions[0].entity, right) for one, right in zip(linked, gold, strict=True) if right is not None]
    return sum(found == right for found, right in pairs) / len(pairs)


def test_what_the_ranker_cannot_tell_the_reranker_learns(learned):
    by_name = {metric.name: metric for metric in learned.accuracies}
    assert list(by_name) == ["retriever", "cross-encoder", "fused"]
    assert by_name["fused"].value >= max(by_name["retriever"].value, by_name["cross-encoder"].value)
    assert by_name["fused"].value > by_name["retriever"].value + 0.2
    assert {metric.n for metric in learned.accuracies} == {30}
    assert learned.mentions_per_second > 0 and 45 <= learned.n_train <= 60


def test_reranking_is_better_on_documents_that_nobody_has_seen(learned):
    fresh, linker = sightings(40, seed=2), Linker(learned.model)
    assert share_right(linker, fresh, rerank=True) > share_right(linker, fresh, rerank=False) + 0.2


def test_the_reranker_is_calibrated_and_knows_what_it_learned_from(learned):
    decisions, seen = learned.model.decisions, learned.model.reranker.seen
    assert decisions.reranked.source == "annotated" and decisions.reranked.threshold is not None
    assert decisions.reranked.model is not None and decisions.reranked.curve is not None
    assert seen.holds(sightings(60)).all()
    assert not seen.holds(sightings(40, seed=1)).any()
    assert len(learned.model.seen) == 0 and decisions.given.curve is None


def test_it_comes_back_with_the_model_and_links_the_same(learned, tmp_path):
    linker = Linker(learned.model)
    linker.save(tmp_path / "model")
    loaded = Linker.load(tmp_path / "model", n_threads=1)
    assert "opened" not in vars(loaded.model.reranker.part)
    fresh = [document.text for document in sightings(5, seed=3)]
    pairs = (each.link_many(fresh, rerank=True) for each in (linker, loaded))
    for once, again in zip(*pairs, strict=True):
        assert [m.entity for m in once.mentions] == [m.entity for m in again.mentions]
        assert [m.score for m in once.mentions] == pytest.approx([m.score for m in again.mentions], abs=1e-4)
    assert list(loaded.link_many(fresh)) == list(linker.link_many(fresh))


def test_a_mention_longer_than_the_window_is_linked_as_before(learned):
    long = " ".join(["Ruby"] * 60)
    document = Document("d", f"we saw {long}", mentions=(Mention(7, 7 + len(long), long),))
    (found,) = Linker(learned.model).link(document, rerank=True).mentions
    (before,) = Linker(learned.model).link(document).mentions
    assert [c.id for c in found.candidates] == [c.id for c in before.candidates]


@pytest.mark.parametrize(
    ("documents", "dev", "words"),
    [
        ([], None, "no documents to learn from"),
        ([Document("d", "Ruby")] * 5, sightings(3), "no annotated mention|has an annotated mention"),
        (sightings(5), [Document("d", "Ruby")], "to hold out has an annotated mention"),
        (sightings(5), [], "no documents to hold out"),
    ],
)
def test_nothing_to_learn_from_or_to_judge_by_is_said_before_training(config, tmp_path, documents, dev, words):
    with pytest.raises(DataError, match=words):
        train_reranker(Linker.build(KB).model, documents, dev, config, tmp_path)
    assert not list(tmp_path.iterdir())


def test_a_precision_that_the_reranker_cannot_promise_does_not_lose_it(learned, caplog):
    given = replace(learned.model.decisions.given, target_precision=0.999)
    asked = replace(learned.model, decisions=replace(learned.model.decisions, given=given))
    decision = judge(asked, sightings(40, seed=1)).decision(asked.config.calibration)  # the ranker is often wrong
    with pytest.raises(ConfigError):
        with_decision(asked, decision, target_precision=0.999, rerank=True)
    assert with_promised_precision(asked, decision, rerank=True).decisions.reranked.threshold is not None
    assert "best F1" in caplog.text


def test_enough_documents_are_drawn_for_the_mentions_wanted():
    documents = sightings(20)
    assert enough(documents, 7, 0) == enough(documents, 7, 0) and len(enough(documents, 7, 0)) == 7
    assert enough(documents, 100, 0) == documents and enough([], 5, 0) == []


def test_drawn_mentions_are_the_same_for_a_seed_and_have_the_candidates_they_have_among_all():
    model, documents = Linker.build(KB).model, [two_birds(number) for number in range(12)]

    def ranked(seed, max_mentions=5):
        return ranked_examples(model, documents, "", 3, max_mentions, seed)

    everything, drawn = ranked(3, max_mentions=0), ranked(3)
    assert len(everything.mentions) == 24 and len(drawn.mentions) == 5
    places = [everything.mentions.index(mention) for mention in drawn.mentions]
    assert places == sorted(places) and drawn.gold == [everything.gold[place] for place in places]
    assert (drawn.candidates != everything.candidates[places]).nnz == 0
    assert ranked(3).mentions == drawn.mentions != ranked(4).mentions


def test_only_mentions_that_the_ranking_is_unsure_of_are_taught_if_so_set():
    model, documents = Linker.build(KB).model, sightings(60, nil_share=0)
    split = TrainDevSplit.of(model, documents)
    everything = ambiguous_examples(split, CrossEncoderConfig(n_taught=2))
    assert len(everything.mentions) == 48
    cut = float(np.median(best_scores(everything.candidates)))
    unsure = ambiguous_examples(split, CrossEncoderConfig(n_taught=2, max_score=cut))
    assert 0 < len(unsure.mentions) < 48
    assert (best_scores(unsure.candidates) <= cut).all() and unsure.has_right.all()
    drawn = ambiguous_examples(split, CrossEncoderConfig(n_taught=2, max_score=cut, max_mentions=5))
    assert len(drawn.mentions) == 5 and all(each in unsure.mentions for each in drawn.mentions)
    with pytest.raises(DataError, match="Set reranker.max_score to 1"):
        ambiguous_examples(split, CrossEncoderConfig(n_taught=2, max_score=0.01))


def test_mentions_are_taught_with_the_candidates_of_a_model_that_has_not_seen_their_document():
    documents = sightings(60, nil_share=0)
    split = TrainDevSplit.of(Linker.build(KB, documents).model, documents)
    assert split.judge.seen.holds(split.train).all() and not split.judge.seen.holds(split.dev).any()
    parts = list(split.train_as_unseen())
    assert sorted(each.id for part, _ in parts for each in part) == sorted(each.id for each in split.train)
    for part, unknowing in parts:
        assert len(unknowing.seen) and not unknowing.seen.holds([*part, *split.dev]).any()
    assert len(ambiguous_examples(split, CrossEncoderConfig(n_taught=2)).mentions) == len(split.train)


def two_birds(number):
    text = f"On day {number} Ruby sang and Onyx flew"
    names = [(text.index(name), name) for name in ("Ruby", "Onyx")]
    return Document(str(number), text, mentions=tuple(Mention(s, s + 4, name, f"bird-{name}") for s, name in names))


def test_entities_that_answer_as_well_are_never_taught_as_wrong():
    model = Linker.build(KB).model
    both = Document("d", "Ruby sang", mentions=(Mention(0, 4, "Ruby", "bird-Ruby|stone-Ruby"),))
    examples = ranked_examples(model, [both], "to learn from", 3)
    right = {KB.row_of("bird-Ruby"), KB.row_of("stone-Ruby")}
    assert set(examples.gold[0]) == right and right <= set(examples.candidates.indices.tolist())
    assert training_examples(model, examples.mentions, examples.gold).is_right.sum() == 2


@pytest.mark.parametrize(("epochs", "max_mentions", "is_long"), [(10_000, 0, True), (10_000, 1, False), (10, 0, False)])
def test_a_training_that_takes_days_is_told_before(config, tmp_path, caplog, epochs, max_mentions, is_long):
    rerank = replace(config.reranker, epochs=epochs, max_mentions=max_mentions, n_taught=9, encoder=str(tmp_path))
    with pytest.raises(DataError, match="could be opened"):  # the encoder, after the warning
        settings = replace(config, reranker=rerank)
        train_reranker(Linker.build(KB).model, sightings(60), sightings(40, seed=1), settings, tmp_path / "work")
    assert ("--max-mentions" in caplog.text) is is_long
