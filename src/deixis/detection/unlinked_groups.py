"""Unlinked names of many documents, grouped: what is one name, and where one name means two things.

Documents are read once. Of each name its writings are counted and a few contexts kept, those with the smallest hashes:
the same ones whatever the order of the documents.
"""

from __future__ import annotations

import hashlib
import itertools
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

import numpy as np

from deixis.detection.context_groups import N_WORDS, context_groups, word_numbers
from deixis.detection.unlinked_names import Key, UnlinkedName, stands_for, unlinked_names
from deixis.types import Document, MentionInContext

MAX_CONTEXTS = 32  # kept of each name
WINDOW = 300  # code points of a context
SHOWN_WINDOW = 120  # of an example
MAX_ALONE = 2  # documents with a short name alone, for each in which it stands for a longer one
MIN_SPELLING = 8  # letters of names that may differ by one
Pair = tuple[Key, Key]
"""What a writing stands for in its document, and its own key."""


@dataclass(frozen=True, slots=True, order=True)
class Context:
    """A document in which a name is mentioned: its number of mentions there, the words around the first, an example."""

    hash: int
    is_short: int  # 1 if the example has a short form of the name
    document_id: str
    example: str
    words: tuple[int, ...]
    start: int  # of the name in the example
    length: int
    n_mentions: int


@dataclass(frozen=True)
class NameGroup:
    """Mentions that are taken for one thing: how it is written, how often, and in how many documents.

    `key` is that of the whole name; `pairs` has each writing with what it stood for in its document.
    `surfaces` has each writing of the whole name with its count, `short_surfaces` those of shorter names and of
    short forms that stand for it.
    """

    key: Key
    pairs: frozenset[Pair]
    surfaces: dict[str, int]
    short_surfaces: dict[str, int]
    n_mentions: int
    n_documents: int
    contexts: tuple[Context, ...]

    @property
    def title(self) -> str:
        """The most frequent writing of the whole name, with capitals where a text has them."""
        return max(self.surfaces, key=lambda name: (_has_case(name), self.surfaces[name], -len(name), name))

    @property
    def aliases(self) -> list[str]:
        """The other writings, the most frequent first; what differs by case or a plural is left out."""
        counts = Counter(self.surfaces) + Counter(self.short_surfaces)
        title = self.title.casefold()
        seen, aliases = {title, f"{title}s", f"{title}es"}, []
        for name in sorted(counts, key=lambda name: (-counts[name], not _has_case(name), name)):
            if name.casefold() not in seen:
                seen.add(name.casefold())
                aliases.append(name)
        return aliases


@dataclass
class _Name:
    """What is counted of one writing of a name, or of several."""

    surfaces: Counter[str] = field(default_factory=Counter)
    long_forms: Counter[str] = field(default_factory=Counter)
    n_mentions: int = 0
    n_documents: int = 0
    n_without_whole: int = 0  # documents that do not write the whole name
    contexts: dict[int, Context] = field(default_factory=dict)

    def add(self, names: list[UnlinkedName], context: Context, has_whole: bool) -> None:
        self.surfaces.update(name.surface for name in names)
        self.long_forms.update(name.long_form for name in names if name.long_form)
        self.n_mentions += len(names)
        self.n_documents += 1
        self.n_without_whole += not has_whole
        self.keep([context])

    def keep(self, contexts: Iterable[Context]) -> None:
        """Add contexts; of too many, those with the smallest hashes stay."""
        for context in contexts:
            own = self.contexts.get(context.hash)
            n_mentions = context.n_mentions + (own.n_mentions if own else 0)
            self.contexts[context.hash] = replace(min(own, context) if own else context, n_mentions=n_mentions)
        while len(self.contexts) > MAX_CONTEXTS:
            del self.contexts[max(self.contexts)]


