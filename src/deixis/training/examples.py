"""What the ranker learns from: the candidates of mentions whose entity is known, as the model proposes them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from deixis.candidates.annotated import annotated_documents, known_mentions
from deixis.features.name_set import NameSet
from deixis.gold import is_gold
from deixis.learners.listwise import TrainingExamples
from deixis.linking.batching import mention_batches
from deixis.linking.model import LinkerModel
from deixis.linking.seen_documents import SeenDocuments
from deixis.progress import stage
from deixis.ranking.weights import fit_feature_weights
from deixis.types import Document, MentionInContext


def training_examples(
    model: LinkerModel, mentions: Sequence[MentionInContext], gold: Sequence[Sequence[int]]
) -> TrainingExamples:
    """The candidates of mentions, as features, with what corrections say of them; all rows of `gold` are right."""
    parts = []
    for batch in mention_batches(mentions):
        own = model.sources.with_kb_names(mentions[batch])
        table = model.sources.propose(own)
        is_right = is_gold(table.mention_numbers, table.rows, gold[batch])
        features, corrected = model.ranker.features(own, table), model.ranker.corrected.log_odds(own, table)
        parts.append(TrainingExamples(table.starts, features.values, is_right, features.names, corrected))
    return TrainingExamples.joined(parts)


def fit_weights(model: LinkerModel, documents: Iterable[Document]) -> LinkerModel:
    """The model with weights learned from annotated documents that it was not trained on otherwise.

    They hold for names that were seen annotated; of other names the weights before know more.
    """
    if model.config.ranking.weights != "auto":
        return model
    annotated = annotated_documents(documents)
    with stage("fitting the weights of features"):
        known = list(known_mentions(model.kb, annotated))
        examples = training_examples(model, [mention for mention, _ in known], [rows for _, rows in known])
        weights = fit_feature_weights([examples], model.config.ranking.penalty, model.ranker.weights)
    names = NameSet.of(mention.text for mention in model.sources.with_kb_names([mention for mention, _ in known]))
    seen = model.seen | SeenDocuments.of(annotated)
    return replace(model, ranker=model.ranker.with_fitted_weights(weights, names), seen=seen)
