"""Text to dense vectors, whatever makes them, behind one interface (`protocol`)."""

from __future__ import annotations

from deixis.registry import Lazy, LazyRegistry

ENCODERS = LazyRegistry(
    "text encoder",
    {
        "chars": Lazy("deixis.encoders.chars:CharSketchEncoder"),
        "minilm": Lazy("deixis.encoders.minilm:MiniLmEncoder", extra="minilm"),
        "static": Lazy("deixis.encoders.static:StaticEncoder", extra="minilm"),
    },
)

# Those that a folder holds: as a graph, as the weights of a plain BERT, or as a map fitted to names.
FOLDER_ENCODERS = LazyRegistry(
    "text encoder",
    {
        "onnx": Lazy("deixis.encoders.onnx:OnnxEncoder", extra="onnx"),
        "bert": Lazy("deixis.encoders.minilm:MiniLmEncoder"),
        "parallel": Lazy("deixis.encoders.parallel:ParallelEncoder"),
    },
)
