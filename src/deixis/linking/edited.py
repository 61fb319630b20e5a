"""A model of a list with edits: the built parts, and small ones over the entities added or edited since.

A model with edits is made from the built one and from the edits alone, so taking an edit back is making it with fewer:
the answers are the same as before. Added entities lie in parts (`kb.edited_list`), of which a change makes only small
ones anew; how they are parted changes no answer.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from deixis.candidates.combined import CandidateSources
from deixis.candidates.edited_sources import check_extensible, edited_sources, tree_curve
from deixis.detection.name_edits import NameEdits
from deixis.kb.edited import EditedKnowledgeBase
from deixis.kb.edited_list import EditedList
from deixis.kb.edits import EntityEdits
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.linking.added_parts import AddedParts
from deixis.linking.corrected import with_corrections, without_corrections
from deixis.linking.corrections import Corrections, known_to
from deixis.linking.edited_names import edited_detector
from deixis.linking.model import LinkerModel
from deixis.store.lazy_part import LazyPart


def with_edits(model: LinkerModel, edits: EntityEdits) -> LinkerModel:
    """The model with these edits to the list it was built from, in place of those it had; corrections stay.

    Corrections that name an entity which is not there any more do not count.
    """
    built = model.kb if model.built is None else model.built.kb
    edited = EditedList.of(built) if model.added is None else model.added.edited
    return with_list(model, edited.updated(edits.by_id()))


def with_list(model: LinkerModel, edited_list: EditedList) -> LinkerModel:
    """The same, with the list that edits make; what the model has made of its parts is not made again."""
    built = without_edits(model)
    corrections, refitted = model.corrections, model.uncorrected_weights
    kb = edited_list.kb
    if not isinstance(kb, EditedKnowledgeBase):
        return _corrected(built, built.kb, corrections, model if refitted else None)
    check_extensible(built.sources)
    added = AddedParts.of(built, edited_list, model.added)
    words, part_sources = added.words(built), [part.sources for part in added.parts]
    sources = edited_sources(built.sources, kb, part_sources, words, added.name_vectorizer, _curve(built.sources))
    edited = replace(
        built,
        kb=kb,
        detector=edited_detector(built, added, sources),
        sources=sources,
        ranker=replace(built.ranker, facts=added.facts(built, words)),
        reranker=None if built.reranker is None else replace(built.reranker, part=_over(built.reranker.part, kb)),
        reader=None if built.reader is None else replace(built.reader, part=_over(built.reader.part, kb)),
        built=built,
        added=added,
    )
    return _corrected(edited, kb, corrections, model if refitted else None)


def without_edits(model: LinkerModel) -> LinkerModel:
    """The model of the built list, before edits and corrections, with all that it learned since."""
    model = without_corrections(model)
    built = model.built
    if built is None:
        return model
    scorer = replace(model.detector.scorer, facts=built.detector.scorer.facts)
    return replace(
        model,
        kb=built.kb,
        detector=replace(model.detector, scorer=scorer, edits=NameEdits()),
        sources=built.sources,
        ranker=replace(model.ranker, facts=built.ranker.facts),
        reranker=None if model.reranker is None else replace(model.reranker, part=_over(model.reranker.part, built.kb)),
        reader=None if model.reader is None else replace(model.reader, part=_over(model.reader.part, built.kb)),
        built=None,
        added=None,
    )


def _corrected(
    model: LinkerModel, kb: KnowledgeBase, corrections: Corrections, refitted: LinkerModel | None
) -> LinkerModel:
    """The model with those corrections that name entities of `kb`, and the weights that they refitted, if they did."""
    known = Corrections(tuple(known_to(kb, corrections.each)))
    if not known.each:
        return model
    corrected = with_corrections(model, known)
    if refitted is None:
        return corrected
    ranker = corrected.ranker.with_weights(refitted.ranker.weights)
    return replace(corrected, ranker=ranker, uncorrected_weights=refitted.uncorrected_weights)


def _over(part: Any, kb: KnowledgeBase) -> Any:  # noqa: ANN401 - a re-ranker or reader, opened or not
    """The same re-ranker or reader over another knowledge base; one that is not open yet stays so."""
    if isinstance(part, LazyPart):
        return part.changed(lambda opened: opened.with_kb(kb))
    return part.with_kb(kb)


_CURVES: WeakKeyDictionary[CandidateSources, NDArray[np.float32]] = WeakKeyDictionary()


def _curve(built: CandidateSources) -> NDArray[np.float32]:
    """What the tree scores by the similarity of names, measured once for each built model."""
    if built not in _CURVES:
        _CURVES[built] = tree_curve(built)
    return _CURVES[built]
