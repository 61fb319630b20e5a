"""The settings of the spaCy component."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from deixis.config import check_choices
from deixis.integrations.spacy.alignment import Alignment

Given = Literal["own", "ents", "both"]


@dataclass(frozen=True)
class ComponentConfig:
    """What `nlp.add_pipe("deixis", config={...})` takes.

    Examples
    --------
    >>> ComponentConfig(spans="ents").alignment
    'expand'
    """

    model: str | None = field(default=None, metadata={"help": "Model folder. None: a pipeline from disk has its own."})
    spans: Given = field(
        default="own",
        metadata={"help": "What is linked: names found here, the entities of doc.ents, or both."},
    )
    alignment: Alignment = field(
        default="expand", metadata={"help": "Names that end inside a token: grow, shrink, or are left out (strict)."}
    )
    spans_key: str = field(default="deixis", metadata={"help": "Where in doc.spans all go, overlapping ones too."})
    label: str = field(default="ENTITY", metadata={"help": "Label of spans that no earlier component has labelled."})
    nil_id: str = field(default="NIL", metadata={"help": "kb_id_ of what means nothing in the knowledge base."})
    threshold: float | None = field(default=None, metadata={"help": "Least score of a link. None: the model's."})
    types: list[str] | None = field(default=None, metadata={"help": "Link to entities of these types only."})
    subset: list[str] | None = field(default=None, metadata={"help": "Link to entities with these ids only."})
    languages: list[str] | None = field(default=None, metadata={"help": "Link to entities known in these languages."})
    rerank: bool = field(default=False, metadata={"help": "Look again at the best candidates, if the model can."})
    n_threads: int = field(default=0, metadata={"help": "Threads of one process. 0: all processors."})

    def __post_init__(self) -> None:
        check_choices(self)
