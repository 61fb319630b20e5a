"""From annotated documents to a better model: on the command line, stopped and resumed, told in words and in JSON."""

import json
import subprocess
import sys

import pytest

from deixis.neural.checkpoints import ProgressCallback
from deixis.neural.reader.checkpoint import FILE, CheckpointFile
from deixis.neural.reader.module_steps import ModuleSteps
from tests.aviary import EVEN_RECORDS, sightings, tiny_encoder, write_sightings

SMALL = """
[reranker]
pairs.n_tokens = 48
epochs = 2
batch_size = 8
learning_rate = 0.003
n_taught = 3
max_checked = 20

[encoder]
batch_size = 4
n_negatives = 2
k = 10
n_tokens = 32
learning_rate = 0.003

[reader]
n_tokens = 16
overlap = 4
entity_tokens = 12
learning_rate = 0.003
head_rate = 0.01
n_candidates = 4
n_taught = 3
"""
DATA = ("--mentions", "train.jsonl", "--dev", "dev.jsonl", "--config", "small.toml", "--threads", 1)
NO_READER = ("--no-reader",)


@pytest.fixture(scope="module")
def encoder(tmp_path_factory):
    return tiny_encoder(tmp_path_factory.mktemp("tiny"))


@pytest.fixture
def wood(deixis_inside):
    """A folder with a model of stones and birds, and sentences that mean birds."""
    lines = "".join(json.dumps(record) + "\n" for record in EVEN_RECORDS)
    (deixis_inside.folder / "kb.jsonl").write_text(lines, encoding="utf-8")
    for name, documents in (("train", sightings(40)), ("dev", sightings(24, seed=1)), ("test", sightings(20, seed=2))):
        write_sightings(deixis_inside.folder / f"{name}.jsonl", documents)
    (deixis_inside.folder / "small.toml").write_text(SMALL, encoding="utf-8")
    deixis_inside("build", "kb.jsonl", "-o", "model", "--quiet", "--set", "ranking.min_mentions=20")
    return deixis_inside


def manifest(wood):
    return (wood.folder / "model" / "manifest.json").read_bytes()


def test_weights_and_probabilities_are_learned_without_any_extra(wood):
    done = wood("fit", "weights", "model", "--mentions", "train.jsonl", "-o", "taught")
    assert "before" in done.stdout and "after" in done.stdout and "95 % interval" in done.stdout
    assert "Model written to taught." in done.stderr and "held-out mentions it links" in done.stderr
    facts = json.loads(wood("info", "taught", "--json").stdout)
    assert facts["annotated_documents"] > 0 and facts["reranker_bytes"] == 0
    before = manifest(wood)
    told = json.loads(
        wood("fit", "weights", "model", "--mentions", "train.jsonl", "--json", "--dev", "dev.jsonl").stdout
    )
    assert told["trainer"] == "weights" and told["accuracies"]["after"]["n"] > 0 and manifest(wood) != before
    again = wood("fit", "weights", "model", "--mentions", "train.jsonl", code=1)
    assert "has learned from all 40 documents to learn from already" in again.stderr


def test_a_reranker_is_trained_stopped_resumed_and_used(wood, encoder, monkeypatch):
    before = manifest(wood)
    command = ("fit", "reranker", "model", *DATA, "--encoder", encoder, "--candidates", 3)
    with monkeypatch.context() as patch:
        patch.setattr(ProgressCallback, "on_step_end", _stops_after(9))
        stopped = wood(*command, code=130)
    assert "The same command resumes from model.reranker-checkpoints" in stopped.stderr
    assert manifest(wood) == before and list((wood.folder / "model.reranker-checkpoints").glob("checkpoint-*"))

    other = wood(*command, "--epochs", 3, code=1)
    assert "other settings" in other.stderr and "epochs" in other.stderr and "--afresh" in other.stderr

    done = wood(*command, "--json", "--resume")
    assert "Resuming from the last checkpoint in model.reranker-checkpoints" in done.stderr
    told = json.loads(done.stdout)  # and nothing else is there
    assert told["trainer"] == "reranker" and list(told["accuracies"]) == ["retriever", "cross-encoder", "fused"]
    assert told["accuracies"]["fused"]["value"] >= told["accuracies"]["retriever"]["value"]
    assert told["mentions_per_second"] > 0 and not (wood.folder / "model.reranker-checkpoints").exists()

    assert json.loads(wood("info", "model", "--json").stdout)["reranker_bytes"] > 0
    assert "re-ranker" in wood("doctor", "model").stdout
    plain = "from deixis import Linker; import sys; assert Linker.load('model').link('Ruby').mentions"
    lean = f"{plain}; assert not {{'onnxruntime', 'tokenizers', 'torch'}} & set(sys.modules), 'opened for nothing'"
    subprocess.run([sys.executable, "-c", lean], cwd=wood.folder, check=True)
    (wood.folder / "one.txt").write_text("we saw Ruby in the tree", encoding="utf-8")
    linked = json.loads(wood("link", "model", "one.txt", "--rerank").stdout)
    assert linked["mentions"][0]["entity"] == "bird-Ruby"
    nil = json.loads(wood("link", "model", "one.txt", "--rerank", "--threshold", 1).stdout)
    assert nil["mentions"][0]["nil"]
    measured = wood("eval", "model", "test.jsonl", "--rerank", "--compare", "model", "--json").stdout
    rows = [json.loads(line) for line in measured.splitlines()]
    accuracy = {row["system"]: row["value"] for row in rows if row["metric"] == "accuracy"}
    assert accuracy["deixis"] > accuracy["model"]
    calibrated = wood("calibrate", "model", "test.jsonl", "train.jsonl", "--rerank", "-o", "sure")
    assert "has learned from 40 of these 60 documents" in calibrated.stderr
    assert "Threshold of the re-ranker" in calibrated.stderr


