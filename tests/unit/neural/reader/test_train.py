"""Retriever and reader, taught on a list of birds and stones with a tiny encoder."""

from __future__ import annotations

import copy
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch")

import torch

from deixis.errors import ConfigError, DataError, StoreError
from deixis.neural.reader.checkpoint import FILE, CheckpointFile
from deixis.neural.reader.config import ReaderConfig
from deixis.neural.reader.examples import annotated_passages
from deixis.neural.reader.graphs import OnnxNumbers
from deixis.neural.reader.model import reader_loss, retriever_loss
from deixis.neural.reader.run import Reader
from deixis.neural.reader.texts import PassageTokens, ReaderTexts
from deixis.neural.reader.train import new_training, train_reader
from deixis.neural.windows import TokenWindows
from deixis.types import Document, Mention
from tests.aviary import aviary, sightings, tiny_encoder


@pytest.fixture(scope="module")
def config(tmp_path_factory: pytest.TempPathFactory) -> ReaderConfig:
    encoder = tiny_encoder(tmp_path_factory.mktemp("encoder") / "tiny")
    return ReaderConfig(
        encoder=encoder, n_tokens=16, overlap=4, entity_tokens=12, n_steps=12, warm_up=12, batch_size=4,
        learning_rate=3e-3, head_rate=1e-2, n_candidates=4, n_taught=3, n_negatives=2, refresh_every=6,
    )  # fmt: skip


@pytest.fixture(scope="module")
def trained(config: ReaderConfig) -> tuple[Reader, list[tuple[str, float]]]:
    losses: list[tuple[str, float]] = []
    reader = train_reader(aviary(), sightings(30), config, notice=lambda label, loss: losses.append((label, loss)))
    return reader, losses


def test_each_learns_alone_and_then_both(trained: tuple[Reader, list[tuple[str, float]]]) -> None:
    _, losses = trained
    phases = list(dict.fromkeys(label for label, _ in losses))
    assert phases == ["training the retriever", "training the reader", "training both"]
    for phase, share in zip(phases[:2], (1.0, 0.8), strict=True):
        own = [loss for label, loss in losses if label == phase]
        assert np.mean(own[-4:]) < share * np.mean(own[:4])


def test_the_same_seed_learns_the_same(trained: tuple[Reader, list[tuple[str, float]]], config: ReaderConfig) -> None:
    again: list[tuple[str, float]] = []
    train_reader(aviary(), sightings(30), config, notice=lambda label, loss: again.append((label, loss)))
    assert np.allclose([loss for _, loss in again], [loss for _, loss in trained[1]], rtol=1e-4)


def test_entities_were_encoded_anew_at_the_end(trained: tuple[Reader, list[tuple[str, float]]]) -> None:
    reader, _ = trained
    assert reader.vectors is not None
    assert np.allclose(reader.vectors, reader.encode_entities(), atol=1e-4)


def test_spans_change_what_is_retrieved_but_not_how_much(trained: tuple[Reader, list[tuple[str, float]]]) -> None:
    reader, _ = trained
    passages = reader.texts.passages(["we saw Ruby in the tree on day 9", "Topaz sang all morning on day 9"])
    plain = reader.retrieve(passages, k=3)
    with_spans = reader.retrieve(passages, [[(7, 11)], [(0, 5)]], k=3)
    assert [len(rows) for rows in plain + with_spans] == [3, 3, 3, 3]
    assert all(len(set(rows)) == 3 for rows in with_spans)


def test_readings_lie_in_the_document_and_pass_the_threshold(trained: tuple[Reader, list[tuple[str, float]]]) -> None:
    reader, _ = trained
    texts = ["Amber flew over the lake. " * 6, ""]
    found = reader.answer(texts, threshold=0.001)
    assert found
    assert all(0 <= each.start < each.end <= len(texts[each.document]) for each in found)
    assert all(each.score > 0.001 for each in found)
    assert len({(each.document, each.start, each.end, each.row) for each in found}) == len(found)


def test_a_stored_reader_reads_the_same(trained: tuple[Reader, list[tuple[str, float]]]) -> None:
    reader, _ = trained
    assert isinstance(reader.encoder, OnnxNumbers)
    again = Reader.from_arrays(reader.to_arrays("r"), "r", reader.kb)
    texts = ["Ruby flew over the lake on day 1"]
    assert again.answer(texts, 0.001) == reader.answer(texts, 0.001)


def test_candidates_from_elsewhere_teach_the_reader_alone(config: ReaderConfig) -> None:
    losses: list[str] = []
    asked: list[int] = []

    def source(passages: object) -> list[list[int]]:
        asked.append(len(passages))  # type: ignore[arg-type]
        return [[0, 1, 10, 11] for _ in passages]  # type: ignore[attr-defined]

    short = replace(config, n_steps=2, warm_up=1)
    reader = train_reader(aviary(), sightings(8), short, source, lambda label, _: losses.append(label))
    assert set(losses) == {"training the reader"}
    assert asked
    assert reader.vectors is None
    assert reader.read(reader.texts.passages(["Ruby sang"]), [[]]) == []


