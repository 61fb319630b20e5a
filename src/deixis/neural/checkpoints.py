"""What trainings on the trainer of transformers share: how they show progress and how they go on."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from safetensors import SafetensorError
from torch.nn import Module
from transformers import TrainerCallback, TrainerControl, TrainerState, TrainingArguments
from transformers.trainer_utils import PREFIX_CHECKPOINT_DIR

from deixis.errors import ConfigError, StoreError

FINGERPRINT = "training.json"
STATE = "trainer_state.json"  # the last file of a checkpoint that is written


class ProgressCallback(TrainerCallback):
    """Tells the steps and the loss of a training to whoever listens."""

    def __init__(self, advance: Callable[[int, str], None]) -> None:
        self._advance = advance
        self._n_told = 0
        self._words: dict[str, str] = {}

    def on_train_begin(
        self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **kwargs: object
    ) -> None:
        """Steps of an earlier run count as done."""
        self._tell(state)

    def on_step_end(
        self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **kwargs: object
    ) -> None:
        """One step more."""
        self._tell(state)

    def on_log(
        self,
        args: TrainingArguments,
        state: TrainerState,
        control: TrainerControl,
        logs: dict[str, float] | None = None,
        **kwargs: object,
    ) -> None:
        """The newest loss, and the newest accuracy if there was a check."""
        for name, word in (("loss", "loss"), ("eval_accuracy", "accuracy")):
            if logs and name in logs:
                self._words[word] = f"{word} {float(logs[name]):.3f}"
        self._tell(state)

    def _tell(self, state: TrainerState) -> None:
        self._advance(state.global_step - self._n_told, ", ".join(self._words.values()))
        self._n_told = state.global_step


def fingerprint(settings: Mapping[str, Any], texts: Iterable[str]) -> dict[str, Any]:
    """Settings, and a digest of all texts to learn from: trainings with the same of both are the same."""
    digest = hashlib.sha256()
    for text in texts:
        digest.update(text.encode("utf-8", "surrogatepass") + b"\0")
    return {"settings": dict(settings), "texts": digest.hexdigest()}


def claim_folder(folder: Path, mark: Mapping[str, Any]) -> str | None:
    """The checkpoint to go on from, if one is there; a folder of another training is an error."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / FINGERPRINT
    wanted = json.dumps(mark, sort_keys=True, indent=2)
    # One that was cut off by a kill or a full disk says nothing.
    if path.exists() and path.read_text(encoding="utf-8") != wanted and _read_json(path) is not None:
        raise ConfigError(
            f"The folder {folder} holds a training with other settings or other data ({_changed(path, mark)}). Go on "
            "with those, choose another folder (--work), or begin again (--afresh)."
        )
    path.write_text(wanted, encoding="utf-8")
    return last_checkpoint(folder)


@contextmanager
def room_for_checkpoints(folder: Path, model: Module) -> Iterator[None]:
    """Raises an error if the disk has no room for a checkpoint, before training or when it is full during training."""
    # The weights, and two numbers that AdamW keeps of each; the libraries have their own words for a full disk.
    n_bytes = 3 * sum(weights.numel() * weights.element_size() for weights in model.parameters())
    if (free := shutil.disk_usage(folder).free) < n_bytes:
        raise _no_room(folder, free, n_bytes)
    try:
        yield
    except (OSError, RuntimeError, SafetensorError) as error:
        if (free := shutil.disk_usage(folder).free) < n_bytes:
            raise _no_room(folder, free, n_bytes) from error
        raise


def _no_room(folder: Path, free: int, n_bytes: int) -> StoreError:
    return StoreError(
        f"A checkpoint takes {n_bytes:,} bytes, and where {folder} lies {free:,} are free. Make room there, or choose "
        "another folder (--work)."
    )


def last_checkpoint(folder: Path) -> str | None:
    """The folder of the last checkpoint that was written to its end, or None."""
    whole = [path.parent for path in folder.glob(f"{PREFIX_CHECKPOINT_DIR}-*/{STATE}") if _read_json(path) is not None]
    return str(max(whole, key=lambda path: int(path.name.rpartition("-")[2]))) if whole else None


def _changed(path: Path, mark: Mapping[str, Any]) -> str:
    """The names of the settings that differ, or the data."""
    before = (_read_json(path) or {}).get("settings", {})
    names = [name for name, value in mark["settings"].items() if before.get(name) != value]
    return ", ".join(names) or "the data"


def _read_json(path: Path) -> Any:  # noqa: ANN401 - any JSON value
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except ValueError:  # the process was ended while it wrote
        return None
