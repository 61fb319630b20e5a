"""Link text to your own knowledge base.

The public names below are imported when they are first used, so that `import deixis` costs nothing.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from deixis.documents.reading import read_documents
    from deixis.documents.writing import write_documents
    from deixis.errors import ToolkitError
    from deixis.types import Candidate, Document, Mention

__version__ = "0.1.0"

_HOMES = {
    "Candidate": "deixis.types",
    "Document": "deixis.types",
    "Mention": "deixis.types",
    "ToolkitError": "deixis.errors",
    "read_documents": "deixis.documents.reading",
    "write_documents": "deixis.documents.writing",
}

__all__ = [
    "Candidate",
    "Document",
    "Mention",
    "ToolkitError",
    "__version__",
    "read_documents",
    "write_documents",
]


def __getattr__(name: str) -> Any:  # noqa: ANN401 - whatever the name stands for
    if name not in _HOMES:
        raise AttributeError(f"module 'deixis' has no attribute {name!r}")
    value = getattr(importlib.import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