class UnlinkedGroups:
    """Counts the unlinked names of linked documents, one document after the other, and groups them.

    Examples
    --------
    >>> from deixis.types import Mention
    >>> groups = UnlinkedGroups()
    >>> for number, text in enumerate(["Acme Corp sells. Acme buys.", "Acme Corporation"]):
    ...     spans = [(0, 9), (17, 21)] if number == 0 else [(0, 16)]
    ...     mentions = tuple(Mention(start, end, text[start:end], is_nil=True) for start, end in spans)
    ...     groups.add(Document(str(number), text, mentions=mentions))
    >>> [(group.title, group.aliases, group.n_mentions, group.n_documents) for group in groups.groups(min_count=2)]
    [('Acme Corp', ['Acme', 'Acme Corporation'], 3, 2)]
    """

    def __init__(self) -> None:
        self._names: dict[Pair, _Name] = {}
        self._n_documents_by_word = np.zeros(N_WORDS, dtype=np.int64)
        self.n_documents = 0

    def add(self, document: Document) -> None:
        """Count the unlinked names of one more linked document."""
        self.n_documents += 1
        self._n_documents_by_word[list(set(word_numbers(document.text)))] += 1
        names = sorted(unlinked_names(document), key=lambda name: (name.key, name.own_key))
        whole = {name.key for name in names if name.own_key == name.key}
        for pair, group in itertools.groupby(names, key=lambda name: (name.key, name.own_key)):
            own = list(group)
            self._names.setdefault(pair, _Name()).add(own, _context(document, own), pair[0] in whole)

    def groups(self, min_count: int = 1) -> Iterator[NameGroup]:
        """The groups with at least so many mentions, the most frequent first."""
        pairs_of: dict[Key, list[Pair]] = {}
        for pair, target in sorted(self._targets().items()):
            pairs_of.setdefault(target, []).append(pair)
        groups = [
            group
            for key, pairs in pairs_of.items()
            if sum(self._names[pair].n_mentions for pair in pairs) >= min_count
            for group in self._split(key, pairs)
            if group.n_mentions >= min_count
        ]
        yield from sorted(groups, key=lambda group: (-group.n_mentions, -group.n_documents, group.key, group.contexts))

    def _targets(self) -> dict[Pair, Key]:
        """For each writing the name it is counted under: its own, a longer one, or one of similar spelling."""
        spelled = _representatives({key: name.n_mentions for (key, own), name in self._names.items() if key == own})
        longer_of: dict[Key, dict[Key, int]] = {}
        defined: set[Key] = set()
        for (key, own), name in self._names.items():
            if key != own:
                longer = spelled.get(key, key)
                longer_of.setdefault(own, {}).setdefault(longer, 0)
                longer_of[own][longer] += name.n_documents
                defined |= {own} if name.long_forms else set()
        # DNA is no short name of Genomic DNA: it mostly stands alone. What a text defines holds in any case.
        is_independent = {
            own: own not in defined and self._n_alone(own) > MAX_ALONE * sum(n_together.values())
            for own, n_together in longer_of.items()
        }
        whole = {
            key: min(longer_of[key]) if len(longer_of.get(key, ())) == 1 and not is_independent[key] else spelled[key]
            for key in spelled
        }
        return {(key, own): _root(own if key == own or is_independent[own] else key, whole) for key, own in self._names}

    def _n_alone(self, key: Key) -> int:
        """Documents in which a name stands for itself."""
        return self._names[key, key].n_documents if (key, key) in self._names else 0

    def _split(self, key: Key, pairs: list[Pair]) -> Iterator[NameGroup]:
        """The name as one group, or as several where its contexts clearly have nothing in common."""
        surfaces, short, long_forms, merged = Counter[str](), Counter[str](), Counter[str](), _Name()
        n_mentions = n_documents = 0
        for pair in pairs:
            name = self._names[pair]
            is_whole = pair[1] == key or not (stands_for(pair[1], key) or pair[0] != pair[1])
            (surfaces if is_whole else short).update(name.surfaces)
            long_forms.update(name.long_forms)
            n_mentions += name.n_mentions
            has_whole = pair[0] != pair[1] and (pair[0], pair[0]) in pairs
            n_documents += name.n_without_whole if has_whole else name.n_documents
            merged.keep(name.contexts.values())
        surfaces = surfaces or long_forms or short
        contexts = sorted(merged.contexts.values())
        parts = context_groups([context.words for context in contexts], self._n_documents_by_word, self.n_documents)
        n_kept = sum(context.n_mentions for context in contexts)
        for part in parts:
            own = tuple(contexts[number] for number in part)
            fraction = sum(context.n_mentions for context in own) / n_kept
            yield NameGroup(
                key, frozenset(pairs), dict(surfaces), dict(short), round(n_mentions * fraction),
                round(n_documents * len(own) / len(contexts)), own,
            )  # fmt: skip


