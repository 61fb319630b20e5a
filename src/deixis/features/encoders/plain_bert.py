"""Whether a SentenceTransformer folder holds what our own forward pass can run: a BERT, its mean, lower-case pieces."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

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
