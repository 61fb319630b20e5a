"""Training a bi-encoder: it learns, it goes on after a kill, it refuses what it cannot learn from."""

import json
import logging
import os
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load_file

from deixis.errors import ConfigError, DataError, UnknownNameError
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.neural.bi_encoder.config import BiEncoderConfig
from deixis.progress import listening
from deixis.types import Document, Mention
from tests.tiny_encoders import tiny_sentence_encoder

training = pytest.importorskip("deixis.neural.bi_encoder.train")

COLOURS = "red blue green old new big small wet".split()
THINGS = "house river ship train tower".split()
KB = KnowledgeBase.from_records(
    [
        {"id": f"{colour}-{thing}", "title": thing, "descriptions": {"en": f"the {thing} is {colour}", "xx": colour}}
        for colour in COLOURS
        for thing in THINGS
    ]
)


def stories(n, seed=0):
    """Documents in which only the last word, a colour spelled backwards, tells which thing of the name is meant."""
    random = np.random.default_rng(seed)
    documents = []
    for number in range(n):
        colour, thing = COLOURS[random.integers(len(COLOURS))], THINGS[random.integers(len(THINGS))]
        mention = Mention(9, 9 + len(thing), thing, f"{colour}-{thing}")
        documents.append(Document(f"d{number}", f"we saw a {thing} and it was {colour[::-1]}", mentions=(mention,)))
    return documents


MODULE = "tests.unit.neural.bi_encoder.test_train"
CONFIG = BiEncoderConfig(
    n_tokens=16, n_rounds=2, n_steps=12, batch_size=8, n_negatives=3, k=10, learning_rate=3e-3, save_every=5
)


class Watch:
    """Hears labels and words; ends the process, if asked to, in the middle of a training."""

    def __init__(self, kill_in=None, kill_at=0):
        self.labels, self.words, self.kill_in, self.kill_at = [], [], kill_in, kill_at
        self.n_done = {}

    def started(self, label, total):
        self.labels.append(label)
        return len(self.labels) - 1

    def advanced(self, task, n):
        label = self.labels[task]
        self.n_done[label] = self.n_done.get(label, 0) + n
        if label == self.kill_in and self.n_done[label] >= self.kill_at:
            os.kill(os.getpid(), signal.SIGKILL)

    def noted(self, task, text):
        self.words.append(text)

    def finished(self, task):
        pass


@pytest.fixture(scope="module")
def config(tmp_path_factory):
    texts = [document.text for document in stories(100)] + ["the is", *COLOURS]
    return replace(CONFIG, encoder=str(tiny_sentence_encoder(tmp_path_factory.mktemp("tiny") / "encoder", texts)))


@pytest.fixture(scope="module")
def unbroken(config, tmp_path_factory):
    watch, folder = Watch(), tmp_path_factory.mktemp("unbroken")
    with listening(watch):
        return training.train_bi_encoder(KB, stories(40), folder, config, dev=stories(30, seed=1)), watch


def weights(folder):
    return load_file(Path(folder) / "model.safetensors")


def assert_same_weights(first, second):
    ours, theirs = weights(first), weights(second)
    assert ours.keys() == theirs.keys()
    for name, values in ours.items():
        np.testing.assert_allclose(values, theirs[name], atol=1e-5, err_msg=name)


def test_recall_on_dev_rises_and_the_loss_falls(unbroken):
    trained, _ = unbroken
    untrained, *rounds = (report["recall@1"] for report in trained.rounds)
    assert untrained < 0.5 and max(rounds) > untrained + 0.3
    losses = [loss for _, loss in trained.rounds[1]["losses"]]
    assert np.mean(losses[-3:]) < 0.8 * losses[0]
    assert trained.rounds[trained.chosen]["recall@10"] == max(report["recall@10"] for report in trained.rounds[1:])


