"""Models of sentence-transformers as encoders (imports torch): opened once, then run as ONNX graphs.

A graph is about as fast as torch on a processor, and a model that keeps it is used without torch (decision 21).
"""

from __future__ import annotations

from pathlib import Path

from sentence_transformers import CrossEncoder, SentenceTransformer
from tokenizers import Tokenizer

from deixis.encoders.onnx import MAX_TOKENS, OnnxEncoder
from deixis.errors import DataError
from deixis.neural.hub import folder_of
from deixis.neural.onnx_export import encoder_to_onnx
from deixis.neural.quiet import quiet


def open_as_onnx(name: str | Path, n_threads: int = 1) -> OnnxEncoder:
    """The encoder of a SentenceTransformer: a folder or a name of the hub."""
    with quiet():
        return as_onnx(open_sentence_transformer(name), n_threads)


def as_onnx(model: SentenceTransformer, n_threads: int = 1) -> OnnxEncoder:
    """The model as it is now, texts cut where it cuts them."""
    tokenizer = Tokenizer.from_buffer(tokenizer_bytes(model))
    tokenizer.enable_truncation(min(model.max_seq_length or MAX_TOKENS, MAX_TOKENS))
    return OnnxEncoder(encoder_to_onnx(model), tokenizer.to_str().encode("utf-8"), n_threads)


def open_sentence_transformer(name: str | Path) -> SentenceTransformer:
    """The SentenceTransformer of a name, on the processor: `minilm`, a folder, or a name of the hub."""
    try:
        return SentenceTransformer(str(folder_of(name)), device="cpu", local_files_only=True)
    except (OSError, ValueError, RuntimeError, KeyError) as error:
        raise cannot_open(name, error) from error


def cannot_open(name: str | Path, error: Exception) -> DataError:
    """What to say of a model that its library cannot open."""
    reason = (str(error).splitlines() or [type(error).__name__])[0]
    return DataError(
        f"No encoder named {str(name)!r} could be opened: {reason:.200} Give 'minilm', the folder of a "
        "SentenceTransformer with safetensors, or the name of one that can be downloaded."
    )


def tokenizer_bytes(model: SentenceTransformer | CrossEncoder) -> bytes:
    """The tokenizer as tokenizer.json holds it."""
    if not getattr(model.tokenizer, "is_fast", False):
        raise DataError(
            f"The tokenizer {type(model.tokenizer).__name__} has no tokenizer.json; choose another encoder."
        )
    stored: str = model.tokenizer.backend_tokenizer.to_str()
    return stored.encode("utf-8")
