import pytest

pytest.importorskip("sentence_transformers")

from tests.tiny_encoders import N_DIMS, tiny_sentence_encoder

TEXTS = ["Paris is the capital of France", "Troy was a city"]


def test_the_same_seed_gives_the_same_bytes_and_another_one_others(tmp_path):
    folders = [tiny_sentence_encoder(tmp_path / str(n), TEXTS, seed=seed) for n, seed in enumerate([0, 0, 1])]
    weights = [(folder / "model.safetensors").read_bytes() for folder in folders]
    assert weights[0] == weights[1] != weights[2]
    assert (folders[0] / "tokenizer.json").read_bytes() == (folders[1] / "tokenizer.json").read_bytes()


def test_the_folder_opens_as_a_sentence_transformer(tmp_path):
    from sentence_transformers import SentenceTransformer

    model = SentenceTransformer(str(tiny_sentence_encoder(tmp_path / "tiny", TEXTS)), device="cpu")
    assert model.encode(["Paris", "a city"]).shape == (2, N_DIMS)
    assert model.tokenizer.tokenize("Paris was a city") == ["paris", "was", "a", "city"]