def test_passages_for_which_nothing_is_proposed_teach_nothing(config: ReaderConfig) -> None:
    losses: list[float] = []
    plain = Document("d", "we saw nothing in the tree on day 1")
    documents = [*sightings(1, nil_share=0.0), *(replace(plain, id=str(number)) for number in range(9))]
    training, _ = new_training(
        aviary(),
        documents,
        replace(config, n_steps=2, warm_up=0, batch_size=1),
        lambda passages: [[] for _ in passages],
        lambda _, loss: losses.append(loss),
    )
    training.passages[:] = training.passages[1:] + training.passages[:1]
    training._order = [0, 1]
    training.run()
    assert losses == [0.0, 0.0]


def test_without_flows_the_retriever_learns_all_its_steps_and_then_the_reader_all_of_its(config: ReaderConfig) -> None:
    labels: list[str] = []
    short = replace(config, flows="none", n_steps=2, warm_up=1)
    training, _ = new_training(aviary(), sightings(8), short, notice=lambda label, _: labels.append(label))
    training.run()
    retriever = ["training the retriever", *["training the retriever further"] * 2]
    assert labels == [*retriever, *["training the reader"] * 3]


def test_the_rate_of_a_module_rises_once_over_all_its_phases(config: ReaderConfig) -> None:
    training, _ = new_training(aviary(), sightings(8), replace(config, n_steps=6, warm_up=6))
    rates = []
    for steps in training._steps.values():
        own = []
        rates.append(own)
        step = steps._optimizer.step
        steps._optimizer.step = lambda own=own, steps=steps, step=step: (
            own.append(steps._optimizer.param_groups[0]["lr"]), step()
        )  # fmt: skip
    training.run()
    for own in rates:
        top = own.index(max(own))
        assert len(own) == 12 and own[: top + 1] == sorted(own[: top + 1]) and own[top:] == sorted(own[top:])[::-1]


def test_a_copy_of_a_training_learns_without_the_other(config: ReaderConfig) -> None:
    training, _ = new_training(aviary(), sightings(8), replace(config, n_steps=3, warm_up=2))
    training.warm_up()
    before = [each.clone() for each in training.model.parameters()]
    other = copy.deepcopy(training)
    other.learn()
    assert all(torch.equal(one, each) for one, each in zip(before, training.model.parameters(), strict=True))
    assert not all(torch.equal(one, each) for one, each in zip(before, other.model.parameters(), strict=True))


@pytest.mark.parametrize("flows", ["none", "to-retriever", "both"])
@pytest.mark.parametrize("n_before", [2, 5, 7, 11])
def test_an_interrupted_training_goes_on_as_if_it_had_not_been(
    config: ReaderConfig, tmp_path: Path, flows: str, n_before: int
) -> None:
    short = replace(config, flows=flows, n_steps=5, warm_up=4, refresh_every=3)
    whole, _ = new_training(aviary(), sightings(8), short)
    whole.run()

    losses: list[float] = []

    def interrupt(label: str, loss: float) -> None:
        losses.append(loss)
        if len(losses) == n_before:
            raise KeyboardInterrupt

    file = CheckpointFile(tmp_path / FILE, seconds=0)
    first, _ = new_training(aviary(), sightings(8), short, notice=interrupt)
    first.checkpoint = file
    with pytest.raises(KeyboardInterrupt):
        first.run()
    labels: list[str] = []
    second, _ = new_training(aviary(), sightings(8), short, notice=lambda label, _: labels.append(label))
    second.checkpoint = file
    torch.rand(3)  # another process has drawn other numbers
    second.run()
    n_all = 18 if flows == "none" else 13
    assert len(labels) == n_all - n_before
    assert all(torch.equal(a, b) for a, b in zip(whole.model.parameters(), second.model.parameters(), strict=True))
    assert np.array_equal(whole.reader.vectors, second.reader.vectors)


def test_a_damaged_checkpoint_is_named(config: ReaderConfig, tmp_path: Path) -> None:
    (tmp_path / FILE).write_bytes(b"not tensors")
    training, _ = new_training(aviary(), sightings(8), config)
    training.checkpoint = CheckpointFile(tmp_path / FILE)
    with pytest.raises(StoreError, match=r"checkpoint-last.*damaged.*--afresh"):
        training.run()


def test_a_folder_of_another_training_is_refused(config: ReaderConfig, tmp_path: Path) -> None:
    short = replace(config, n_steps=1, warm_up=1)
    train_reader(aviary(), sightings(8), short, folder=tmp_path)
    with pytest.raises(ConfigError, match=r"other settings.*n_steps"):
        train_reader(aviary(), sightings(8), replace(short, n_steps=2), folder=tmp_path)


