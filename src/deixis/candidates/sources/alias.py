"""Candidates from an alias table: the entities a name is known to mean, by how often it means them.

After Farhan, 2024, "Multilingual Entity Linking Using Dense Retrieval", section 3.3, which counts linked mentions. Here
the names and counts of the knowledge base come first, so a table is of use before anything is annotated:
p(entity | alias) = (n(alias, entity) + s * q(entity | alias)) / (n(alias) + s), where n counts annotated mentions, q is
the share by the knowledge base's own weights (`weighted_names`), and s says how many mentions those are worth.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deixis.candidates.mention_batch import MentionBatch
from deixis.candidates.source import CandidateSource, SourceInputs
from deixis.candidates.weighted_names import AliasNames
from deixis.config import Config, setting
from deixis.features.acronyms import acronym_of_mention, acronyms
from deixis.features.name_forms import NameForms, NameFormsConfig
from deixis.features.stated_names import StatedNames
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.native import _core
from deixis.nearest.alias_table import KeyEntries, KeyTable
from deixis.nearest.best_rows import best_rows
from deixis.progress import stage
from deixis.store.scratch import GrowingArray
from deixis.store.sparse_rows_builder import row_chunks
from deixis.store.string_hashes import hash_strings
from deixis.store.strings import StringTable, StringTableBuilder
from deixis.tables import CandidateTable, EntityMask, FlatRows
from deixis.types import Document, MentionInContext, base_language

_ACRONYM = "\x1f"  # before the keys of acronyms: a mention meets them only if it is written like one
_UNCASED = np.uint32(0xFFFF)
_VARIANT = "\x1e"  # before the keys of names in another number or spelling
_NO_LANG = -1
MIN_VARIANT = 4  # characters of a name that is also known in another number or spelling


@dataclass(frozen=True)
class AliasConfig(Config):
    """Which names are the same, which count for a mention, and for how much."""

    forms: NameFormsConfig = field(default_factory=NameFormsConfig.loose)
    all_languages: bool = setting(True, "Names of every language count; else those of the mention's and of none.")
    max_entities: int = setting(0, "Entities kept for each alias; 0: all.", low=0)
    title_weight: float = setting(2.0, "What a title counts against an alias, which counts 1.", above=0, is_fixed=True)
    kb_strength: float = setting(
        0.5, "How many annotated mentions of an alias the knowledge base's names are worth.", above=0, is_fixed=True
    )
    close_share: float = setting(
        0.5,
        "Share of the prior that names in the mention's own words, then in its case, decide alone.",
        low=0,
        high=1,
        is_fixed=True,
    )
    acronym_weight: float = setting(
        0.1, "Weight of the acronym of a name, where the name has 1; 0: no acronyms.", low=0, high=1
    )
    stated_weight: float = setting(
        0.5,
        "Weight of a name that the description states, where an alias has 1; 0: none.",
        low=0,
        high=1,
        is_fixed=True,
    )
    k: int = setting(100, "Candidates by exact names.", low=1)


class AliasSource(CandidateSource):
    """Finds the entities that have a mention's text for a name.

    Examples
    --------
    >>> kb = KnowledgeBase.from_records([
    ...     {"id": "Q90", "title": "Paris", "count": 30}, {"id": "Q167646", "title": "Paris", "count": 8}])
    >>> source = AliasSource.build(SourceInputs(kb))
    >>> candidates = source.generate([MentionInContext("PARIS", "PARIS", 0, 5)], k=5)[0]
    >>> [(candidate.id, round(candidate.score, 2)) for candidate in candidates]
    [('Q90', 0.76), ('Q167646', 0.24)]
    """

    name = "alias"
    config_type = AliasConfig

    def __init__(
        self,
        kb: KnowledgeBase,
        table: KeyTable,
        langs: tuple[str, ...],
        config: AliasConfig,
        further: KeyTable | None = None,
    ) -> None:
        self.kb = kb
        self.table = table
        self.further = further
        self.langs = langs
        self.config = config
        self.forms = NameForms(config.forms)
        self._lang_to_code = {lang: code for code, lang in enumerate(langs)}

    @classmethod
    def build(cls, inputs: SourceInputs, config: AliasConfig | None = None) -> AliasSource:
        """A table of the names of the knowledge base and of annotated mentions; deterministic."""
        config = config or AliasConfig()
        with stage("making a table of names"):
            stated = inputs.stated if config.stated_weight else None
            table, langs = _table(inputs.counted_kb, inputs.documents, stated, config, inputs.n_threads)
        return cls(inputs.kb, table, langs, config)

    def extend(self, added: SourceInputs) -> AliasSource:
        """A table of the new entities' names; p(entity | alias) is among the new entities."""
        stated = added.stated if self.config.stated_weight else None
        config = replace(self.config, max_entities=0)  # namesakes of other parts may have a larger claim
        table, langs = _table(added.counted_kb, (), stated, config, 1, self.langs)
        return AliasSource(added.kb, table, langs, self.config)

    def with_mentions(self, mentions: Sequence[MentionInContext], rows: Sequence[int]) -> AliasSource:
        """The same table, in which entities have the names of these mentions as aliases; none are stored.

        Beside entities that have the name, another one is a candidate with a prior of 0, and one that has it has it no
        more often: what was meant here says little of other texts.

        Examples
        --------
        >>> kb = KnowledgeBase.from_records([{"id": "Q90", "title": "Paris"}, {"id": "Q167646", "title": "Alexander"}])
        >>> paris = MentionInContext("Paris", "Paris fled.", 0, 5)
        >>> source = AliasSource.build(SourceInputs(kb)).with_mentions([paris, paris], rows=[0, 1])
        >>> [round(candidate.score, 2) for candidate in source.generate([paris], k=2)[0]]
        [1.0, 0.0]
        """
        plain = AliasSource(self.kb, self.table, self.langs, self.config)
        starts, named_rows, _ = plain._meanings(MentionBatch.of(mentions))
        numbers = np.repeat(np.arange(len(mentions)), np.diff(starts))
        known = set(zip(numbers.tolist(), named_rows.tolist(), strict=True))
        named = {number for number, _ in known}
        new = {
            (mention.text, mention.lang, row, number in named)
            for number, (mention, row) in enumerate(zip(mentions, rows, strict=True))
            if (number, row) not in known
        }
        if not new:
            return plain
        in_order = sorted(new, key=lambda each: (each[0], each[1] or "", each[2]))
        texts, langs, new_rows, has_namesakes = (list(column) for column in zip(*in_order, strict=True))
        n, is_one_of_many = len(texts), np.array(has_namesakes)
        codes = [0 if self.config.all_languages else self._code(lang) for lang in langs]
        spellings = _spellings(texts, 1)
        entries = KeyEntries(
            np.arange(n), np.array(new_rows, dtype=np.int32), np.array(codes, dtype=np.int16),
            np.where(is_one_of_many, ~spellings, spellings),  # never closer to a mention than names that were there
            (~is_one_of_many).astype(np.float32), np.zeros(n, dtype=np.float32),
        )  # fmt: skip
        further = KeyTable.build(self.forms.keys(texts, langs, n_threads=1), entries, len(self.kb))
        return AliasSource(self.kb, self.table, self.langs, self.config, further)

    @property
    def reads_context(self) -> bool:
        """Names alone are compared."""
        return False

    def search(self, mentions: Sequence[MentionInContext], k: int, mask: EntityMask | None = None) -> FlatRows:
        """mentions_by_entities: p(entity | alias) of the likeliest `k` rows for each mention, stored best first."""
        self.check_search(k, mask)
        starts, rows, priors = self._meanings(MentionBatch.of(mentions))
        if mask is not None:
            is_kept = mask[rows]
            n_kept = np.concatenate([np.zeros(1, np.int64), is_kept.cumsum()])
            starts, rows, priors = n_kept[starts], rows[is_kept], priors[is_kept]
        return best_rows(CandidateTable(starts, rows, {}), priors, k, len(self.kb))

    def _meanings(self, batch: MentionBatch) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float32]]:
        """Where the rows that bear each mention's name begin, the rows, which rise, and p(entity | alias) of each."""
        mention_keys = self.forms.keys(batch.table, batch.langs, n_threads=1)
        parts = [self._find(mention_keys)]
        if self.further is not None:
            parts.append(self.further.find(mention_keys))
        short = [acronym_of_mention(text) for text in batch.texts] if self.config.acronym_weight else []
        if any(short):
            parts.append(self._find(StringTable.from_strings([_ACRONYM + text if text else "" for text in short])))
        entries = KeyEntries.joined(parts) if len(parts) > 1 else parts[0]
        if not self.config.all_languages:
            lang_codes = np.array([self._code(lang) for lang in batch.langs], dtype=np.int64)[entries.keys]
            entries = entries.take(
                (entries.kinds == lang_codes) | (entries.kinds == _NO_LANG) | (lang_codes == _NO_LANG)
            )
        return entries.shares(_spellings(batch.table, 1), self.config.kb_strength, self.config.close_share)

    def kb_names(self, mentions: Sequence[MentionInContext]) -> list[str]:
        """The text of each mention, or the name on the list that it is in another number, spelling or accents.

        A single word with a capital within a sentence stays as it is: Rangers are a team, a ranger is none of it.

        Examples
        --------
        >>> kb = KnowledgeBase.from_records([{"id": "D9", "title": "Tumors"}, {"id": "D6", "title": "Nerves, Optic"}])
        >>> texts = ["tumour", "the optic nerve", "optic nerve", "tümors"]
        >>> AliasSource.build(SourceInputs(kb)).kb_names([MentionInContext(text, text, 0, 1) for text in texts])
        ['Tumors', 'the optic nerve', 'Nerves, Optic', 'Tumors']
        """
        texts = [mention.text for mention in mentions]
        table = StringTable.from_strings(texts)
        keys = self.forms.keys(table, [mention.lang for mention in mentions], n_threads=1)
        entries = self._find(keys)
        known = set(entries.keys.tolist())
        uncased = _spellings(table, n_threads=1) & _UNCASED
        is_same = entries.spellings & _UNCASED == uncased[entries.keys]
        same = set(entries.keys[is_same].tolist())
        if same != known:
            others = np.array([number not in same for number in entries.keys.tolist()], dtype=bool)
            for number, name in self._best_known(keys, entries.take(others)):
                texts[number] = name
        if self.further is not None:
            known.update(self.further.find(keys).keys.tolist())
        unknown = [number for number, each in enumerate(mentions) if number not in known and not is_proper(each)]
        if not unknown:
            return texts
        for position, name in self._variant_names([texts[number] for number in unknown]):
            texts[unknown[position]] = name
        return texts

    def _best_known(self, keys: StringTable, entries: KeyEntries) -> Iterator[tuple[int, str]]:
        """The number of each key, and a name of its best known entity that has this key, if it has one itself."""
        entries = entries.take(np.argsort(-(entries.counts + entries.weights), kind="stable"))
        numbers, firsts = np.unique(entries.keys, return_index=True)
        names_of = [self.kb.names_of(row) for row in entries.rows[firsts].tolist()]
        names = [name for own in names_of for name in own]
        name_keys = iter(self.forms.keys(names, n_threads=1).strings(range(len(names))))
        for number, own in zip(numbers.tolist(), names_of, strict=True):
            key_to_name = {key: name for name, key in reversed([(name, next(name_keys)) for name in own])}
            if keys[number] in key_to_name:
                yield number, key_to_name[keys[number]]

    def _variant_names(self, texts: Sequence[str]) -> Iterator[tuple[int, str]]:
        """The number of each text that is a name in another number or spelling, and that name."""
        variants = [next(_variants(text), "") for text in texts]
        keys = self.forms.keys(variants, n_threads=1)
        marked = StringTable.from_strings([_VARIANT + key if key else "" for key in keys])
        named: set[int] = set()
        for entries in (self._find(keys), self._find(marked)):
            # Of several entities the last one's name counts: it is looked for first.
            for number, row in zip(entries.keys[::-1].tolist(), entries.rows[::-1].tolist(), strict=True):
                if number in named:
                    continue
                name = next((name for name in self.kb.names_of(row) if variants[number] in _variants(name)), None)
                if name is not None:
                    named.add(number)
                    yield number, name

    def has_name(self, names: Sequence[str]) -> NDArray[np.bool_]:
        """Whether each name is that of an entity, in this or another number or spelling."""
        stemmed = [next(_variants(name), "") for name in names]
        variants = self.forms.keys(stemmed, n_threads=1)
        marked = StringTable.from_strings([_VARIANT + key if key else "" for key in variants])
        has_name = np.zeros(len(names), dtype=bool)
        for keys in (self.forms.keys(names, n_threads=1), variants, marked):
            has_name[self._find(keys).keys] = True
        return has_name

    def namesakes(self, names: Sequence[str]) -> list[NDArray[np.int64]]:
        """The rows of the entities that have each name."""
        entries = self._find(self.forms.keys(names, n_threads=1))
        order = np.argsort(entries.keys, kind="stable")
        starts = np.searchsorted(entries.keys[order], np.arange(len(names) + 1))
        return [
            np.unique(entries.rows[order[first:last]]).astype(np.int64) for first, last in pairwise(starts.tolist())
        ]

    def _find(self, keys: StringTable) -> KeyEntries:
        """The entries of keys by the names of the knowledge base and of annotated documents."""
        return self.table.find(keys)

    def _code(self, lang: str | None) -> int:
        """The number of a mention's language: -1 is none, so all names count; one unheard of has no names."""
        own = base_language(lang or self.config.forms.lang)
        return self._lang_to_code.get(own, len(self.langs)) if own else _NO_LANG

    def to_arrays(self, prefix: str) -> dict[str, NDArray[Any]]:
        """The table as arrays under names that begin with `prefix`."""
        return self.table.to_arrays(f"{prefix}.table") | StringTable.from_strings(self.langs).to_arrays(
            f"{prefix}.langs"
        )

    @classmethod
    def from_arrays(
        cls,
        arrays: Mapping[str, NDArray[Any]],
        prefix: str,
        inputs: SourceInputs,
        config: AliasConfig | None = None,
    ) -> AliasSource:
        """The source `to_arrays` gave, over the knowledge base it was built from; opened, not read."""
        table = KeyTable.from_arrays(arrays, f"{prefix}.table", n_entities=len(inputs.kb))
        langs = tuple(StringTable.from_arrays(arrays, f"{prefix}.langs"))
        return cls(inputs.kb, table, langs, config or AliasConfig())


