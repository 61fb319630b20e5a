"""The linker: the verbs people call, a thin face over the model and the functions that use and improve it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, overload

from deixis.candidates.candidate_lists import candidate_lists
from deixis.detection.recognizers import Recognize
from deixis.documents.corrections import Correction
from deixis.documents.linked import LinkedDocuments
from deixis.errors import ConfigError
from deixis.explanation import EXPLAINERS, MIN_COUNT
from deixis.kb.edits import EntityEdits
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.linking import EVALUATIONS
from deixis.linking.config import LinkerConfig
from deixis.linking.corrections import Corrections
from deixis.linking.edited import with_edits
from deixis.linking.inputs import NO_NAME, as_document, check_several, named_documents
from deixis.linking.model import LinkerModel
from deixis.linking.options import LinkOptions
from deixis.linking.pipeline import link_documents
from deixis.linking.plan import LinkPlans
from deixis.linking.stored import KIND, model_arrays
from deixis.linking.stored_settings import stored_config
from deixis.linking.streams import BATCH_SIZE, link_stream, rank_mentions
from deixis.store.model_folder import save_model
from deixis.store.origin import check_replaceable, replacing
from deixis.store.packed import pack_model, unpack_model
from deixis.training import MAKERS
from deixis.training.folder_model import FolderModel
from deixis.types import Candidate, Document, Mention

if TYPE_CHECKING:
    from deixis.evaluation.known_entities import KnownEntities
    from deixis.evaluation.run import Evaluation
    from deixis.explanation.records import Explanation
    from deixis.explanation.unlinked import NewEntity
    from deixis.training.config import TrainingConfig
    from deixis.training.correct import CorrectionResult
    from deixis.training.result import TrainingResult

DEFAULT = LinkOptions()
MAX_PLANS = 8  # options of calls whose plans are kept
KEPT_OPTIONS = ("threshold", "target_precision", "vectors", "rerank")
Option = str | float | bool | Iterable[str] | None
"""The value of an option, as `LinkOptions` has it."""
Texts = Iterable[str | Document | None]
"""Several texts, such as a list or a column of a table; None is a missing one."""


@dataclass(frozen=True, eq=False)
class Linker:
    """Finds which entity each mention of a text means, and how sure that is.

    Every method that changes something returns another linker. How to link is said by `LinkOptions`, or by keywords of
    the same names.

    Examples
    --------
    >>> kb = KnowledgeBase.from_records([
    ...     {"id": "Q90", "title": "Paris", "description": "capital of France, on the river Seine"},
    ...     {"id": "Q167646", "title": "Paris", "description": "prince of Troy who carried Helen off"},
    ...     {"id": "Q22647", "title": "Troy", "description": "ancient city besieged by the Greeks"},
    ... ])
    >>> document = Linker.build(kb).link("To save Troy, Paris had to be sacrificed.")
    >>> [(mention.text, mention.entity) for mention in document.mentions]
    [('Troy', 'Q22647'), ('Paris', 'Q167646')]
    """

    model: LinkerModel

    @classmethod
    def build(
        cls,
        kb: KnowledgeBase,
        documents: Iterable[Document] | None = None,
        config: LinkerConfig | None = None,
        *,
        seed: int = 0,
        n_threads: int = 0,
    ) -> Linker:
        """A linker to `kb`; documents with annotated mentions make it better but are not needed."""
        return cls(MAKERS["build"](kb, documents, config, seed=seed, n_threads=n_threads))

    @overload
    def link(  # type: ignore[overload-overlap]  # a text is an iterable of texts, too, and taken for one text
        self, text: str | Document, options: LinkOptions = ..., *, recognizer: Recognize | None = ..., **changes: Option
    ) -> Document: ...

    @overload
    def link(
        self, text: Texts, options: LinkOptions = ..., *, recognizer: Recognize | None = ..., **changes: Option
    ) -> LinkedDocuments: ...

    def link(
        self,
        text: str | Document | Texts,
        options: LinkOptions = DEFAULT,
        *,
        recognizer: Recognize | None = None,
        **changes: Option,
    ) -> Document | LinkedDocuments:
        """The document with its mentions linked: those it brings, or those detected if it brings none.

        Of several texts, such as a list or a column of a table, it is a list of documents with a method `to_pandas`;
        a missing text is an empty document. `recognizer` finds further mentions in texts that bring none: texts in,
        spans out, as any NER can tell them.
        """
        plans = self._plans(options.with_changes(**changes))
        if not isinstance(text, (str, Document)):
            check_several(text)
            index = getattr(text, "index", None)
            labels = None if callable(index) else index  # a list has a method of this name, a column of pandas its rows
            return LinkedDocuments(link_stream(plans, text, recognizer), labels)
        return link_documents(plans, [as_document(text, 0)], recognizer)[0]

    def link_many(
        self,
        texts: Texts,
        options: LinkOptions = DEFAULT,
        *,
        recognizer: Recognize | None = None,
        batch_size: int = BATCH_SIZE,
        **changes: Option,
    ) -> Iterator[Document]:
        """Linked documents, one after the other as they are wanted, for any number of texts; see `link`."""
        check_several(texts)
        return link_stream(self._plans(options.with_changes(**changes)), texts, recognizer, batch_size)

    def link_names(
        self,
        names: Iterable[str | None],
        contexts: Iterable[str | None] | None = None,
        options: LinkOptions = DEFAULT,
        **changes: Option,
    ) -> list[Mention]:
        """What each name of a list or a column means, alone or by a text about it: a link or NIL for each, in order.

        A missing name (None, or the NaN and NA of tables) means nothing.
        """
        documents = named_documents(names, contexts)
        named = self.link_many([each for each in documents if each.mentions], options.with_changes(**changes))
        return [(next(named).mentions if document.mentions else (NO_NAME,))[0] for document in documents]

    def candidates(
        self, documents: Sequence[Document], k: int | None = None, *, rerank: bool = False
    ) -> list[list[Candidate]]:
        """The best `k` candidates of each mention with the ranker's scores, nothing decided, for your own scoring."""
        checked = [as_document(document, number) for number, document in enumerate(documents)]
        mentions = [mention for document in checked for mention in document.mentions_in_context()]
        return candidate_lists(self.kb, rank_mentions(self.model, mentions, k, rerank))

    def explain(
        self,
        text: str | Document,
        start: int,
        end: int,
        *,
        entity: str | None = None,
        options: LinkOptions = DEFAULT,
        **changes: Option,
    ) -> Explanation:
        """Why the span from `start` to `end` is linked as it is, or how far `entity` is from being meant."""
        explained: list[Explanation] = EXPLAINERS["links"](
            self.model, text, [(start, end)], entity, options.with_changes(**changes)
        )
        return explained[0]

    def unlinked(
        self,
        texts: Texts,
        options: LinkOptions = DEFAULT,
        *,
        is_linked: bool = False,
        min_count: int = MIN_COUNT,
        top: int | None = None,
        **changes: Option,
    ) -> list[NewEntity]:
        """What texts mention and the knowledge base lacks, as entities to add to it, the most frequent first.

        Each has `min_count` mentions or more, and there are at most `top`. `is_linked` says that the texts are
        documents linked before. Texts are read once, one after the other.
        """
        check_several(texts)
        selected = options.with_changes(**changes)
        entities: list[NewEntity] = EXPLAINERS["unlinked"](self.model, texts, selected, is_linked, min_count, top)
        return entities

    def fit(
        self,
        documents: Sequence[Document],
        trainer: str = "weights",
        *,
        dev: Sequence[Document] | None = None,
        config: TrainingConfig | None = None,
        folder: str | os.PathLike[str] | None = None,
        seed: int = 0,
    ) -> FitResult:
        """A better linker, trained on annotated documents, and how it did on documents it had not seen.

        The trainer is `weights` (seconds), or `reranker`, `encoder` or `reader` (minutes to hours, extra `neural`).
        """
        place = None if folder is None else Path(folder)
        result: TrainingResult = MAKERS["fit"](
            self.model, documents, trainer, dev=dev, config=config, folder=place, seed=seed
        )
        return FitResult(Linker(result.model), result)

    def evaluate(
        self,
        documents: Iterable[Document],
        options: LinkOptions = DEFAULT,
        *,
        end_to_end: bool = False,
        at: Sequence[int] | None = None,
        n_examples: int = 0,
        seed: int = 0,
        **changes: Option,
    ) -> Evaluation:
        """How often the linker is right on annotated documents: `linker.evaluate(gold)["inkb_micro_f1"]`.

        It is shown the text and the mentions without their entities, or with `end_to_end` the text only.
        """
        selected = options.with_changes(**changes)
        return evaluate(
            self, documents, options=selected, end_to_end=end_to_end, at=at, n_examples=n_examples, seed=seed
        )

    def calibrate(
        self,
        documents: Iterable[Document],
        *,
        threshold: float | None = None,
        target_precision: float | None = None,
        rerank: bool = False,
        all_mentions_annotated: bool = False,
    ) -> Linker:
        """The same linker with probabilities as scores, learned from annotated documents it was not trained on.

        If all mentions of the documents are annotated, the decision on raw text is learned from them, too.
        """
        annotated = list(documents)
        model: LinkerModel = MAKERS["calibrate"](
            self.model, annotated, threshold=threshold, target_precision=target_precision, rerank=rerank
        )
        if all_mentions_annotated and not rerank:
            model = MAKERS["calibrate-detected"](model, annotated, threshold, model.decisions.given.target_precision)
        return Linker(model)

    def correct(
        self, corrections: Iterable[Correction], *, dev: Iterable[Document] = (), force: bool = False
    ) -> Linker:
        """The same linker that keeps to these corrections, at once.

        A change that lowers accuracy beyond noise, on corrections held out or on the annotated documents `dev`, is an
        error unless it is forced.
        """
        result: CorrectionResult = MAKERS["correct"](self.model, corrections, dev=list(dev), force=force)
        return Linker(result.model)

    def without_corrections(self, corrections: Iterable[Correction] | None = None) -> Linker:
        """The same linker without these corrections, or without any: it answers as if they had never been made."""
        dropped = None if corrections is None else {(each.key, each.verdict, each.entity) for each in corrections}
        remaining = [
            each
            for each in self.corrections.each
            if dropped is not None and (each.key, each.verdict, each.entity) not in dropped
        ]
        return Linker(MAKERS["corrections"](self.model, Corrections(tuple(remaining)))[0])

    def with_edits(self, edits: EntityEdits) -> Linker:
        """A linker to the list as it is now: with these edits to the list that it was built from, whatever it had."""
        return Linker(with_edits(self.model, edits))

    def with_options(self, options: LinkOptions = DEFAULT, **changes: Option) -> Linker:
        """The same linker with another threshold, target precision or vectors of its own, saved with it.

        With `rerank` the threshold is that of reranked mentions. Other options hold for one call and are refused here.
        """
        selected = options.with_changes(**changes)
        for name in selected.to_dict():
            if name not in KEPT_OPTIONS:
                raise ConfigError(
                    f"The option {name!r} cannot be kept in a model; those that can: {', '.join(KEPT_OPTIONS)}. Give "
                    "it to each call of link."
                )
        plans = self._plans(selected)
        decisions = self.model.decisions
        pair = selected.threshold, selected.target_precision
        own = {
            name: decision.with_threshold(*pair)
            for name in ("given", "detected", "reranked", "read")
            if (decision := getattr(decisions, name)) is not None
            and (name != "given" or not selected.rerank)
            and (name != "reranked" or selected.rerank)
        }
        sources = plans.given.sources
        config = replace(self.model.config, candidates=sources.config)
        return Linker(replace(self.model, sources=sources, config=config, decisions=replace(decisions, **own)))

    def save(self, path: str | os.PathLike[str], *, discard_changes: bool = False) -> None:
        """Write a model folder; an older model of that name is replaced only when the new one is whole.

        A model that was changed since (`deixis.live`) is replaced only by one loaded from it that has these changes,
        or with `discard_changes`, which keeps its journal under another name.
        """
        origin = self.model.origin
        check_replaceable(path, origin, discard_changes=discard_changes)
        arrays = model_arrays(self.model) | ({} if origin is None else origin.carried_to(path))
        swapping = replacing(path, origin, discard_changes=discard_changes)
        save_model(path, KIND, stored_config(self.model), arrays, swapping=swapping)

    @classmethod
    def load(cls, path: str | os.PathLike[str], n_threads: int = 0, *, verify: bool = False) -> Linker:
        """The linker that `save` wrote, memory-mapped, with the changes in its journal: large ones open as fast.

        `verify` also compares every file with the hash noted when it was saved, which reads every byte.
        """
        folder = FolderModel.load(path, n_threads, verify=verify)
        return cls(folder.at(folder.after(folder.journal.snapshot(folder.state.generation))))

    def to_bytes(self) -> bytes:
        """The linker as bytes, the same for the same linker: for those who cannot keep a folder."""
        return pack_model(KIND, stored_config(self.model), model_arrays(self.model))

    @classmethod
    def from_bytes(cls, data: bytes, n_threads: int = 0) -> Linker:
        """The linker that `to_bytes` gave, in memory."""
        folder = FolderModel.of(unpack_model(data, KIND), n_threads)
        return cls(folder.at(folder.state))

    @cached_property
    def _plans(self) -> Callable[[LinkOptions], LinkPlans]:
        """What a call with these options does; options are checked, and what is wrong with them is an error."""
        # Kept for the options of the last calls, by the linker: plans hold the model, and must not be held by it.
        return lru_cache(MAX_PLANS)(partial(LinkPlans.of, self.model))

    @property
    def kb(self) -> KnowledgeBase:
        """The entities that are linked to."""
        return self.model.kb

    @property
    def config(self) -> LinkerConfig:
        """The settings it was built with."""
        return self.model.config

    @property
    def generation(self) -> int:
        """The number of the last change that it has (`deixis.live`); 0 if there was none, or it was built here."""
        return 0 if self.model.origin is None else self.model.origin.generation

    @property
    def corrections(self) -> Corrections:
        """What people said about single spans."""
        return self.model.corrections


