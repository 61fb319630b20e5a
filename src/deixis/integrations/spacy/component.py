"""Deixis as a component of spaCy pipelines (extra `spacy`): `nlp.add_pipe("deixis", config={"model": "model/"})`.

spaCy finds it by the entry point `spacy_factories`; nothing else imports this module.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Self

from spacy.language import Language
from spacy.pipeline import Pipe
from spacy.scorer import Scorer
from spacy.tokens import Doc, Span
from spacy.training import Example
from spacy.util import minibatch

from deixis.decision.overlaps import Overlaps
from deixis.detection.recognizers import Recognize
from deixis.errors import ConfigError
from deixis.integrations.spacy.alignment import Tokens, aligned, apart, is_overlapping
from deixis.integrations.spacy.candidates import FIELDS, NAME, add_extension, annotate
from deixis.integrations.spacy.config import ComponentConfig, default_settings, setting_parameters
from deixis.linker import Linker
from deixis.linking.plan import LinkPlan
from deixis.types import Document, Mention

MODEL_FOLDER = "model"
Mentions = tuple[Mention, ...]
ANY_LANGUAGE = "xx"  # spaCy's code for pipelines of no language in particular


class LinkerPipe(Pipe):
    """Links the documents of a pipeline: `doc.ents` with `kb_id_`, and all spans in `doc.spans["deixis"]`.

    The candidates of a span, best first, are `span._.kb_ents`, its probability is `span._.kb_score`. The model is
    opened when it is first needed.

    Examples
    --------
    >>> import spacy
    >>> from deixis.kb.knowledge_base import KnowledgeBase
    >>> kb = KnowledgeBase.from_records([{"id": "Q22647", "title": "Troy"}, {"id": "Q90", "title": "Paris"}])
    >>> nlp = spacy.blank("en")
    >>> nlp.add_pipe("deixis").linker = Linker.build(kb)
    >>> [(ent.text, ent.kb_id_) for ent in nlp("To save Troy, they sailed.").ents]
    [('Troy', 'Q22647')]
    """

    def __init__(self, name: str, config: ComponentConfig) -> None:
        self.name = name
        self.config = config
        self._folder = None if config.model is None else Path(config.model)
        self._linker: Linker | None = None
        add_extension()

    @property
    def linker(self) -> Linker:
        """The linker; it can be replaced."""
        if self._linker is None:
            if self._folder is None:
                raise ConfigError(
                    f'The component {self.name!r} has no model. Name a model folder, nlp.add_pipe("deixis", config='
                    '{"model": "model/"}), or set the linker: nlp.get_pipe("deixis").linker = linker.'
                )
            self._linker = Linker.load(self._folder, self.config.n_threads)
        return self._linker

    @linker.setter
    def linker(self, linker: Linker) -> None:
        self._folder, self._linker = None, linker

    def __call__(self, doc: Doc) -> Doc:
        """The document, linked."""
        self._annotate([doc])
        return doc

    def pipe(self, stream: Iterable[Doc], *, batch_size: int = 64) -> Iterator[Doc]:
        """The documents as they come, linked batch by batch."""
        handle_error = self.get_error_handler()
        for docs in minibatch(stream, size=batch_size):  # type: ignore[no-untyped-call]
            try:
                self._annotate(docs)
            except Exception as error:  # spaCy's way: the pipeline's owner decides what to do about it
                handle_error(self.name, self, docs, error)
            else:
                yield from docs

    def score(self, examples: Iterable[Example], **kwargs: Any) -> dict[str, Any]:  # noqa: ANN401 - spaCy's
        """Precision, recall and F1 of the links of entities that were found, as spaCy's own linker has them."""
        return Scorer.score_links(examples, negative_labels=[self.config.nil_id, ""])

    def _annotate(self, docs: Sequence[Doc]) -> None:
        config = self.config
        plan = LinkPlan.of(self.linker.model, config.options, detects=config.spans != "ents")
        threshold = plan.deciding.min_probability
        for doc, (overlapping, taken) in zip(docs, self._linked(docs), strict=True):
            tokens_to_mention = aligned(doc, overlapping, config.alignment)
            earlier = {(ent.start, ent.end): ent for ent in doc.ents}
            chosen = apart(aligned(doc, taken, config.alignment), threshold, earlier)
            doc.spans[config.spans_key] = [
                self._span(doc, tokens, mention, earlier.get(tokens)) for tokens, mention in tokens_to_mention.items()
            ]
            doc.ents = [
                earlier[tokens] if mention is None else self._span(doc, tokens, mention, earlier.get(tokens))
                for tokens, mention in chosen.items()
            ]

    def _linked(self, docs: Sequence[Doc]) -> list[tuple[Mentions, Mentions]]:
        """All linked mentions of each document, and the mentions that are linked if none may overlap."""
        given_mentions = [_mentions(doc) if self.config.spans != "own" else () for doc in docs]
        documents = [_document(doc, number) for number, doc in enumerate(docs)]
        if self.config.spans == "ents":
            numbers = [
                number for number, mentions in enumerate(given_mentions) if mentions
            ]  # a text without would be searched
            linked = self._link([documents[number].with_mentions(given_mentions[number]) for number in numbers])
            number_to_document = dict(zip(numbers, linked, strict=True))
            return [
                (each.mentions, each.mentions)
                for each in (number_to_document.get(n, documents[n]) for n in range(len(docs)))
            ]
        overlapping = self._detected(documents, given_mentions, "keep")
        # What is apart stays as it is, unless a filter has left out the longer name that a mention is part of.
        is_filtered = bool(self.config.options.only)
        again = [number for number, mentions in enumerate(overlapping) if is_filtered or is_overlapping(mentions)]
        alone = self._detected(
            [documents[number] for number in again], [given_mentions[number] for number in again], "drop"
        )
        taken = dict(zip(again, alone, strict=True))
        return [
            (
                _with_nil(mentions, given_mentions[number]),
                _with_nil(taken.get(number, mentions), given_mentions[number]),
            )
            for number, mentions in enumerate(overlapping)
        ]

    def _detected(
        self, documents: list[Document], given_mentions: Sequence[Mentions], overlaps: Overlaps
    ) -> list[Mentions]:
        """The detected mentions of each document; with spans="both" given mentions count as recognized."""
        spans = ([(mention.start, mention.end) for mention in mentions] for mentions in given_mentions)
        # The linker calls the recognizer once for each text, in the order of the texts.
        recognizer = (lambda texts: [next(spans) for _ in texts]) if self.config.spans == "both" else None
        return [document.mentions for document in self._link(documents, overlaps, recognizer)]

    def _link(
        self, documents: list[Document], overlaps: Overlaps = "drop", recognizer: Recognize | None = None
    ) -> list[Document]:
        options = replace(self.config.options, overlaps=overlaps)
        return list(self.linker.link_many(documents, options, recognizer=recognizer))

    def _span(self, doc: Doc, tokens: Tokens, mention: Mention, earlier: Span | None) -> Span:
        label = self.config.label if earlier is None else earlier.label_
        span = Span(doc, *tokens, label=label, kb_id=mention.entity or self.config.nil_id)
        annotate(span, mention)
        return span

    def to_disk(self, path: str | Path, *, exclude: Iterable[str] = ()) -> None:
        """Writes the model into the pipeline's folder, so that it can be taken elsewhere."""
        self.linker.save(Path(path) / MODEL_FOLDER)

    def from_disk(self, path: str | Path, *, exclude: Iterable[str] = ()) -> Self:
        """The same component with the model in the pipeline's folder."""
        self._folder, self._linker = Path(path) / MODEL_FOLDER, None
        return self

    def to_bytes(self, *, exclude: Iterable[str] = ()) -> bytes:
        """The model as bytes."""
        return self.linker.to_bytes()

    def from_bytes(self, data: bytes, *, exclude: Iterable[str] = ()) -> Self:
        """The same component with the model that `to_bytes` gave."""
        self.linker = Linker.from_bytes(data, self.config.n_threads)
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        """For processes that are not forked: each opens the same folder, or gets the model as bytes."""
        return _restored, (self.name, self.config, self._folder, None if self._folder else self.linker.to_bytes())


