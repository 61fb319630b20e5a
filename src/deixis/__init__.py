"""Link text to your own knowledge base.

The public names below are imported when they are first used, so that `import deixis` costs nothing.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from deixis.documents.corrections import Correction as Correction
    from deixis.documents.reading import read_documents as read_documents
    from deixis.documents.writing import write_documents as write_documents
    from deixis.errors import ToolkitError as ToolkitError
    from deixis.kb.entity import Entity as Entity
    from deixis.kb.knowledge_base import KnowledgeBase as KnowledgeBase
    from deixis.labelling.config import LabellerConfig as LabellerConfig
    from deixis.labelling.labeller import Labeller as Labeller
    from deixis.labelling.text_labeller import TextLabeller as TextLabeller
    from deixis.linker import Linker as Linker
    from deixis.linker import evaluate as evaluate
    from deixis.linking.config import LinkerConfig as LinkerConfig
    from deixis.linking.options import LinkOptions as LinkOptions
    from deixis.types import Candidate as Candidate
    from deixis.types import Document as Document
    from deixis.types import Mention as Mention

__version__ = "0.1.0"

_NAME_TO_MODULE = {
    "Candidate": "deixis.types",
    "Correction": "deixis.documents.corrections",
    "Document": "deixis.types",
    "Entity": "deixis.kb.entity",
    "KnowledgeBase": "deixis.kb.knowledge_base",
    "Labeller": "deixis.labelling.labeller",
    "LabellerConfig": "deixis.labelling.config",
    "LinkOptions": "deixis.linking.options",
    "Linker": "deixis.linker",
    "LinkerConfig": "deixis.linking.config",
    "Mention": "deixis.types",
    "TextLabeller": "deixis.labelling.text_labeller",
    "ToolkitError": "deixis.errors",
    "evaluate": "deixis.linker",
    "read_documents": "deixis.documents.reading",
    "write_documents": "deixis.documents.writing",
}

__all__ = ["__version__", *_NAME_TO_MODULE]


def __getattr__(name: str) -> Any:  # noqa: ANN401 - whatever the name stands for
    if name not in _NAME_TO_MODULE:
        raise AttributeError(f"module 'deixis' has no attribute {name!r}")
    value = getattr(importlib.import_module(_NAME_TO_MODULE[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
