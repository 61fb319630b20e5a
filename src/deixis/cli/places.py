"""What a command was given, looked at before the work: files to read, a place to write, a file of settings."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from deixis.errors import ConfigError, DataError, StoreError


def read_toml(path: Path) -> dict[str, Any]:
    """The settings in a TOML file."""
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{path} is not valid TOML: {error}. Example: context_weight = 0.3") from None
    except UnicodeDecodeError:
        raise ConfigError(f"{path} is not UTF-8 text; settings are written in TOML.") from None


def check_place(path: Path) -> None:
    """Says before an hour's work, and not after it, that the result cannot be put there."""
    if path.is_file():
        raise StoreError(f"{path} is a file; a model is a folder. Choose another place with -o.")
    if path.is_dir() and any(path.iterdir()) and not (path / "manifest.json").is_file():
        raise StoreError(f"The folder {path} holds other things than a model. Choose another place with -o.")
    parent = next(folder for folder in path.absolute().parents if folder.exists())
    if not os.access(parent, os.W_OK):
        raise StoreError(f"Nothing can be written in the folder {parent}. Choose another place with -o.")


def check_files(paths: Iterable[str]) -> None:
    """Says that a file is missing before the others are read."""
    for path in paths:
        if path != "-" and not Path(path).exists():
            raise DataError("no such file; check the path", path=path)
