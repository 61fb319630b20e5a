"""Where the files of a named model lie: in the package of MiniLM, in a folder, or in the cache of the hub.

The hub is contacted only for files not on this machine, and once: its own library retries for more than a minute when
there is no connection. Weights are taken as safetensors alone, so nothing that is downloaded can run code.
"""

from __future__ import annotations

from pathlib import Path

from huggingface_hub import HfApi, snapshot_download

from deixis.encoders import ENCODERS
from deixis.encoders.minilm import package_folder
from deixis.errors import ConfigError, DataError

MINILM = "minilm"
PATIENCE = 5  # seconds for the hub's first answer
_FILES = ["*.json", "*.txt", "*.model", "*.safetensors"]
_NOT = ["onnx/*", "openvino/*"]


def folder_of(name: str | Path) -> Path:
    """The folder with the files of a model: `minilm`, a folder, or a name of the hub (owner/model)."""
    if name == MINILM:
        return package_folder()
    if Path(name).is_dir():
        return Path(name)
    if name in ENCODERS:
        raise ConfigError(f"The encoder {name!r} has nothing to train. Give {MINILM!r}, a folder or a hub name.")
    try:
        return Path(snapshot_download(str(name), allow_patterns=_FILES, ignore_patterns=_NOT, local_files_only=True))
    except (OSError, ValueError):  # it is not in the cache; a bad name is reported below
        return _downloaded(str(name))


def _downloaded(name: str) -> Path:
    try:
        HfApi().model_info(name, timeout=PATIENCE)
        return Path(snapshot_download(name, allow_patterns=_FILES, ignore_patterns=_NOT))
    except Exception as error:  # the hub's library lets those of its connection through, whichever it has
        reason = (str(error).splitlines() or [type(error).__name__])[0].rstrip(".")
        raise DataError(
            f"No folder and no model on this machine is named {name!r}, and the hub did not give one ({reason:.160}). "
            "Check the name and the connection; or fetch the model where there is one and give its folder; or take "
            "'minilm' or 'static', which need no hub."
        ) from error
