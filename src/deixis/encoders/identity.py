"""Which encoder made some vectors, so that they never meet those of another one."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import numpy as np

from deixis.encoders.protocol import TextEncoder
from deixis.errors import StoreError
from deixis.store.part import Part, value


@dataclass(frozen=True)
class EncoderIdentity(Part):
    """The name of an encoder, the SHA-256 of what it is made of ("" where nobody knows), and its vectors' length."""

    id: str
    digest: str
    n_dims: Annotated[int, value(low=1)]

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
        is_stored = hasattr(encoder, "to_arrays")
        n_dims, digest = _n_dims(encoder), "" if is_stored else _digest(encoder)
        if n_dims != self.n_dims or (digest and self.digest and digest != self.digest):
            raise StoreError(
                f"The vectors were made by the encoder {self.id!r} of {_described(self.digest, self.n_dims)}, but the "
                f"one found has {_described(digest, n_dims)}. Give back the encoder they were made with, or build the "
                "model again."
            )


def _digest(encoder: TextEncoder) -> str:
    if hasattr(encoder, "digest"):
        return str(encoder.digest)
    if not hasattr(encoder, "to_arrays"):
        return ""
    digest = hashlib.sha256()
    for name, array in sorted(encoder.to_arrays("encoder").items()):
        digest.update(f"{name} {array.dtype} {array.shape} ".encode())
        digest.update(np.ascontiguousarray(array).data)
    return digest.hexdigest()


def _n_dims(encoder: TextEncoder) -> int:
    if hasattr(encoder, "n_dims"):
        return int(encoder.n_dims)
    rows = np.asarray(encoder.encode(["name"]))
    return int(rows.shape[1]) if rows.ndim == 2 else 0


def _described(digest: str, n_dims: int) -> str:
    return f"{n_dims} numbers" + (f" and SHA-256 {digest[:12]}" if digest else "")
