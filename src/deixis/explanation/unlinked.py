"""New entities for a knowledge base: what documents mention often and nothing on the list is meant by."""

from __future__ import annotations

import difflib
import hashlib
import itertools
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from anyascii import anyascii

from deixis.candidates.candidate_lists import candidate_lists
from deixis.detection.unlinked_groups import Context, NameGroup, UnlinkedGroups
from deixis.detection.unlinked_names import name_key, stands_for, with_unknown_names
from deixis.errors import ConfigError
from deixis.explanation import MIN_COUNT
from deixis.features.name_set import folded
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.linking.inputs import as_row
from deixis.linking.model import LinkerModel
from deixis.linking.options import LinkOptions
from deixis.linking.plan import LinkPlans
from deixis.linking.streams import link_stream, rank_mentions
from deixis.types import Candidate, Document, MentionInContext

N_EXAMPLES = 3
N_NEAR = 3
N_RANKED = 10  # candidates among which names are compared
MIN_SIMILARITY = 0.85  # of the spelling of a near name
MIN_COMPARED = 5  # code points of names that are compared by spelling
MIN_PART = 0.6  # of a name that another one begins or ends with
MAX_ID = 60
_NOT_IN_ID = re.compile(r"[^a-z0-9]+")


@dataclass(frozen=True, slots=True)
class Example:
    """A text around a mention, from the document with this id."""

    document: str
    text: str


@dataclass(frozen=True, slots=True)
class NewEntity:
    """An entity that the knowledge base may lack, as documents mention it; `near` are entities with similar names.

    Where one of `near` is meant, an alias of that entity is the better answer.

    Examples
    --------
    >>> NewEntity("acme-corp", "Acme Corp", ("Acme",), 3, 2).to_record()
    {'id': 'acme-corp', 'title': 'Acme Corp', 'aliases': ['Acme'], 'count': 3, 'documents': 2}
    """

    id: str
    title: str
    aliases: tuple[str, ...]
    n_mentions: int
    n_documents: int
    examples: tuple[Example, ...] = field(default=())
    near: tuple[Candidate, ...] = field(default=())

    def to_record(self) -> dict[str, Any]:
        """The native record of an entity; `documents`, `examples` and `near` are ignored where entities are read."""
        record: dict[str, Any] = {"id": self.id, "title": self.title}
        if self.aliases:
            record["aliases"] = list(self.aliases)
        record |= {"count": self.n_mentions, "documents": self.n_documents}
        if self.examples:
            record["examples"] = [{"document": each.document, "text": each.text} for each in self.examples]
        if self.near:
            record["near"] = [{"id": each.id, "title": each.title} for each in self.near]
        return record


def unlinked(
    model: LinkerModel,
    texts: Iterable[str | Document | None],
    options: LinkOptions,
    is_linked: bool = False,
    min_count: int = MIN_COUNT,
    top: int | None = None,
) -> list[NewEntity]:
    """What texts mention and nothing on the list is meant by, the most frequent first, at most `top`.

    With `is_linked` the texts are documents linked before.
    """
    for name, value in (("min_count", min_count), ("top", top)):
        if value is not None and (type(value) is not int or value < 1):
            raise ConfigError(f"{name} must be a whole number of at least 1, got {value!r}.")
    documents = (as_row(text, number) for number, text in enumerate(texts))
    counted = UnlinkedGroups()
    for document in map(completed, documents) if is_linked else link_with_unknown(model, documents, options):
        counted.add(document)
    return new_entities(model, itertools.islice(counted.groups(min_count), top))


def link_with_unknown(model: LinkerModel, documents: Iterable[Document], options: LinkOptions) -> Iterator[Document]:
    """Linked documents as they come; where mentions are detected, with names that nothing is known of as NIL."""
    before, to_link = itertools.tee(documents)
    for document, linked in zip(before, link_stream(LinkPlans.of(model, options), to_link), strict=True):
        yield linked if document.mentions else with_unknown_names(linked)