def _table(
    kb: KnowledgeBase,
    annotated: Iterable[Document],
    stated: StatedNames | None,
    config: AliasConfig,
    n_threads: int,
    langs: Sequence[str] = (),
) -> tuple[KeyTable, tuple[str, ...]]:
    """All names with their weights and counts, and the languages of the names: `langs` and any others after them."""
    known = AliasNames.collect(kb, annotated, config.title_weight)
    lang_to_code = {"": _NO_LANG} | {lang: code for code, lang in enumerate(langs)}
    kinds = np.zeros(len(known.langs), dtype=np.int16)
    if not config.all_languages:
        kinds[:] = [lang_to_code.setdefault(base_language(lang), len(lang_to_code) - 1) for lang in known.langs]
    keys = NameForms(config.forms).keys(known.names, known.langs, n_threads)
    spellings = _spellings(known.names, n_threads)
    entries = KeyEntries(np.arange(len(keys)), known.rows, kinds, spellings, known.weights, known.counts)
    if config.acronym_weight:
        names = known.names.take(range(known.n_of_kb))
        short = StringTable.from_strings(text and _ACRONYM + text for text in acronyms(names))
        abbreviated = entries.take(np.arange(known.n_of_kb))
        abbreviated = replace(
            abbreviated,
            keys=abbreviated.keys + len(keys),
            weights=abbreviated.weights * np.float32(config.acronym_weight),
        )
        keys, entries = keys.joined(short), KeyEntries.joined([entries, abbreviated])
    owners, variants = _all_variants(known.names.take(range(known.n_of_kb)))
    variant_keys = NameForms(config.forms).keys(variants, n_threads=n_threads)
    is_other = hash_strings(variant_keys) != hash_strings(keys)[owners]
    others = variant_keys.take(np.flatnonzero(is_other))
    further = replace(entries.take(owners[is_other]), keys=len(keys) + np.arange(len(others)))
    keys = keys.joined(StringTable.from_strings(_VARIANT + key for key in others))
    entries = KeyEntries.joined([entries, further])
    if stated is not None and len(stated.names):
        further = entries.take(stated.rows)  # those of the titles
        weight = np.float32(config.stated_weight / config.title_weight)
        numbers = len(keys) + np.arange(len(stated.names))
        spellings = _spellings(stated.names, n_threads)
        further = replace(further, keys=numbers, spellings=spellings, weights=further.weights * weight)
        stated_keys = NameForms(config.forms).keys(stated.names, n_threads=n_threads)
        keys, entries = keys.joined(stated_keys), KeyEntries.joined([entries, further])
    return KeyTable.build(keys, entries, len(kb), config.max_entities), tuple(lang_to_code)[1:]


