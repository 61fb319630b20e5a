"""Encoders by name, folder and hub name: what is opened, by which library, and what is said when it cannot be."""

import subprocess
import sys
import time

import numpy as np
import pytest

pytest.importorskip("sentence_transformers")
import huggingface_hub
from sentence_transformers import SentenceTransformer

from deixis.candidates.source import SourceInputs
from deixis.candidates.sources.name_vectors import NameVectorConfig, NameVectorSource
from deixis.encoders.config import EncoderConfig
from deixis.encoders.minilm import MiniLmEncoder, is_plain_bert
from deixis.encoders.onnx import OnnxEncoder
from deixis.encoders.registry import encoder_arrays, encoder_from_arrays
from deixis.errors import ConfigError, DataError, UnknownNameError
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.neural import hub, opening
from deixis.neural.opening import open_encoder
from deixis.store.strings import StringTable
from deixis.types import MentionInContext
from tests.tiny_encoders import tiny_sentence_encoder

NONE = StringTable.from_strings([])
TEXTS = ["Paris is the capital of France", "Troy", "Sean Connery, the actor", "a longer text than all the others " * 20]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tiny_sentence_encoder(tmp_path_factory.mktemp("tiny"), TEXTS)


@pytest.fixture(scope="module")
def vectors(folder):
    return SentenceTransformer(str(folder), device="cpu").encode(TEXTS)


def test_a_sentence_transformer_folder_runs_as_a_graph_and_comes_back_without_the_folder(folder, vectors, capfd):
    config = EncoderConfig(name=str(folder))
    encoder = open_encoder(config, NONE)
    assert isinstance(encoder, OnnxEncoder)
    np.testing.assert_allclose(encoder.encode(TEXTS), vectors, atol=1e-5)
    assert capfd.readouterr() == ("", "")
    again = encoder_from_arrays(encoder_arrays(encoder, "x", config), "x", EncoderConfig(name="gone/for/good"))
    np.testing.assert_allclose(again.encode(TEXTS), vectors, atol=1e-5)


def test_a_graph_in_the_folder_is_taken_without_torch(folder, vectors, tmp_path, monkeypatch):
    graph = open_encoder(EncoderConfig(name=str(folder)), NONE).to_arrays("x")
    (tmp_path / "model.onnx").write_bytes(graph["x.onnx"].tobytes())
    (tmp_path / "tokenizer.json").write_bytes(graph["x.tokenizer"].tobytes())
    monkeypatch.setattr(opening, "OPENERS", {})
    np.testing.assert_allclose(
        open_encoder(EncoderConfig(name=str(tmp_path)), NONE).encode(TEXTS[:3]), vectors[:3], atol=1e-5
    )


def test_without_torch_a_plain_bert_runs_on_numpy(folder, vectors, monkeypatch):
    monkeypatch.setattr(opening, "find_spec", lambda name: None)
    config = EncoderConfig(name=str(folder))
    encoder = open_encoder(config, NONE)
    assert isinstance(encoder, MiniLmEncoder)
    np.testing.assert_allclose(encoder.encode(TEXTS[:3]), vectors[:3], atol=1e-5)
    again = encoder_from_arrays(encoder_arrays(encoder, "x", config), "x", config)
    assert again.encode(TEXTS[:1]).tobytes() == encoder.encode(TEXTS[:1]).tobytes()


def test_what_is_no_plain_bert_needs_torch(folder, tmp_path):
    assert is_plain_bert(folder)
    assert not is_plain_bert(tiny_sentence_encoder(tmp_path / "cls", TEXTS, pooling="cls"))
    assert not is_plain_bert(tmp_path)


def test_names_are_found_by_the_vectors_of_a_folder(folder):
    kb = KnowledgeBase.from_records([{"id": "Q90", "title": "Paris"}, {"id": "Q4666", "title": "Sean Connery"}])
    config = NameVectorConfig(encoder=EncoderConfig(name=str(folder)))
    generator = NameVectorSource.build(SourceInputs(kb), config)
    again = NameVectorSource.from_arrays(generator.to_arrays("x"), "x", SourceInputs(kb), config)
    for asked in (generator, again):
        found = asked.generate([MentionInContext("Sean Connery", "Sean Connery", 0, 12)], k=1)
        assert found[0][0].id == "Q4666" and found[0][0].score > 0.99