@dataclass(frozen=True, eq=False)
class FitResult:
    """A trained linker, and how it did before and after on documents it had not seen."""

    linker: Linker
    training: TrainingResult


def evaluate(
    system: Linker | Iterable[Document],
    documents: Iterable[Document],
    kb: KnowledgeBase | KnownEntities | None = None,
    options: LinkOptions | None = None,
    *,
    end_to_end: bool = False,
    at: Sequence[int] | None = None,
    n_examples: int = 0,
    seed: int = 0,
    names: tuple[str, str] | None = None,
) -> Evaluation:
    """How often a linker, or somebody's predictions paired by their ids, are right on annotated documents.

    Gold counts as known if `kb` has it: the linker's own if none is given; for predictions, without one, all gold is.
    `options` say how the linker links, `end_to_end` that it is shown the text only. `at` are the k of recall@k, and
    `n_examples` mistakes of each kind are kept for a report. `names` is what errors call documents and predictions.

    Examples
    --------
    >>> kb = KnowledgeBase.from_records([{"id": "Q90", "title": "Paris"}, {"id": "Q84", "title": "London"}])
    >>> gold = [Document("a", "London calls Paris", mentions=(Mention(0, 6, "London", entity="Q84"),))]
    >>> linker = Linker.build(kb)
    >>> evaluate(linker, gold)["accuracy"], evaluate([gold[0].with_mentions(())], gold)["accuracy"]
    (1.0, 0.0)
    """
    measured: Evaluation = EVALUATIONS["links"](
        system.model if isinstance(system, Linker) else system, documents, kb, options or DEFAULT,
        at, end_to_end=end_to_end, n_examples=n_examples, seed=seed, names=names,
    )  # fmt: skip
    return measured
