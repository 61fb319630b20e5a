"""What corrections change besides what they are about: links of a fixed sample, and mentions that were held out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import bdtrc

from deixis.documents.corrections import Correction
from deixis.features.name_set import folded
from deixis.linking.model import LinkerModel
from deixis.linking.options import LinkOptions
from deixis.linking.plan import LinkPlans
from deixis.linking.streams import link_stream
from deixis.training.synthetic import described_mentions, synthetic_mentions
from deixis.types import Document, Mention, MentionInContext

N_DRAWN = 100  # mentions of entities drawn from the knowledge base
N_NAMESAKES = 100  # mentions of entities that have a corrected name, at most
MAX_PROBABILITY = 0.05  # that so many are broken, or mended, if both were as likely


@dataclass(frozen=True)
class Comparison:
    """How many of the same `n` mentions are right before and after a change, and how many it mends and breaks.

    Examples
    --------
    >>> is_right_before = np.array([True] * 9 + [False])
    >>> [Comparison.of(is_right_before, np.arange(10) >= n_broken).is_worse for n_broken in (1, 4, 9)]
    [False, False, True]
    """

    n: int
    n_before: int
    n_after: int
    n_mended: int
    n_broken: int

    @classmethod
    def of(cls, before: NDArray[np.bool_], after: NDArray[np.bool_]) -> Comparison:
        """The comparison of what is right before and after, in the same order."""
        mended, broken = int((after & ~before).sum()), int((before & ~after).sum())
        return cls(len(before), int(before.sum()), int(after.sum()), mended, broken)

    @property
    def is_worse(self) -> bool:
        """Whether more are broken than mended, beyond noise: a one-sided sign test of those that changed."""
        return self._is_beyond_noise(self.n_broken)

    @property
    def is_better(self) -> bool:
        """Whether more are mended than broken, beyond noise, by the same test."""
        return self._is_beyond_noise(self.n_mended)

    def _is_beyond_noise(self, n: int) -> bool:
        """Whether `n` or more of those that changed are improbable if mending and breaking were as likely."""
        return n > 0 and bool(bdtrc(n - 1, self.n_mended + self.n_broken, 0.5) < MAX_PROBABILITY)

    def __str__(self) -> str:
        before, after = (100 * right / max(1, self.n) for right in (self.n_before, self.n_after))
        return f"{before:.1f} % of {self.n:,} right before, {after:.1f} % after"


@dataclass(frozen=True)
class ChangedLinks:
    """How many links of a fixed sample of mentions changed."""

    n_changed: int
    n_sampled: int


def changed_links(before: LinkerModel, after: LinkerModel, corrections: Iterable[Correction]) -> ChangedLinks:
    """How many links of a sample change: mentions drawn from the knowledge base, and those of corrected names.

    For every entity that has a corrected name, its description is a text in which the name means it. No text that was
    corrected is in the sample. The same model and corrections have the same sample.
    """
    sample = [_as_document(mention) for mention in link_sample(before, corrections)]
    pairs = zip(_links(before, sample), _links(after, sample), strict=True)
    return ChangedLinks(sum(old != new for old, new in pairs), len(sample))


def link_sample(model: LinkerModel, corrections: Iterable[Correction]) -> list[MentionInContext]:
    """Mentions of entities drawn at random, and of the entities that have the names of these corrections."""
    drawn, _ = synthetic_mentions(model.kb, N_DRAWN)
    names = {folded(each.surface): each for each in sorted(corrections, key=lambda each: (each.surface, each.text))}
    alias = model.sources.get("alias")
    if alias is None or not names:
        return drawn
    corrected = model.sources.with_kb_names([each.in_context() for each in names.values()])
    ranked = alias.search(corrected, max(1, N_NAMESAKES // len(corrected)))
    owners = np.repeat(np.arange(len(corrected)), np.diff(ranked.indptr))[:N_NAMESAKES]
    return drawn + described_mentions(
        model.kb, [corrected[number].text for number in owners.tolist()], ranked.indices[:N_NAMESAKES]
    )


def _as_document(mention: MentionInContext) -> Document:
    return Document("", mention.document_text, mentions=(Mention(mention.start, mention.end, mention.text),))


def _links(model: LinkerModel, sample: Sequence[Document]) -> list[str | None]:
    return [each.mentions[0].entity for each in link_stream(LinkPlans.of(model, LinkOptions()), sample)]