def test_an_unknown_name_and_a_missing_folder_are_told_apart():
    with pytest.raises(
        UnknownNameError, match="No text encoder, folder or hub model named 'char'.*Did you mean 'chars'"
    ):
        open_encoder(EncoderConfig(name="char"), NONE)
    with pytest.raises(ConfigError, match="no folder 'models/of/mine'"):
        open_encoder(EncoderConfig(name="models/of/mine"), NONE)


def test_a_folder_of_something_else_is_refused(tmp_path):
    with pytest.raises(DataError, match="neither model.onnx nor modules.json"):
        open_encoder(EncoderConfig(name=str(tmp_path)), NONE)
    (tmp_path / "config.json").write_text("{}")
    with pytest.raises(DataError, match="could be opened"):
        open_encoder(EncoderConfig(name=str(tmp_path)), NONE)


def test_a_hub_name_without_a_connection_is_an_error_at_once_that_says_what_to_do(tmp_path, monkeypatch):
    calls = []

    def unreachable(*_, **__):
        calls.append("model_info")
        raise ConnectionError("Name or service not known")

    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_CACHE", str(tmp_path))
    monkeypatch.setattr(hub.HfApi, "model_info", unreachable)
    monkeypatch.setattr(time, "sleep", lambda _: calls.append("sleep"))
    with pytest.raises(DataError, match=r"'nobody/nothing'.*not known.*give its folder; or take 'minilm' or 'static'"):
        open_encoder(EncoderConfig(name="nobody/nothing"), NONE)
    assert calls == ["model_info"]  # neither tried again nor waited for


def test_a_hub_name_in_the_cache_needs_no_connection(folder, vectors, tmp_path, monkeypatch):
    place = tmp_path / "models--me--tiny"
    (place / "refs").mkdir(parents=True)
    (place / "refs" / "main").write_text("0" * 40)
    (place / "snapshots").mkdir()
    (place / "snapshots" / ("0" * 40)).symlink_to(folder)
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_CACHE", str(tmp_path))
    encoder = open_encoder(EncoderConfig(name="me/tiny"), NONE)
    np.testing.assert_allclose(encoder.encode(TEXTS), vectors, atol=1e-5)


@pytest.mark.parametrize(
    ("hidden", "name", "line"),
    [
        ("onnxruntime", "graph", r"needs 'onnxruntime'. Install it with: pip install 'deixis[onnx]'"),
        ("tokenizers", "graph", r"needs 'tokenizers'. Install it with: pip install 'deixis[onnx]'"),
        ("torch", "odd", r"needs 'torch'. Install it with: pip install 'deixis[neural]'"),
        ("sentence_transformers", "me/tiny", r"'sentence_transformers'. Install it with: pip install 'deixis[neural]'"),
    ],
)
def test_a_missing_package_is_told_with_the_line_that_installs_it(tmp_path, hidden, name, line):
    (tmp_path / "graph").mkdir()
    (tmp_path / "graph" / "model.onnx").touch()
    (tmp_path / "odd").mkdir()
    (tmp_path / "odd" / "config.json").write_text('{"model_type": "t5"}')
    code = (
        "import sys\n"
        f"sys.modules[{hidden!r}] = None\n"
        "from deixis.errors import MissingExtraError\n"
        "from deixis.encoders.config import EncoderConfig\n"
        "from deixis.neural.opening import open_encoder\n"
        "from deixis.store.strings import StringTable\n"
        f"try: open_encoder(EncoderConfig(name={name!r}), StringTable.from_strings([]))\n"
        "except MissingExtraError as error: print(error)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path, check=False)
    assert line in done.stdout, done.stderr