def test_the_retriever_is_told_of_spans_and_still_learns_from_passages_alone(config: ReaderConfig) -> None:
    training, _ = new_training(aviary(), sightings(8), config)
    training._refresh()
    numbers = [number for number, each in enumerate(training.passages) if each.spans][:2]
    nothing = [[] for _ in numbers]
    spans = [[span for own in training.passages[number].spans.values() for span in own] for number in numbers]
    candidates = training._retrieved(training.reader, numbers, nothing)
    training.model.eval()

    def loss(told: list[list[tuple[int, int]]]) -> float:
        training._losses.random = np.random.default_rng(0)
        return training._losses.retriever_loss(numbers, told, candidates).item()

    assert loss(spans) > loss(nothing) > 0


def test_the_best_span_counts_or_the_mean_of_all(config: ReaderConfig) -> None:
    training, _ = new_training(aviary(), sightings(8), config)
    (encoding,) = training.reader.texts.encoded(["Ruby and Topaz sang"])
    spans = [(0, 4), (9, 14)]
    each = training.reader.span_positions(encoding, spans)
    training.reader.config = replace(config, span_pooling="mean")
    (together,) = training.reader.span_positions(encoding, spans)
    assert len(each) == 2 and sorted(np.concatenate(each).tolist()) == together.tolist()
    assert training.reader.span_positions(encoding, []) == []


def test_a_reader_that_is_not_fed_keeps_the_candidates_it_had_first(config: ReaderConfig) -> None:
    def kept(flows: str) -> dict[int, list[int]]:
        training, _ = new_training(aviary(), sightings(4), replace(config, flows=flows, n_steps=4, warm_up=0))
        training.run()
        return training.passage_candidates

    assert kept("to-retriever") and not kept("both")


def test_words_stay_as_they_are_and_layers_learn(config: ReaderConfig) -> None:
    training, _ = new_training(aviary(), sightings(4), replace(config, n_steps=1, warm_up=1))
    before = {name: value.clone() for name, value in training.model.encoder.state_dict().items()}
    training.run()
    moved = {
        name for name, value in training.model.encoder.state_dict().items() if not torch.equal(value, before[name])
    }
    assert any("layer" in name for name in moved) and not any("word_embeddings" in name for name in moved)


def test_documents_whose_entities_nobody_knows_teach_nothing(config: ReaderConfig) -> None:
    stranger = Document("d", "Rome burns", mentions=(Mention(0, 4, "Rome", "Q220"),))
    with pytest.raises(DataError, match="same ids"):
        train_reader(aviary(), [stranger], config)


def test_a_mention_longer_than_the_overlap_is_whole_in_a_passage(config: ReaderConfig) -> None:
    from deixis.neural.sentence_encoder import open_sentence_transformer, tokenizer_bytes

    texts = ReaderTexts(TokenWindows.from_bytes(tokenizer_bytes(open_sentence_transformer(config.encoder))), config)
    text = "we saw in the tree on day a nest of Ruby was found all morning over the lake we saw"
    start, end = text.index("tree"), text.index("morning")
    documents = [Document("d", text, mentions=(Mention(start, end, text[start:end], "bird-Ruby"),))]
    taught = annotated_passages(aviary(), documents, texts)
    holding = [each for each in taught if each.spans]
    assert holding
    for each in holding:
        (span,) = each.spans[18]
        assert each.passage.text[span[0] : span[1]] == text[start:end]


def test_settings_that_cannot_be_are_refused() -> None:
    for wrong in ({"threshold": 1.0}, {"scale": 0.0}, {"batch_size": 0}, {"overlap": 32}, {"flows": "sideways"}):
        with pytest.raises(ConfigError):
            ReaderConfig(**wrong)


def test_the_retriever_learns_from_right_against_wrong_only() -> None:
    scores = torch.tensor([[2.0, 0.0, 0.0]])
    two_right = retriever_loss(scores, torch.tensor([[True, True, False]]))
    by_hand = (np.log1p(np.exp(0 - 2.0)) + np.log1p(np.exp(0 - 0.0))) / 2  # each right one against the third alone
    assert float(two_right) == pytest.approx(by_hand, rel=1e-5)
    assert float(retriever_loss(scores, torch.zeros(1, 3, dtype=torch.bool))) == 0.0


def test_the_reader_learns_spans_and_ranks() -> None:
    logits = torch.zeros(2, 3, 3)
    is_passage = torch.tensor([[True, True, True], [True, True, False]])
    loss = reader_loss(logits, is_passage, [[(1, 2)], []], torch.tensor([5, 5]))
    span = (2 * np.log(3) + 2 * np.log(2)) / 2  # three places in the first pair, two in the second
    assert float(loss) == pytest.approx(span + np.log(2), rel=1e-4)


def test_tokens_of_a_passage_leave_out_the_entity(config: ReaderConfig) -> None:
    from deixis.neural.sentence_encoder import open_sentence_transformer, tokenizer_bytes

    texts = ReaderTexts(TokenWindows.from_bytes(tokenizer_bytes(open_sentence_transformer(config.encoder))), config)
    (encoding,) = texts.encoded_pairs(["Ruby sang"], aviary(), [18])
    tokens = PassageTokens.of(encoding)
    assert tokens.positions[0] == 0
    assert tokens.offsets[1:].max() == len("Ruby sang")