def test_the_mentions_that_were_drawn_are_counted(unbroken, config, tmp_path):
    assert unbroken[0].n_mentions == 40  # all, more than once
    few = replace(config, n_rounds=1, n_steps=2, n_negatives=1)
    assert training.train_bi_encoder(KB, stories(40), tmp_path, few).n_mentions == 2 * few.batch_size


def test_progress_tells_round_and_loss_and_nothing_is_printed(config, unbroken, tmp_path, capfd):
    _, watch = unbroken
    assert "training, round 1 of 2" in watch.labels and "training, round 2 of 2" in watch.labels
    assert watch.n_done["training, round 2 of 2"] == CONFIG.n_steps
    assert any(word.startswith("loss ") for word in watch.words)
    training.train_bi_encoder(KB, stories(8), tmp_path, replace(config, n_rounds=1, n_steps=2))
    assert capfd.readouterr() == ("", "")


def test_the_trained_encoder_gives_the_same_vectors_without_torch(unbroken):
    onnx = pytest.importorskip("deixis.encoders.onnx")
    from deixis.neural.bi_encoder.model import BiEncoder

    trained, _ = unbroken
    with_torch = BiEncoder.open(trained.folder, trained.n_tokens)
    texts = with_torch.texts.of_entities(KB)[0]
    without = onnx.OnnxEncoder.from_folder(trained.folder).encode(texts)
    np.testing.assert_allclose(without, with_torch.encode(texts), atol=1e-4)


@pytest.mark.parametrize(("round_number", "step"), [(1, 7), (2, 3)])
def test_training_goes_on_after_a_kill_and_ends_with_the_same_weights(config, unbroken, tmp_path, round_number, step):
    killed = subprocess.run(
        [
            sys.executable,
            "-m",
            MODULE,
            str(tmp_path),
            config.encoder,
            f"training, round {round_number} of 2",
            str(step),
        ],
        cwd=Path(__file__).resolve().parents[4],
        capture_output=True,
        check=False,
    )
    assert killed.returncode == -signal.SIGKILL, killed.stderr.decode()[-2000:]
    assert not (tmp_path / "model").exists()
    watch = Watch()
    with listening(watch):
        resumed = training.train_bi_encoder(KB, stories(40), tmp_path, config, dev=stories(30, seed=1))
    assert f"encoding mentions, round {round_number} of 2" not in watch.labels  # the negatives were mined already
    assert_same_weights(resumed.folder, unbroken[0].folder)
    losses = [[loss for _, loss in report["losses"]] for report in resumed.rounds[1:]]
    expected = [[loss for _, loss in report["losses"]] for report in unbroken[0].rounds[1:]]
    np.testing.assert_allclose(losses, expected, atol=1e-4)


def test_a_finished_training_can_be_given_further_rounds(config, tmp_path):
    short = replace(config, n_steps=3, n_rounds=1)
    first = training.train_bi_encoder(KB, stories(20), tmp_path, short)
    further = training.train_bi_encoder(KB, stories(20), tmp_path, replace(short, n_rounds=2))
    assert (first.chosen, further.chosen) == (1, 2)
    straight = training.train_bi_encoder(KB, stories(20), tmp_path / "straight", replace(short, n_rounds=2))
    assert_same_weights(further.folder, straight.folder)


def test_a_checkpoint_that_was_not_written_to_its_end_is_passed_over(tmp_path):
    from deixis.neural.checkpoints import last_checkpoint

    for step, state in ((5, json.dumps({"global_step": 5})), (10, '{"global_st'), (15, None)):
        (tmp_path / f"checkpoint-{step}").mkdir()
        if state is not None:
            (tmp_path / f"checkpoint-{step}" / "trainer_state.json").write_text(state)
    assert last_checkpoint(tmp_path) == str(tmp_path / "checkpoint-5")
    assert last_checkpoint(tmp_path / "none") is None


