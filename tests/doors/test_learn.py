"""From annotated documents to a better model: on the command line, stopped and resumed, told in words and in JSON."""

import json
import subprocess
import sys

import pytest

from deixis.neural.checkpoints import ProgressCallback
from tests.aviary import RECORDS, sightings, tiny_encoder, write_sightings

SMALL = (
    "--rerank-pairs-n-tokens", 48, "--rerank-epochs", 2, "--rerank-batch-size", 8, "--rerank-learning-rate", 0.003,
    "--rerank-n-taught", 3, "--rerank-n-candidates", 3, "--rerank-max-checked", 20, "--threads", 1,
)  # fmt: skip

BRIEF = (
    "--bi-encoder-n-rounds", 2, "--bi-encoder-n-steps", 4, "--bi-encoder-batch-size", 4, "--bi-encoder-n-negatives", 2,
    "--bi-encoder-k", 10, "--bi-encoder-n-tokens", 32, "--bi-encoder-learning-rate", 0.003,
)  # fmt: skip

READING = (
    "--reader-n-steps", 120, "--reader-n-tokens", 16, "--reader-overlap", 4, "--threads", 1,
    "--reader-entity-tokens", 12, "--reader-learning-rate", 0.003, "--reader-head-rate", 0.01,
    "--reader-n-candidates", 4, "--reader-n-taught", 3,
)  # fmt: skip
NO_READER = ("--no-reader",)


@pytest.fixture(scope="module")
def encoder(tmp_path_factory):
    return tiny_encoder(tmp_path_factory.mktemp("tiny"))


@pytest.fixture
def wood(deixis_inside):
    """A folder with a model of stones and birds, and sentences that mean birds."""
    lines = "".join(json.dumps(record) + "\n" for record in RECORDS)
    (deixis_inside.folder / "kb.jsonl").write_text(lines, encoding="utf-8")
    for name, documents in (("train", sightings(40)), ("dev", sightings(24, seed=1)), ("test", sightings(20, seed=2))):
        write_sightings(deixis_inside.folder / f"{name}.jsonl", documents)
    deixis_inside("build", "kb.jsonl", "-o", "model", "--quiet", "--set", "ranking.min_mentions=20")
    return deixis_inside


def manifest(wood):
    return (wood.folder / "model" / "manifest.json").read_bytes()


def test_weights_and_probabilities_are_learned_without_any_extra(wood):
    done = wood("learn", "model", "--mentions", "train.jsonl", "-o", "taught")
    assert "before" in done.stdout and "after" in done.stdout and "95 % interval" in done.stdout
    assert "Model written to taught." in done.stderr and "held-out mentions it links" in done.stderr
    facts = json.loads(wood("info", "taught", "--json").stdout)
    assert facts["annotated_documents"] > 0 and facts["reranker_bytes"] == 0
    before = manifest(wood)
    told = json.loads(wood("learn", "model", "--mentions", "train.jsonl", "--json", "--dev", "dev.jsonl").stdout)
    assert told["learned"] == ["weights"] and told["accuracies"]["after"]["n"] > 0 and manifest(wood) != before
    again = wood("learn", "model", "--mentions", "train.jsonl", code=1)
    assert "has learned from all 40 documents to learn from already" in again.stderr


def test_a_reranker_is_trained_stopped_resumed_and_used(wood, encoder, monkeypatch):
    before = manifest(wood)
    command = ("learn", "model", "--mentions", "train.jsonl", "--dev", "dev.jsonl", "--rerank", "--encoder", encoder)
    with monkeypatch.context() as patch:
        patch.setattr(ProgressCallback, "on_step_end", _stops_after(9))
        stopped = wood(*command, *SMALL, code=130)
    assert "The same command goes on from the last checkpoint in model.learning" in stopped.stderr
    assert manifest(wood) == before and list((wood.folder / "model.learning").glob("*/checkpoint-*"))

    other = wood(*command, *SMALL, "--rerank-weight-decay", 0.5, code=1)
    assert "other settings" in other.stderr and "weight_decay" in other.stderr and "--afresh" in other.stderr

    done = wood(*command, *SMALL, "--json", "--resume")
    assert "Going on from the last checkpoint in model.learning" in done.stderr
    told = json.loads(done.stdout)  # and nothing else is there
    assert told["learned"] == ["reranker"] and list(told["accuracies"]) == ["retriever", "cross-encoder", "fused"]
    assert told["accuracies"]["fused"]["value"] >= told["accuracies"]["retriever"]["value"]
    assert told["mentions_per_second"] > 0 and not (wood.folder / "model.learning").exists()

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


