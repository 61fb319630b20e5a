"""The forward pass against a slow one, written out number by number from the paper."""

import json
import math

import numpy as np
import pytest

from deixis.encoders.numpy_bert import BertModel, read_safetensors
from deixis.errors import DataError

N_DIMS, N_HIDDEN, N_HEADS, N_WORDS = 8, 12, 2, 20


def random_weights(seed: int) -> dict[str, np.ndarray]:
    random = np.random.default_rng(seed)
    shapes = {
        "embeddings.word_embeddings.weight": (N_WORDS, N_DIMS),
        "embeddings.position_embeddings.weight": (16, N_DIMS),
        "embeddings.token_type_embeddings.weight": (2, N_DIMS),
    }
    for norm in ("embeddings.LayerNorm", *(f"encoder.layer.{n}.{part}.LayerNorm" for n in range(2)
                                           for part in ("attention.output", "output"))):  # fmt: skip
        shapes |= {f"{norm}.weight": (N_DIMS,), f"{norm}.bias": (N_DIMS,)}
    for n in range(2):
        for part in ("self.query", "self.key", "self.value", "output.dense"):
            shapes |= {f"encoder.layer.{n}.attention.{part}.weight": (N_DIMS, N_DIMS)}
            shapes |= {f"encoder.layer.{n}.attention.{part}.bias": (N_DIMS,)}
        shapes |= {f"encoder.layer.{n}.intermediate.dense.weight": (N_HIDDEN, N_DIMS)}
        shapes |= {f"encoder.layer.{n}.intermediate.dense.bias": (N_HIDDEN,)}
        shapes |= {f"encoder.layer.{n}.output.dense.weight": (N_DIMS, N_HIDDEN)}
        shapes |= {f"encoder.layer.{n}.output.dense.bias": (N_DIMS,)}
    return {name: random.normal(size=shape).astype(np.float32) for name, shape in shapes.items()}


def slow_mean(weights: dict[str, np.ndarray], pieces: list[int]) -> np.ndarray:
    w = {name: array.astype(np.float64) for name, array in weights.items()}

    def norm(x, name):
        spread = math.sqrt(((x - x.mean()) ** 2).mean() + 1e-12)
        return (x - x.mean()) / spread * w[f"{name}.weight"] + w[f"{name}.bias"]

    def dense(x, name):
        return w[f"{name}.weight"] @ x + w[f"{name}.bias"]

    word, place = w["embeddings.word_embeddings.weight"], w["embeddings.position_embeddings.weight"]
    kind = w["embeddings.token_type_embeddings.weight"][0]
    states = [norm(word[piece] + place[n] + kind, "embeddings.LayerNorm") for n, piece in enumerate(pieces)]
    size = N_DIMS // N_HEADS
    for layer in range(2):
        at = f"encoder.layer.{layer}"
        q, k, v = ([dense(x, f"{at}.attention.self.{p}") for x in states] for p in ("query", "key", "value"))
        after = []
        for one, x in enumerate(states):
            seen = np.zeros(N_DIMS)
            for head in range(N_HEADS):
                own = slice(head * size, (head + 1) * size)
                scores = [math.exp(q[one][own] @ k[other][own] / math.sqrt(size)) for other in range(len(states))]
                seen[own] = sum(s / sum(scores) * v[other][own] for other, s in enumerate(scores))
            x = norm(x + dense(seen, f"{at}.attention.output.dense"), f"{at}.attention.output.LayerNorm")
            hidden = dense(x, f"{at}.intermediate.dense")
            hidden = np.array([h * 0.5 * (1 + math.erf(h / math.sqrt(2))) for h in hidden])
            after.append(norm(x + dense(hidden, f"{at}.output.dense"), f"{at}.output.LayerNorm"))
        states = after
    return np.mean(states, axis=0)


@pytest.mark.parametrize("n_pieces", [1, 2, 7])
def test_the_mean_of_the_last_layer_is_that_of_the_slow_pass(n_pieces):
    weights = random_weights(seed=n_pieces)
    pieces = np.random.default_rng(1).integers(0, N_WORDS, size=(3, n_pieces))
    expected = [slow_mean(weights, row) for row in pieces.tolist()]
    np.testing.assert_allclose(BertModel(weights, N_HEADS).means(pieces), expected, atol=2e-4)


def write_safetensors(path, arrays):
    entries, data = {}, b""
    for name, array in arrays.items():
        entries[name] = {
            "dtype": "F32",
            "shape": list(array.shape),
            "data_offsets": [len(data), len(data) + array.nbytes],
        }
        data += array.tobytes()
    head = json.dumps({"__metadata__": {"format": "pt"}} | entries).encode()
    head += b" " * (-len(head) % 8)
    path.write_bytes(len(head).to_bytes(8, "little") + head + data)


def test_a_safetensors_file_is_read_as_it_was_written(tmp_path):
    weights = random_weights(seed=0)
    write_safetensors(tmp_path / "model.safetensors", weights)
    found = read_safetensors(tmp_path / "model.safetensors")
    assert found.keys() == weights.keys()
    assert all(np.array_equal(found[name], weights[name]) for name in weights)


@pytest.mark.parametrize("content", [b"1234567", b"\x08" + b"\0" * 7 + b"not json", b"\xff" * 40])
def test_another_file_is_refused(tmp_path, content):
    (tmp_path / "x").write_bytes(content)
    with pytest.raises(DataError, match="not a safetensors file"):
        read_safetensors(tmp_path / "x")
