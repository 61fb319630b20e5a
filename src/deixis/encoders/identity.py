"""Which encoder made some vectors, so that they never meet those of another one."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deixis.encoders.protocol import TextEncoder
from deixis.errors import StoreError
from deixis.store.strings import StringTable


@dataclass(frozen=True)
class EncoderIdentity:
    """The name of an encoder, the SHA-256 of what it is made of ("" where nobody knows), and its vectors' length."""

    id: str
    digest: str
    n_dims: int

    @classmethod
    def of(cls, name: str, encoder: TextEncoder) -> EncoderIdentity:
        """The identity of an encoder that settings call `name`; of a folder only the last part is kept.

        Examples
        --------
        >>> from deixis.encoders.registry import FunctionEncoder
        >>> EncoderIdentity.of("models/lengths", FunctionEncoder(lambda texts: [[len(text), 1.0] for text in texts]))
        EncoderIdentity(id='lengths', digest='', n_dims=2)
        """
        return cls(Path(name).name, _digest(encoder), _n_dims(encoder))

    def check(self, encoder: TextEncoder) -> None:
        """Raise unless the encoder is the one of this identity.

        One that is kept beside the vectors is not hashed again: the model folder has checksums of its own.
        """
        kept = hasattr(encoder, "to_arrays")
        n_dims, digest = _n_dims(encoder), "" if kept else _digest(encoder)
        if n_dims != self.n_dims or (digest and self.digest and digest != self.digest):
            raise StoreError(
                f"The vectors were made by the encoder {self.id!r} of {_described(self.digest, self.n_dims)}, but the "
                f"one found has {_described(digest, n_dims)}. Give back the encoder they were made with, or build the "
                "model again."
            )

    def to_arrays(self, prefix: str) -> dict[str, NDArray[Any]]:
        """As arrays under names that begin with `prefix`."""
        return StringTable.from_strings([self.id, self.digest, str(self.n_dims)]).to_arrays(prefix)

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]], prefix: str) -> EncoderIdentity:
        """The identity `to_arrays` gave."""
        fields = list(StringTable.from_arrays(arrays, prefix))
        if len(fields) != 3 or not fields[2].isdecimal():
            raise StoreError(f"The arrays '{prefix}.*' name no encoder. The model is damaged; build it again.")
        return cls(fields[0], fields[1], int(fields[2]))


def _digest(encoder: TextEncoder) -> str:
    if hasattr(encoder, "digest"):
        return str(encoder.digest)
    if not hasattr(encoder, "to_arrays"):
        return ""
    found = hashlib.sha256()
    for name, array in sorted(encoder.to_arrays("encoder").items()):
        found.update(f"{name} {array.dtype} {array.shape} ".encode())
        found.update(np.ascontiguousarray(array).data)
    return found.hexdigest()


def _n_dims(encoder: TextEncoder) -> int:
    if hasattr(encoder, "n_dims"):
        return int(encoder.n_dims)
    rows = np.asarray(encoder.encode(["name"]))
    return int(rows.shape[1]) if rows.ndim == 2 else 0


def _described(digest: str, n_dims: int) -> str:
    return f"{n_dims} numbers" + (f" and SHA-256 {digest[:12]}" if digest else "")
