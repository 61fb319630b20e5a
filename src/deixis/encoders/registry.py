"""Encoders by name: ours, fitted or opened, and those a user registers; and the checks on what they give."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deixis.encoders import ENCODERS, FOLDER_ENCODERS
from deixis.encoders.config import EncoderConfig
from deixis.encoders.identity import EncoderIdentity
from deixis.encoders.protocol import TextEncoder
from deixis.encoders.unit_rows import unit_rows
from deixis.errors import ConfigError, DataError, UnknownNameError
from deixis.store.strings import StringTable

LEARNED = "learned"  # the name in settings of an encoder that was trained with the model and is stored in it
_registered: dict[str, TextEncoder] = {}


class FunctionEncoder:
    """A function from a list of texts to rows of numbers, as an encoder."""

    def __init__(self, function: Callable[[list[str]], Any]) -> None:
        self._function = function

    def encode(self, texts: list[str], /) -> NDArray[np.float32]:
        """What the function gives."""
        return np.asarray(self._function(texts))


def register_encoder(name: str, encoder: TextEncoder | Callable[[list[str]], Any]) -> None:
    """Let settings and saved models call this encoder by `name`; register it again before such a model is loaded.

    Examples
    --------
    >>> register_encoder("lengths", lambda texts: [[len(text), 1.0] for text in texts])
    >>> encoder = fit_encoder(EncoderConfig(name="lengths"), StringTable.from_strings([]))
    >>> encode_rows(encoder, ["ab"]).round(2).tolist()
    [[0.8899999856948853, 0.44999998807907104]]
    """
    if name in ENCODERS or name == LEARNED:
        raise ConfigError(f"{name!r} is the name of an encoder of Deixis; choose another.")
    if hasattr(encoder, "encode"):
        _registered[name] = encoder
    elif callable(encoder):
        _registered[name] = FunctionEncoder(encoder)
    else:
        raise ConfigError(f"An encoder is a function or has a method 'encode', got {type(encoder).__name__}.")


def fit_encoder(
    config: EncoderConfig, names: StringTable, texts: StringTable | None = None, seed: int = 0, n_threads: int = 0
) -> TextEncoder:
    """The encoder that `config` names, fitted on a knowledge base's names and texts if it learns at all."""
    if config.name in _registered:
        return _registered[config.name]
    encoder: TextEncoder = _encoder_class(config.name).fit(names, texts, config, seed, n_threads)
    return encoder


def encoder_arrays(encoder: TextEncoder, prefix: str, config: EncoderConfig) -> dict[str, NDArray[Any]]:
    """Which encoder it is, and what it has learned; the latter is nothing for one that is found again by its name."""
    arrays: dict[str, NDArray[Any]] = encoder.to_arrays(prefix) if hasattr(encoder, "to_arrays") else {}
    return arrays | EncoderIdentity.of(config.name, encoder).to_arrays(f"{prefix}.identity")


def encoder_from_arrays(arrays: Mapping[str, NDArray[Any]], prefix: str, config: EncoderConfig) -> TextEncoder:
    """The encoder whose `encoder_arrays` these are; another one of its name is an error."""
    encoder = _loaded(arrays, prefix, config)
    EncoderIdentity.from_arrays(arrays, f"{prefix}.identity").check(encoder)
    return encoder


def _loaded(arrays: Mapping[str, NDArray[Any]], prefix: str, config: EncoderConfig) -> TextEncoder:
    if config.name in _registered:
        return _registered[config.name]
    encoder: TextEncoder
    if f"{prefix}.onnx" in arrays:
        encoder = FOLDER_ENCODERS["onnx"].from_arrays(arrays, prefix)
        return encoder
    if f"{prefix}.map" in arrays:
        encoder = FOLDER_ENCODERS["parallel"].from_arrays(arrays, prefix)
        return encoder
    if config.name not in ENCODERS and Path(config.name).is_dir():
        encoder = FOLDER_ENCODERS["bert"](Path(config.name))
        return encoder
    kind = _encoder_class(config.name)
    if hasattr(kind, "from_arrays"):
        encoder = kind.from_arrays(arrays, prefix, config)
        return encoder
    return fit_encoder(config, StringTable.from_strings([]))


def is_known(name: str) -> bool:
    """Whether an encoder of this name is ours or a user's; others are folders or names of the hub."""
    return name in ENCODERS or name in _registered


def encode_rows(encoder: TextEncoder, texts: list[str]) -> NDArray[np.float32]:
    """texts_by_dims as float32 rows of length one, whatever the encoder gives; a blank text has a row of zeros."""
    rows = np.asarray(encoder.encode(texts))
    if rows.ndim != 2 or len(rows) != len(texts) or not np.issubdtype(rows.dtype, np.number):
        raise DataError(
            f"An encoder must give one row of numbers per text: for {len(texts)} texts it gave {rows.dtype} of shape "
            f"{rows.shape}."
        )
    if not np.isfinite(rows).all():
        raise DataError("The encoder gave numbers that are not finite; it must not give NaN or infinity.")
    rows = unit_rows(rows)
    rows[[not text.strip() for text in texts]] = 0
    return rows


def _encoder_class(name: str) -> Any:  # noqa: ANN401 - a class with fit
    if name not in ENCODERS:
        raise UnknownNameError("text encoder, folder or hub model", name, known=[*ENCODERS, *_registered])
    return ENCODERS[name]