def test_a_reader_is_trained_stopped_resumed_and_asked_about_texts(wood, encoder, monkeypatch):
    command = ("fit", "reader", "model", *DATA, "--encoder", encoder, "--steps", 120, "-o", "reads")
    before = manifest(wood)
    with monkeypatch.context() as patch:
        patch.setattr(CheckpointFile, "is_due", True)
        patch.setattr(ModuleSteps, "step", _stops_after(9, ModuleSteps.step))
        stopped = wood(*command, code=130)
    assert "The same command resumes from reads.reader-checkpoints" in stopped.stderr
    assert manifest(wood) == before and (wood.folder / "reads.reader-checkpoints" / FILE).is_file()
    done = wood(*command, "--json", "--resume")
    assert "Resuming from the last checkpoint in reads.reader-checkpoints" in done.stderr
    told = json.loads(done.stdout)
    assert not (wood.folder / "reads.reader-checkpoints").exists()
    assert told["trainer"] == "reader" and list(told["f1_from_text"]) == ["finding alone", "reader alone", "both"]
    assert told["f1_from_text"]["both"]["value"] > told["f1_from_text"]["finding alone"]["value"]
    assert told["characters_per_second"] > 0
    assert json.loads(wood("info", "reads", "--json").stdout)["reader_bytes"] > 0
    assert "reader" in wood("doctor", "reads").stdout
    (wood.folder / "one.txt").write_text("we saw Ruby in the tree", encoding="utf-8")
    assert json.loads(wood("link", "reads", "one.txt").stdout)["mentions"][0]["entity"] == "bird-Ruby"
    plain, unread = (wood("link", model, "one.txt", *no).stdout for model, no in (("model", ()), ("reads", NO_READER)))
    assert json.loads(unread) == json.loads(plain)
    assert not json.loads(wood("link", "reads", "one.txt", "--threshold", 1).stdout)["mentions"]
    assert "has no reader" in wood("link", "model", "one.txt", "--reader", code=1).stderr