def _with_settings(factory: Callable[..., LinkerPipe]) -> Callable[..., LinkerPipe]:
    """The same function, with each setting and its type in the signature: spaCy checks by it what it is given."""
    own = list(inspect.signature(factory, eval_str=True).parameters.values())[:2]
    factory.__signature__ = inspect.Signature([*own, *setting_parameters()])  # type: ignore[attr-defined]
    return factory


@Language.factory(
    "deixis",
    assigns=[
        *("doc.ents", "doc.spans", "token.ent_iob", "token.ent_type", "token.ent_kb_id", f"span._.{NAME}"),
        *(f"span._.kb_{field}" for field in FIELDS),
    ],
    default_config=default_settings(),
    default_score_weights={"nel_micro_f": 1.0, "nel_micro_r": None, "nel_micro_p": None},
)
@_with_settings
def make_component(nlp: Language, name: str, **settings: Any) -> LinkerPipe:  # noqa: ANN401 - each has its type
    """The component of the name "deixis", with the settings of `ComponentConfig` and `LinkOptions`."""
    return LinkerPipe(name, ComponentConfig.from_settings(settings))


def _restored(name: str, config: ComponentConfig, folder: Path | None, data: bytes | None) -> LinkerPipe:
    pipe = LinkerPipe(name, config)
    if data is not None:
        return pipe.from_bytes(data)
    pipe._folder = folder
    return pipe


def _document(doc: Doc, number: int) -> Document:
    return Document(str(number), doc.text, None if doc.lang_ in ("", ANY_LANGUAGE) else doc.lang_)


def _with_nil(detected: Mentions, given_mentions: Mentions) -> Mentions:
    """The detected mentions, and given mentions that were not detected, as NIL."""
    spans = {(mention.start, mention.end) for mention in detected}
    return detected + tuple(
        replace(each, is_nil=True) for each in given_mentions if (each.start, each.end) not in spans
    )


def _mentions(doc: Doc) -> Mentions:
    return tuple(Mention(ent.start_char, ent.end_char, ent.text) for ent in doc.ents)
