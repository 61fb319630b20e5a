"""Encoders by what settings call them: a known name, a folder, or a name of the hub. Imports torch only for those."""

from __future__ import annotations

import re
from importlib.util import find_spec
from pathlib import Path

from deixis.encoders import FOLDER_ENCODERS
from deixis.encoders.config import EncoderConfig
from deixis.encoders.minilm import is_plain_bert
from deixis.encoders.protocol import TextEncoder
from deixis.encoders.registry import fit_encoder, is_known
from deixis.errors import ConfigError, DataError
from deixis.registry import Lazy, LazyRegistry
from deixis.store.manifest import MANIFEST_NAME
from deixis.store.strings import StringTable

OPENERS = LazyRegistry(
    "text encoder", {"sentence-transformers": Lazy("deixis.neural.sentence_encoder:open_as_onnx", extra="neural")}
)
_HUB_NAME = re.compile(r"[A-Za-z0-9][\w.-]*/[A-Za-z0-9][\w.-]*")


def open_encoder(
    config: EncoderConfig, names: StringTable, texts: StringTable | None = None, seed: int = 0, n_threads: int = 0
) -> TextEncoder:
    """The encoder that `config` names, fitted on names and texts if it learns from them.

    Examples
    --------
    >>> encoder = open_encoder(EncoderConfig(name="chars"), StringTable.from_strings(["Paris", "Troy"]))
    >>> encoder.encode(["Paris"]).shape
    (1, 256)
    >>> open_encoder(EncoderConfig(name="./nowhere"), StringTable.from_strings([]))
    Traceback (most recent call last):
    deixis.errors.ConfigError: There is no folder './nowhere'. An encoder is chars, minilm, static, one you \
registered, a folder, or a hub name (owner/model).
    """
    name = config.name
    if is_known(name):
        return fit_encoder(config, names, texts, seed, n_threads)
    if Path(name).is_dir():
        return open_folder(Path(name), n_threads)
    if _HUB_NAME.fullmatch(name):
        encoder: TextEncoder = OPENERS["sentence-transformers"](name, n_threads)
        return encoder
    if "/" in name or "\\" in name:
        raise ConfigError(
            f"There is no folder {name!r}. An encoder is chars, minilm, static, one you registered, a folder, or a "
            "hub name (owner/model)."
        )
    return fit_encoder(config, names)  # which says what names there are


def open_folder(folder: Path, n_threads: int = 0) -> TextEncoder:
    """The encoder of a folder: one fitted to names, its `model.onnx` if there is one, else the SentenceTransformer.

    Without torch a plain BERT runs on NumPy alone.
    """
    encoder: TextEncoder
    if (folder / MANIFEST_NAME).is_file():
        encoder = FOLDER_ENCODERS["parallel"].from_folder(folder)
    elif (folder / "model.onnx").is_file():
        encoder = FOLDER_ENCODERS["onnx"].from_folder(folder, n_threads)
    elif not (folder / "config.json").is_file() and not (folder / "modules.json").is_file():
        raise DataError("is no encoder: it has neither model.onnx nor modules.json. Check the path", path=folder)
    elif find_spec("torch") is None and is_plain_bert(folder):
        encoder = FOLDER_ENCODERS["bert"](folder)
    else:
        encoder = OPENERS["sentence-transformers"](folder, n_threads)
    return encoder