def test_an_encoder_is_trained_stopped_resumed_and_a_reranker_taught_by_its_candidates(wood, encoder, monkeypatch):
    before = manifest(wood)
    command = ("fit", "encoder", "model", *DATA, "--encoder", encoder, "--rounds", 2, "--steps", 4, "--work", "learned")
    with monkeypatch.context() as patch:
        patch.setattr(ProgressCallback, "on_step_end", _stops_after(5))  # in round 2
        stopped = wood(*command, code=130)
    assert "The same command resumes from learned" in stopped.stderr
    assert manifest(wood) == before

    done = wood(*command, "--json", "--resume")
    assert "Resuming from the last checkpoint in learned" in done.stderr
    told = json.loads(done.stdout)
    assert told["trainer"] == "encoder" and list(told["accuracies"]) == ["before", "after"]
    rounds = told["encoder_recall@10"]
    assert [name.partition(",")[0] for name in rounds] == ["untrained", "after round 1", "after round 2"]
    assert all(each["low"] <= each["value"] <= each["high"] for each in rounds.values())
    assert (wood.folder / "learned" / "model" / "model.onnx").is_file()  # with --work it stays
    assert "no checkpoint in nowhere" in wood(*command, "--resume", "--work", "nowhere", code=1).stderr
    wood("build", "kb.jsonl", "-o", "other", "--encoder", "learned/model", "--threads", 1)
    assert json.loads(wood("link", "other", "dev.jsonl", "--vectors", "descriptions").stdout.splitlines()[0])
    told = json.loads(wood("fit", "reranker", "model", *DATA, "--encoder", encoder, "--candidates", 3, "--json").stdout)
    assert list(told["accuracies"]) == ["retriever", "cross-encoder", "fused"]

    (wood.folder / "one.txt").write_text("we saw Ruby in the tree", encoding="utf-8")
    for options in ((), ("--rerank",), ("--vectors", "contexts"), ("--vectors", "descriptions")):
        linked = json.loads(wood("link", "model", "one.txt", *options).stdout)
        assert {each["id"] for each in linked["mentions"][0]["candidates"]} >= {"bird-Ruby", "stone-Ruby"}
    slim = "from deixis import Linker; import sys; assert Linker.load('model').link('Ruby').mentions"
    lean = f"{slim}; assert 'torch' not in sys.modules, 'opened for nothing'"
    subprocess.run([sys.executable, "-c", lean], cwd=wood.folder, check=True)


def test_a_folder_of_somebody_elses_is_never_thrown_away(wood):
    mine = wood.folder / "models"
    mine.mkdir()
    (mine / "config.json").write_text("{}", encoding="utf-8")
    command = ("fit", "encoder", "model", "--mentions", "train.jsonl", "--work", "models", "--afresh")
    assert "other things than checkpoints" in wood(*command, code=1).stderr and (mine / "config.json").exists()


def _stops_after(n, method=ProgressCallback.on_step_end):
    left = iter(range(n))

    def stops(self, *given, **words):
        method(self, *given, **words)
        if next(left, None) is None:
            raise KeyboardInterrupt

    return stops


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["fit", "weights", "model"], 2, "Missing option '--mentions'"),
        (["fit", "weigths", "model"], 2, "Did you mean 'weights'"),
        (["fit", "weights", "model", "--mentions", "train.jsonl", "--work", "w"], 2, "No such option"),
        (["fit", "weights", "model", "--mentions", "train.jsonl", "--held-out", 2], 2, "--held-out"),
        (["fit", "encoder", "model", "--mentions", "train.jsonl", "--resume"], 1, "no checkpoint in"),
        (["fit", "weights", "model", "--mentions", "nowhere.jsonl"], 1, "no such file"),
        (["fit", "weights", "nowhere", "--mentions", "train.jsonl"], 1, "No model at"),
        (["fit", "weights", "model", "--mentions", "train.jsonl", "--format", "nif"], 1, ""),
        (
            ["fit", "reranker", "model", "--mentions", "train.jsonl", "--resume"],
            1,
            "no checkpoint in model.reranker-checkpoints",
        ),
        (["fit", "reranker", "model", "--mentions", "train.jsonl", "--work", "model"], 1, "other things than"),
        (["fit", "reranker", "model", "--mentions", "train.jsonl", "--encoder", "static"], 1, "nothing to train"),
        (["link", "model", "train.jsonl", "--rerank"], 1, "deixis fit reranker model --mentions train.jsonl"),
        (["eval", "model", "train.jsonl", "--rerank"], 1, "has no re-ranker"),
        (["eval", "--predictions", "train.jsonl", "train.jsonl", "--rerank"], 2, "predictions are made"),
        (["calibrate", "model", "train.jsonl", "--rerank"], 1, "has no re-ranker"),
    ],
    ids=lambda value: " ".join(map(str, value)) if isinstance(value, list) else "",
)
def test_what_cannot_be_done_is_said_at_once_and_changes_nothing(wood, arguments, code, words):
    before = manifest(wood)
    assert words in wood(*arguments, code=code).stderr
    assert manifest(wood) == before


def test_documents_of_another_list_are_refused_with_ids_of_both(wood):
    foreign = '{"id": "a", "text": "Ruby", "mentions": [{"start": 0, "end": 4, "entity": "Q43088"}]}\n'
    (wood.folder / "foreign.jsonl").write_text(foreign, encoding="utf-8")
    for trainer in ("weights", "reranker"):
        refused = wood("fit", trainer, "model", "--mentions", "train.jsonl", "--dev", "foreign.jsonl", code=1)
        assert "'Q43088'" in refused.stderr and "'stone-Amber'" in refused.stderr