def test_the_two_ways_of_the_first_round_mine_other_negatives(config, tmp_path):
    short = replace(config, n_steps=2, n_rounds=1)
    mined = []
    for way in ("mention", "context"):
        training.train_bi_encoder(KB, stories(30), tmp_path / way, replace(short, first_round=way))
        with np.load(tmp_path / way / "round-1" / "examples.npz") as stored:
            mined.append(stored["negatives"])
    assert mined[0].shape == mined[1].shape and (mined[0] != mined[1]).any()


def test_chunks_change_the_memory_and_not_the_result(config, tmp_path):
    short = replace(config, n_steps=1, n_rounds=1, warmup=0.0)
    losses = []
    for chunk_size in (0, 4):
        trained = training.train_bi_encoder(
            KB, stories(20), tmp_path / str(chunk_size), replace(short, chunk_size=chunk_size)
        )
        losses.append(trained.rounds[1]["losses"][0][1])
    assert losses[0] == pytest.approx(losses[1], rel=0.2)  # dropout is drawn in another order


def test_a_folder_of_another_training_is_refused(config, tmp_path):
    short = replace(config, n_steps=1, n_rounds=1)
    training.train_bi_encoder(KB, stories(20), tmp_path, short)
    with pytest.raises(ConfigError, match=r"holds a training with other settings or other data \(scale\)"):
        training.train_bi_encoder(KB, stories(20), tmp_path, replace(short, scale=30.0))
    with pytest.raises(ConfigError, match=r"\(the data\)"):
        training.train_bi_encoder(KB, stories(21), tmp_path, short)


def test_a_list_without_descriptions_is_learned_from_by_its_titles(config, tmp_path):
    names = [f"{colour} {thing}" for colour in COLOURS for thing in THINGS]
    bare = KnowledgeBase.from_records([{"id": name.replace(" ", "-"), "title": name} for name in names])
    trained = training.train_bi_encoder(bare, stories(120), tmp_path, config, stories(60, seed=1))
    untrained, *_, last = trained.rounds
    assert last["recall@10"] > untrained["recall@10"] + 0.1


def test_what_cannot_be_learned_from_is_refused(config, tmp_path):
    unknown = [Document("d", "a b", mentions=(Mention(0, 1, "a", "Q1"),))]
    with pytest.raises(
        DataError, match=r"None of the 1 annotated mentions names an entity .* has 40 \(the first: 'Q1'"
    ):
        training.train_bi_encoder(KB, unknown, tmp_path, config)
    with pytest.raises(DataError, match="No annotated mention was given"):
        training.train_bi_encoder(KB, [], tmp_path, config)
    text = "a house " * 20
    long = [Document("d", text, mentions=(Mention(0, len(text) - 1, text.strip(), "red-house"),))]
    with pytest.raises(DataError, match="more than the window of 16"):
        training.train_bi_encoder(KB, long, tmp_path, config)
    with pytest.raises(DataError, match="40 negatives are needed"):
        training.train_bi_encoder(KB, stories(5), tmp_path / "few", replace(config, n_negatives=40))


def test_an_unknown_index_is_an_error_before_anything_is_done(config, tmp_path):
    with pytest.raises(UnknownNameError, match="No vector index named 'exakt'.* Did you mean 'exact'"):
        training.train_bi_encoder(KB, stories(5), tmp_path / "none", replace(config, index="exakt"))
    assert not (tmp_path / "none").exists()


def test_unknown_ids_are_counted_and_told(config, tmp_path, caplog):
    odd = Document("odd", "a b", mentions=(Mention(0, 1, "a", "Q1"),))
    with caplog.at_level(logging.WARNING):
        training.train_bi_encoder(KB, [*stories(9), odd], tmp_path, replace(config, n_steps=1, n_rounds=1))
    assert "1 of 10 annotated mentions name entities the knowledge base does not hold, as 'Q1'" in caplog.text


if __name__ == "__main__":  # the training that is killed
    folder, encoder, label, step = sys.argv[1:]
    with listening(Watch(kill_in=label, kill_at=int(step))):
        training.train_bi_encoder(KB, stories(40), folder, replace(CONFIG, encoder=encoder), dev=stories(30, seed=1))
