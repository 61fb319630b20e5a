"""Texts to dense vectors whose dot product says how alike they are, behind one interface (`protocol`)."""

from __future__ import annotations

from deixis.registry import Lazy, LazyRegistry

ENCODERS = LazyRegistry(
    "text encoder",
    {
        "chars": Lazy("deixis.features.encoders.char_sketch:CharSketchEncoder"),
        "minilm": Lazy("deixis.features.encoders.minilm:MiniLmEncoder", extra="minilm"),
        "static": Lazy("deixis.features.encoders.static:StaticEncoder", extra="minilm"),
    },
)

# Those that a folder holds: as a graph, or as the weights of a plain BERT.
FOLDER_ENCODERS = LazyRegistry(
    "text encoder",
    {
        "onnx": Lazy("deixis.features.encoders.onnx:OnnxEncoder", extra="onnx"),
        "bert": Lazy("deixis.features.encoders.minilm:MiniLmEncoder"),
    },
)
