"""The state of a reader's training in a file: a training that was interrupted goes on as if it had not been.

The file has tensors and JSON, and is replaced as a whole (imports torch).
"""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file

from deixis.errors import StoreError
from deixis.store.durable import replace_durably

FILE = "checkpoint-last.safetensors"
SECONDS = 60.0  # between two writings

Tensors = dict[str, torch.Tensor]


@dataclass
class CheckpointFile:
    """Where the state is written, and when it was written last."""

    path: Path
    seconds: float = SECONDS
    written: float = field(default_factory=time.monotonic)

    @property
    def is_due(self) -> bool:
        """Whether it is time to write again."""
        return time.monotonic() - self.written >= self.seconds

    def write(self, tensors: Mapping[str, torch.Tensor], values: Mapping[str, Any]) -> None:
        """Replace the file by this state."""
        own = {name: tensor.detach().clone().contiguous() for name, tensor in tensors.items()}
        partial = self.path.with_suffix(".partial")
        save_file(own, partial, {"values": json.dumps(values)})
        replace_durably(partial, self.path)
        self.written = time.monotonic()

    def read(self) -> tuple[Tensors, dict[str, Any]] | None:
        """The state that was written last; None without any."""
        if not self.path.exists():
            return None
        try:
            with safe_open(self.path, "pt") as opened:
                tensors = {name: opened.get_tensor(name) for name in opened.keys()}  # noqa: SIM118 - not a mapping
                return tensors, json.loads(opened.metadata()["values"])
        except (SafetensorError, OSError, ValueError, KeyError, TypeError) as error:
            raise StoreError(f"The checkpoint {self.path} is damaged ({error}). Begin again: --afresh.") from error