def completed(linked: Document) -> Document:
    """A document linked before; if its mentions were detected, with names that nothing is known of as NIL."""
    is_detected = not linked.mentions or any(mention.mention_score is not None for mention in linked.mentions)
    return with_unknown_names(linked) if is_detected else linked


def new_entities(model: LinkerModel, groups: Iterable[NameGroup]) -> list[NewEntity]:
    """The groups as entities to add, in this order."""
    own = list(groups)
    ids = unique_ids(model.kb, [group.title for group in own])
    return [
        NewEntity(identifier, group.title, tuple(group.aliases), group.n_mentions, group.n_documents,
                  tuple(Example(each.document_id, each.example) for each in group.contexts[:N_EXAMPLES]), candidates)
        for identifier, group, candidates in zip(ids, own, _near(model, own), strict=True)
    ]  # fmt: skip


def unique_ids(kb: KnowledgeBase, titles: Iterable[str]) -> list[str]:
    """A readable id of each title that neither the knowledge base nor a title before has.

    Examples
    --------
    >>> kb = KnowledgeBase.from_records([{"id": "acme", "title": "Acme"}])
    >>> unique_ids(kb, ["Łódź Works", "Acme", "Łódź works"])
    ['lodz-works', 'acme-2', 'lodz-works-2']
    """
    taken: set[str] = set()
    ids = []
    for title in titles:
        words = _NOT_IN_ID.sub("-", anyascii(title).lower())[:MAX_ID].strip("-")
        slug = words or f"entity-{hashlib.blake2b(title.encode(errors='replace'), digest_size=4).hexdigest()}"
        numbered = itertools.chain([slug], (f"{slug}-{number}" for number in itertools.count(2)))
        ids.append(next(each for each in numbered if each not in taken and kb.row_of(each) is None))
        taken.add(ids[-1])
    return ids


def _near(model: LinkerModel, groups: list[NameGroup]) -> list[tuple[Candidate, ...]]:
    """For each group the entities whose names are similar to its own, the most similar first."""
    mentions = [_in_context(group.contexts[0], group) for group in groups]
    ranked = candidate_lists(model.kb, rank_mentions(model, mentions, N_RANKED)) if groups else []
    near = []
    for group, candidates in zip(groups, ranked, strict=True):
        similarities = {each: _similarity(group, _names_of(model.kb, each)) for each in candidates}
        best = [each for each in candidates if similarities[each] >= MIN_SIMILARITY]
        near.append(tuple(sorted(best, key=lambda each: -similarities[each])[:N_NEAR]))
    return near


def _in_context(context: Context, group: NameGroup) -> MentionInContext:
    """The title of a group in place of its first mention."""
    text = context.example[: context.start] + group.title + context.example[context.start + context.length :]
    return MentionInContext(group.title, text, context.start, context.start + len(group.title))


def _similarity(group: NameGroup, names: list[str]) -> float:
    """How similar the title of a group is to the most similar of these names; its other names must be equal."""
    keys = {name_key(alias) for alias in group.aliases}
    return max(1.0 if name_key(name) in keys else _name_similarity(group.title, name) for name in names)


def _name_similarity(name: str, other: str) -> float:
    """1 for names that count as one; otherwise by spelling, or by how much of a name another begins or ends with."""
    own, theirs = name_key(name), name_key(other)
    if own and own == theirs:
        return 1.0
    lengths = sorted((len(name), len(other)))
    if lengths[0] < MIN_COMPARED:
        return 0.0
    if (stands_for(own, theirs) or stands_for(theirs, own)) and lengths[0] >= MIN_PART * lengths[1]:
        return MIN_SIMILARITY
    matcher = difflib.SequenceMatcher(None, folded(name), folded(other), autojunk=False)
    return matcher.ratio() if matcher.quick_ratio() >= MIN_SIMILARITY else 0.0


def _names_of(kb: KnowledgeBase, candidate: Candidate) -> list[str]:
    row = kb.row_of(candidate.id)
    return [candidate.title] if row is None else kb.names_of(row)