def test_a_reader_is_trained_stored_and_asked_about_texts(wood, encoder):
    command = ("learn", "model", "--mentions", "train.jsonl", "--dev", "dev.jsonl", "--reader", "--encoder", encoder)
    told = json.loads(wood(*command, *READING, "-o", "reads", "--json").stdout)
    assert told["learned"] == ["reader"] and list(told["f1_from_text"]) == ["finding alone", "reader alone", "both"]
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
    command = ("learn", "model", "--mentions", "train.jsonl", "--dev", "dev.jsonl", "--encoder", encoder, *BRIEF)
    command += ("--work", "learned")
    with monkeypatch.context() as patch:
        patch.setattr(
            ProgressCallback, "on_step_end", _stops_after(5)
        )  # in the second round, before its first checkpoint
        stopped = wood(*command, "--bi-encoder", code=130)
    assert "The same command goes on from the last checkpoint in learned" in stopped.stderr
    assert manifest(wood) == before

    done = wood(*command, "--bi-encoder", "--rerank", *SMALL, "--json", "--resume")
    assert "Going on from the last checkpoint in learned" in done.stderr
    told = json.loads(done.stdout)
    assert told["learned"] == ["bi-encoder", "reranker"]
    assert list(told["accuracies"]) == ["before", "after", "retriever", "cross-encoder", "fused"]
    rounds = told["encoder_recall@10"]
    assert [name.partition(",")[0] for name in rounds] == ["untrained", "after round 1", "after round 2"]
    assert all(each["low"] <= each["value"] <= each["high"] for each in rounds.values())
    assert (wood.folder / "learned" / "bi-encoder" / "model" / "model.onnx").is_file()  # with --work it stays
    assert "no checkpoint in nowhere" in wood(*command, "--bi-encoder", "--resume", "--work", "nowhere", code=1).stderr
    wood("build", "kb.jsonl", "-o", "other", "--encoder", "learned/bi-encoder/model", "--threads", 1)
    assert json.loads(wood("link", "other", "dev.jsonl", "--vectors", "descriptions").stdout.splitlines()[0])

    (wood.folder / "one.txt").write_text("we saw Ruby in the tree", encoding="utf-8")
    for options in ((), ("--rerank",), ("--vectors", "contexts"), ("--vectors", "descriptions")):
        linked = json.loads(wood("link", "model", "one.txt", *options).stdout)
        assert {each["id"] for each in linked["mentions"][0]["candidates"]} >= {"bird-Ruby", "stone-Ruby"}
    slim = "from deixis import Linker; import sys; assert Linker.load('model').link('Ruby').mentions"
    lean = f"{slim}; assert 'torch' not in sys.modules, 'opened for nothing'"
    subprocess.run([sys.executable, "-c", lean], cwd=wood.folder, check=True)


def test_a_folder_of_somebody_elses_is_never_thrown_away(wood):
    mine = wood.folder / "models" / "bi-encoder"
    mine.mkdir(parents=True)
    (mine / "config.json").write_text("{}", encoding="utf-8")
    command = ("learn", "model", "--mentions", "train.jsonl", "--bi-encoder", "--work", "models", "--afresh")
    assert "other things than checkpoints" in wood(*command, code=1).stderr and (mine / "config.json").exists()


def _stops_after(n):
    left = iter(range(n))
    told = ProgressCallback.on_step_end

    def on_step_end(self, args, state, control, **kwargs):
        told(self, args, state, control, **kwargs)
        if next(left, None) is None:
            raise KeyboardInterrupt

    return on_step_end


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["learn", "model"], 2, "Give files of CORRECTIONS, or annotated documents"),
        (["learn", "model", "--mentions", "train.jsonl", "--work", "w"], 2, "go with --rerank"),
        (["learn", "model", "--mentions", "train.jsonl", "--encoder", "e"], 2, "goes with --rerank"),
        (["learn", "model", "--mentions", "train.jsonl", "--rerank-epochs", 1], 2, "--rerank-... go with --rerank"),
        (
            ["learn", "model", "--mentions", "train.jsonl", "--bi-encoder-k", 9],
            2,
            "--bi-encoder-... go with --bi-encoder",
        ),
        (["learn", "model", "--mentions", "train.jsonl", "--bi-encoder", "--resume"], 1, "no checkpoint in"),
        (["learn", "model", "--mentions", "nowhere.jsonl"], 1, "no such file"),
        (["learn", "nowhere", "--mentions", "train.jsonl"], 1, "No model at"),
        (["learn", "model", "--mentions", "train.jsonl", "--dev", "train.jsonl", "--mentions-format", "nif"], 1, ""),
        (["learn", "model", "--mentions", "train.jsonl", "--rerank", "--resume"], 1, "no checkpoint in model.learning"),
        (["learn", "model", "--mentions", "train.jsonl", "--rerank", "--work", "model"], 1, "other things than"),
        (["learn", "model", "--mentions", "train.jsonl", "--rerank", "--encoder", "static"], 1, "nothing to train"),
        (["link", "model", "train.jsonl", "--rerank"], 1, "deixis learn model --mentions train.jsonl --rerank"),
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
    for more in ((), ("--rerank",)):
        refused = wood("learn", "model", "--mentions", "train.jsonl", "--dev", "foreign.jsonl", *more, code=1)
        assert "'Q43088'" in refused.stderr and "'stone-Amber'" in refused.stderr
