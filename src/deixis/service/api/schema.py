"""Schemas of requests and responses. Offsets count Unicode code points; unknown keys are refused."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from deixis.documents.spans import checked_span, checked_surface, in_text_order
from deixis.errors import DataError
from deixis.service.api.change_schema import About
from deixis.service.api.link_options import (
    MAX_TOP_K,
    ONLY_SHOWN,
    Many,
    Name,
    Names,
    OptionsIn,
    Request,
    Text,
    with_link_options,
)
from deixis.types import NIL_WORDS, Document, Mention, NilReason

TROY = "To save Troy, Paris had to be sacrificed."
Match = Literal["any", "prefix", "alike"]
_NIL_REASONS = "; ".join(reason if reason == words else f"{reason} ({words})" for reason, words in NIL_WORDS.items())


class SpanIn(BaseModel):
    """A mention to link. Other keys of linked documents are ignored, so that a response can be sent again."""

    start: int = Field(ge=0, description="First code point.")
    end: int = Field(ge=1, description="One after the last code point.")
    text: Text | None = Field(None, description="The text of the span; checked if given.")


class DocumentIn(Request):
    """A text; mentions are detected if none are given."""

    id: Text | None = Field(None, max_length=1000)
    text: Text
    lang: Text | None = Field(None, max_length=100)
    mentions: Many[SpanIn] | None = None

    def document(self, number: int = 0) -> Document:
        """The request as a Document; an error if a mention does not match the text."""
        mentions = []
        for span in self.mentions or ():
            start, end = checked_span(span.start, span.end, self.text, DataError)
            if span.text is not None:
                checked_surface(span.text, start, end, self.text, DataError)
            mentions.append(Mention(start, end, self.text[start:end]))
        return Document(self.id or f"doc{number + 1}", self.text, self.lang, in_text_order(mentions))


@with_link_options()
class LinkRequest(OptionsIn, DocumentIn):
    """A document and link options."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"text": TROY}, {"text": TROY, "threshold": 0.5}]})


@with_link_options()
class LinkBatch(OptionsIn):
    """Documents and the link options for all of them."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"documents": [{"text": TROY}], "types": ["city"]}]})
    documents: Many[DocumentIn] = Field(min_length=1)


class CandidateOut(BaseModel):
    """A candidate entity of a mention."""

    id: str
    title: str = ""
    score: float


class MentionOut(BaseModel):
    """A mention, its entity (null and `nil` if it refers to no entity of the knowledge base), and its probability."""

    start: int
    end: int
    text: str
    entity: str | None = None
    score: float | None = Field(None, description="Probability that the link is right.")
    nil: bool | None = None
    mention_score: float | None = Field(None, description="Probability that a detected span is a mention.")
    entity_score: float | None = Field(None, description="Probability that the mention means this entity.")
    nil_reason: NilReason | None = Field(None, description=f"Why there is no link: {_NIL_REASONS}.")
    candidates: list[CandidateOut] = []


class DocumentOut(BaseModel):
    """A linked document in Deixis's own format."""

    id: str
    text: str
    lang: str | None = None
    mentions: list[MentionOut]


class Linked(BaseModel):
    """Linked documents, in the order of the request."""

    documents: list[DocumentOut]


@with_link_options(without=ONLY_SHOWN)
class ExplainRequest(OptionsIn, DocumentIn):
    """A span to explain, linked with these options; with `entity`, that candidate is explained instead of the best."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"text": TROY, "start": 8, "end": 12}]})
    start: int = Field(ge=0)
    end: int = Field(ge=1)
    entity: Name | None = None


@with_link_options(without=ONLY_SHOWN)
class ExplainAllRequest(OptionsIn, DocumentIn):
    """A text whose mentions are all explained: those given, or those detected with these options."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"text": TROY}]})