def _variants(name: str) -> Iterator[str]:
    """The name in the singular and in American spelling, as detection compares names, and turned round at a comma.

    Examples
    --------
    >>> list(_variants("Tumours, Bone")), list(_variants("C++"))
    (['tumor bone', 'bone tumor'], [])
    """
    for variant in (name, _turned_round(name)):
        stemmed = " ".join(_core.stems(variant))
        if len(stemmed) >= MIN_VARIANT:
            yield stemmed


def _all_variants(names: StringTable) -> tuple[NDArray[np.int64], StringTable]:
    """The variants of all names that are not the name itself, each after the place of its name."""
    owners, variants = GrowingArray(np.int64), StringTableBuilder()
    for chunk in row_chunks(len(names)):
        pairs = [
            (number, variant)
            for number, name in zip(chunk, names.strings(chunk), strict=True)
            for variant in _variants(name)
            if variant != name.lower()
        ]
        owners.extend(np.array([number for number, _ in pairs], dtype=np.int64))
        variants.extend([variant for _, variant in pairs])
    return owners.build(), variants.build()


def is_proper(mention: MentionInContext) -> bool:
    """Whether a mention is one word with a capital that does not only begin a sentence."""
    if not mention.text[:1].isupper() or " " in mention.text:
        return False
    before = mention.document_text[max(0, mention.start - 20) : mention.start].rstrip(" \"'“‘(")
    return mention.text[1:2].isupper() or (mention.start > 0 and before[-1:] not in ".!?:\n")


def _turned_round(name: str) -> str:
    first, comma, second = name.partition(", ")
    return f"{second} {first}" if comma and "," not in second else ""


def _spellings(names: Iterable[str], n_threads: int) -> NDArray[np.uint32]:
    """Two numbers of 16 bits for each name: what it is called as written, and below that in whichever case.

    They only order what has the same key already, so that two names with equal numbers, 1 in 65,000, do little harm.
    """
    table = StringTable.from_strings(names)
    return _core.name_spellings(table.data, table.offsets, n_threads)