def _context(document: Document, names: list[UnlinkedName]) -> Context:
    """The first mention of a name in a document, with its surroundings."""
    first = min(names, key=lambda name: name.start)
    around = MentionInContext(first.surface, document.text, first.start, first.end).context(WINDOW)
    own_words = set(word_numbers(" ".join((*first.key, first.surface))))
    words = tuple(sorted(set(word_numbers(around)) - own_words))
    left = document.text[max(0, first.start - SHOWN_WINDOW // 2) : first.start]
    right = document.text[first.end : first.end + SHOWN_WINDOW // 2]
    left, right = _from_word(left, first.start > SHOWN_WINDOW // 2), _to_word(right)
    before, after = (" ".join(part.split()) for part in (left, right))
    before, after = before + " " * left[-1:].isspace() * bool(before), " " * right[:1].isspace() * bool(after) + after
    digest = hashlib.blake2b(f"{document.id}\0{document.text}".encode(errors="replace"), digest_size=8)
    is_short = int(first.key != first.own_key)
    return Context(
        int.from_bytes(digest.digest()), is_short, document.id, before + first.surface + after, words, len(before),
        len(first.surface), len(names),
    )  # fmt: skip


def _from_word(text: str, is_cut: bool) -> str:
    cut = text.split(maxsplit=1) if is_cut and not text[:1].isspace() else ["", text]
    return cut[1] if len(cut) == 2 else text


def _to_word(text: str) -> str:
    cut = text.rsplit(maxsplit=1) if len(text) == SHOWN_WINDOW // 2 and not text[-1].isspace() else [text]
    return cut[0] if len(cut) == 2 else text


def _representatives(key_to_count: dict[Key, int]) -> dict[Key, Key]:
    """For each name the one it is a spelling of: of long names that differ in one letter, the most frequent."""
    representative = {key: key for key in key_to_count}
    spelling_to_key: dict[str, Key] = {}
    for key in sorted(key_to_count, key=lambda key: (-key_to_count[key], key)):
        spelling = "".join(key)
        variants = _variants(spelling) if len(spelling) >= MIN_SPELLING else {spelling}
        other = next((spelling_to_key[each] for each in sorted(variants) if each in spelling_to_key), None)
        if other is None:
            spelling_to_key.update(dict.fromkeys(variants, key))
        else:
            representative[key] = other
    return representative


def _root(key: Key, targets: dict[Key, Key]) -> Key:
    """Where a name ends that stands for another, which may stand for a third."""
    seen = [key]
    while targets.get(seen[-1], seen[-1]) not in seen:
        seen.append(targets[seen[-1]])
    return seen[-1]


def _variants(spelling: str) -> set[str]:
    """The spelling, and what is left of it without one letter; two that share one differ by a letter or its place."""
    letters = [number for number, character in enumerate(spelling) if character.isalpha()]
    return {spelling} | {spelling[:number] + spelling[number + 1 :] for number in letters}


def _has_case(name: str) -> bool:
    """Whether a name is written with capitals and small letters, or is too short to tell."""
    return not name.islower() and not (name.isupper() and len(name) > 5)