class EntitiesRequest(Request):
    """Entities to look up by id, and names to search for."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"ids": ["Q90"]}, {"names": ["Paris"], "limit": 3}]})
    ids: Many[Annotated[Text, Field(max_length=10_000)]] = []
    names: Many[Name] = []
    match: Match = "any"
    types: Names | None = None
    limit: int = Field(10, ge=1, le=100)


class EntityOut(BaseModel):
    """The record of an entity."""

    id: str
    title: str
    description: str = ""
    descriptions: dict[str, str] = {}
    aliases: list[dict[str, Any]] = []
    types: list[str] = []
    count: int = 0
    url: str = ""
    alt_ids: list[str] = []


class EntityFound(BaseModel):
    """A search result; `score` is the linker's, null for an entity that only matches by prefix."""

    id: str
    title: str
    description: str
    types: list[str]
    score: float | None = None


class EntitiesFound(BaseModel):
    """Search results, best first."""

    entities: list[EntityFound]


class EntitiesAnswer(BaseModel):
    """The entity of each id, or null; the search results of each name."""

    entities: list[EntityOut | None]
    found: list[list[EntityFound]]


class CorrectionIn(Request):
    """A correction of one span: its entity (`gold`), an entity it does not refer to (`wrong`), or `not_an_entity`."""

    id: Text | None = None
    text: Text | None = None
    lang: Text | None = None
    start: int
    end: int
    surface: Text | None = None
    gold: Text | None = None
    wrong: Text | None = None
    not_an_entity: bool | None = None
    all_equal: bool | None = Field(None, description="Also for all other spans of the text with the same words.")


class LearnRequest(About):
    """Corrections, in the format of `deixis correct`; of two that contradict each other, the later one counts."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"corrections": [{"text": TROY, "start": 14, "end": 19, "gold": "Q167646"}]}]}
    )
    corrections: Many[CorrectionIn] = Field(min_length=1)


class LearnAnswer(BaseModel):
    """The numbers of new, changed and duplicate corrections, the total now, and the generation of the change."""

    new: int
    changed: int
    known: int
    corrections: int
    generation: int | None = Field(description="The number of the change, for `/undo`; null if nothing changed.")
    seconds: float


class LabelRequest(Request):
    """A text to label."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"text": "Baking bread at home", "top_k": 5}]})
    text: Text
    top_k: int = Field(10, ge=1, le=MAX_TOP_K)
    threshold: float = Field(0.0, ge=0, le=1)


class LabelBatch(Request):
    """Texts to label."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"texts": ["Baking bread at home"], "top_k": 5}]})
    texts: Many[Text] = Field(min_length=1)
    top_k: int = Field(10, ge=1, le=MAX_TOP_K)
    threshold: float = Field(0.0, ge=0, le=1)


class Labels(BaseModel):
    """Labels, the best first."""

    labels: list[CandidateOut]


class LabelsOfAll(BaseModel):
    """Labels of each text, in the order of the request."""

    documents: list[Labels]


class Ready(BaseModel):
    """The model that is served."""

    ready: bool
    kind: str
    entities: int
    corrections: int
    generation: int | None = Field(None, description="The number of the last change; null for a labeller.")
    model: str
    loaded: str
    version: str


class BranchOut(BaseModel):
    """A node of the label tree, or an entity (a leaf)."""

    level: int
    node: int
    n_entities: int
    topics: list[str]
    titles: list[str]
    entity: str | None = None


class Branches(BaseModel):
    """The children of a node, in tree order."""

    branches: list[BranchOut]


class Node(BaseModel):
    """A node of the label tree by level and number."""

    level: int
    node: int


class Way(BaseModel):
    """Nodes from the root down."""

    way: list[Node]


class Failure(BaseModel):
    """An error: what was wrong, the value, what is allowed, what to do."""

    kind: str
    message: str
    details: list[dict[str, str]] | None = None


class FailureAnswer(BaseModel):
    """Any response that is not 2xx."""

    error: Failure
