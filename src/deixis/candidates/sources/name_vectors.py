"""Candidates by embedded names: the entities with the name whose vector is most like the mention's.

After Farhan, 2024, "Multilingual Entity Linking Using Dense Retrieval": every alias is embedded and the best one counts
(OLPEAT, section 3.4.3); with `titles_only` each entity has the one vector of its title (the label baseline, section
6.6.1). Any text encoder will do (`encoders`); the text around the mention is not used.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, Literal

import numpy as np
from numpy.typing import NDArray

from deixis.candidates.mention_batch import MentionBatch
from deixis.candidates.source import CandidateSource, SourceInputs
from deixis.candidates.weighted_names import AliasNames
from deixis.config import Config, setting
from deixis.encoders.config import EncoderConfig
from deixis.encoders.protocol import TextEncoder
from deixis.encoders.registry import encode_rows, encoder_arrays, encoder_from_arrays
from deixis.errors import ConfigError, StoreError
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.nearest import VECTOR_INDEXES
from deixis.nearest.mask_cache import Mask
from deixis.nearest.protocol import VectorSearch
from deixis.nearest.vector_index import VectorIndex
from deixis.neural.opening import open_encoder
from deixis.progress import stage, track
from deixis.store.part import Part, array
from deixis.store.strings import StringTable
from deixis.tables import CandidateTable, EntityMask, FlatRows
from deixis.types import Document, MentionInContext, base_language

_BATCH = 8192  # names encoded at a time
_NO_LANG = -1


@dataclass(frozen=True)
class NameVectorConfig(Config):
    """Which names become vectors, by which encoder, and how the nearest are found."""

    encoder: EncoderConfig = field(default_factory=EncoderConfig)
    titles_only: bool = setting(False, "One vector per entity, that of its title.")
    all_languages: bool = setting(True, "Names of every language count; else those of the mention's and of none.")
    index: Literal["exact", "graph"] = setting(
        "exact", "Compare all vectors, or walk a graph of them, which may miss some."
    )
    k: int = setting(50, "Candidates by vectors of names.", low=1)


class NameVectorSource(CandidateSource):
    """Finds the entities with names whose vectors are most like the mention's; the score is the cosine.

    Examples
    --------
    >>> kb = KnowledgeBase.from_records([{"id": "Q90", "title": "Paris"}, {"id": "Q4666", "title": "Sean Connery"}])
    >>> source = NameVectorSource.build(SourceInputs(kb))
    >>> [candidate.id for candidate in source.generate([MentionInContext("Conery", "Conery", 0, 6)], k=1)[0]]
    ['Q4666']
    """

    name = "name_vectors"
    config_type = NameVectorConfig

    def __init__(
        self,
        kb: KnowledgeBase,
        encoder: TextEncoder,
        index: VectorSearch,
        config: NameVectorConfig,
        languages: NameLanguages | None = None,
    ) -> None:
        self.kb = kb
        self.encoder = encoder
        self.index = index
        self.config = config
        self.languages = languages

    @classmethod
    def build(cls, inputs: SourceInputs, config: NameVectorConfig | None = None) -> NameVectorSource:
        """Vectors of all names, and of annotated mentions unless only titles count."""
        config, kb = config or NameVectorConfig(), inputs.kb
        if len(kb) == 0:
            raise ConfigError("The knowledge base has no entities; embedded names need at least one.")
        names, rows, langs = _names(kb, inputs.documents, config)
        earlier = inputs.earlier.get(cls.name)
        if isinstance(earlier, NameVectorSource):
            encoder = earlier.encoder
        else:
            with stage("fitting the encoder"):
                texts = _names(kb, (), config)[0], kb.description_texts()
                encoder = open_encoder(config.encoder, *texts, inputs.seed, inputs.n_threads)
        index = VECTOR_INDEXES[config.index].build(_vectors(encoder, names), rows, len(kb))
        return cls(kb, encoder, index, config, None if config.all_languages else NameLanguages.of(langs))

    def extend(self, added: SourceInputs) -> NameVectorSource:
        """Vectors of the new entities' names by the same encoder, all of which are compared."""
        kb = added.kb
        names, rows, langs = _names(kb, (), self.config)
        index = VectorIndex.build(_vectors(self.encoder, names), rows, len(kb))
        languages = None if self.config.all_languages else NameLanguages.of(langs)
        return NameVectorSource(kb, self.encoder, index, replace(self.config, index="exact"), languages)

    @property
    def reads_context(self) -> bool:
        """Names alone are compared."""
        return False

    def search(self, mentions: Sequence[MentionInContext], k: int, mask: EntityMask | None = None) -> FlatRows:
        """mentions_by_entities: the best `k` rows of the knowledge base for each mention, stored best first."""
        self.check_search(k, mask)
        if not mentions:
            return FlatRows.empty(0, len(self.kb))
        k = min(k, len(self.kb))
        is_open = None if mask is None or mask.all() else mask[self.index.groups]
        queries = self._queries(mentions)
        if self.languages is None:
            return self.index.search(queries, k, is_open)
        langs = [mention.lang or "" for mention in mentions]
        return self._search_by_language(self.languages, queries, langs, k, is_open)

    def score(self, mentions: Sequence[MentionInContext], table: CandidateTable) -> NDArray[np.float32] | None:
        """The similarity of each candidate's best name, whoever proposed it; only its own if language matters."""
        if self.languages is not None or not len(table.rows):
            return None
        return self.index.exact.scores(self._queries(mentions), table.starts, table.rows)

    def _queries(self, mentions: Sequence[MentionInContext]) -> NDArray[np.float32]:
        """The vectors of mentions, which searching and scoring need: encoded once for a batch."""
        batch = MentionBatch.of(mentions)
        return batch.once((self.name, id(self.encoder)), lambda: encode_rows(self.encoder, batch.texts))

    def _search_by_language(
        self, known: NameLanguages, queries: NDArray[np.float32], langs: list[str], k: int, is_open: Mask | None
    ) -> FlatRows:
        """The same, each mention compared with the names of its own language and of none."""
        scores, order = [], []
        for lang in sorted(set(langs)):
            rows = [row for row, own in enumerate(langs) if own == lang]
            of_lang = known.open_to(lang)
            both = of_lang if is_open is None else is_open if of_lang is None else is_open & of_lang
            scores.append(self.index.search(queries[rows], k, both))
            order += rows
        return FlatRows.stacked(scores)[np.argsort(order)]

    def to_arrays(self, prefix: str) -> dict[str, NDArray[Any]]:
        """Vectors, and what the encoder learned, as arrays under names that begin with `prefix`."""
        arrays = self.index.to_arrays(f"{prefix}.index") | encoder_arrays(
            self.encoder, f"{prefix}.encoder", self.config.encoder
        )
        return arrays if self.languages is None else arrays | self.languages.to_arrays(f"{prefix}.langs")

    @classmethod
    def from_arrays(
        cls,
        arrays: Mapping[str, NDArray[Any]],
        prefix: str,
        inputs: SourceInputs,
        config: NameVectorConfig | None = None,
    ) -> NameVectorSource:
        """The source `to_arrays` gave, over the knowledge base it was built from."""
        config, kb = config or NameVectorConfig(), inputs.kb
        index = VECTOR_INDEXES[config.index].from_arrays(arrays, f"{prefix}.index", n_groups=len(kb))
        # Every entity has a title, so every entity has a vector.
        if len(index.groups) and index.groups[-1] != len(kb) - 1:
            raise StoreError(
                f"The vectors '{prefix}.index.*' are of {index.groups[-1] + 1} entities, but there are {len(kb)}. "
                "The model is damaged; build it again."
            )
        encoder = encoder_from_arrays(arrays, f"{prefix}.encoder", config.encoder)
        languages = None
        if not config.all_languages:
            languages = NameLanguages.from_arrays(arrays, f"{prefix}.langs", n_names=len(index.groups))
        return cls(kb, encoder, index, config, languages)


@dataclass(frozen=True)
class NameLanguages(Part):
    """The language of each name: a place in `langs`, -1 for none."""

    langs: tuple[str, ...]
    codes: Annotated[NDArray[np.int16], array(low=_NO_LANG, high="langs", length="n_names")]

    @classmethod
    def of(cls, langs: Sequence[str]) -> NameLanguages:
        """The languages of names, without their regions.

        Examples
        --------
        >>> NameLanguages.of(["", "pt-BR", "de", "pt"]).codes.tolist()
        [-1, 1, 0, 1]
        """
        known = sorted({base_language(lang) for lang in langs} - {""})
        lang_to_code = {"": _NO_LANG} | {lang: code for code, lang in enumerate(known)}
        return cls(tuple(known), np.array([lang_to_code[base_language(lang)] for lang in langs], dtype=np.int16))

    def open_to(self, lang: str) -> Mask | None:
        """Which names count for a mention of this language; None, which is all, for a mention of no language."""
        own = base_language(lang)
        if not own:
            return None
        code = self.langs.index(own) if own in self.langs else len(self.langs)
        return np.isin(self.codes, (_NO_LANG, code))


def _vectors(encoder: TextEncoder, names: StringTable) -> Iterator[NDArray[np.float32]]:
    """The vectors of names, in blocks."""
    for start in track(range(0, len(names), _BATCH), "embedding names"):
        yield encode_rows(encoder, names.strings(np.arange(start, min(start + _BATCH, len(names)))))


def _names(
    kb: KnowledgeBase, annotated: Iterable[Document], config: NameVectorConfig
) -> tuple[StringTable, NDArray[np.int32], list[str]]:
    """The names to embed in the order of their entities, the row of each, and its language."""
    if config.titles_only:
        return kb.titles, np.arange(len(kb), dtype=np.int32), [""] * len(kb)
    known = AliasNames.collect(kb, annotated, title_weight=1.0)
    seen: dict[tuple[str, int, str], None] = {}
    for name, row, lang in zip(known.names, known.rows.tolist(), known.langs, strict=True):
        seen.setdefault((name, row, "" if config.all_languages else lang))
    names_by_row = sorted(seen, key=lambda item: item[1])  # stable: titles stay before aliases
    names = StringTable.from_strings(name for name, _, _ in names_by_row)
    rows = np.fromiter((row for _, row, _ in names_by_row), np.int32, len(names_by_row))
    return names, rows, [lang for _, _, lang in names_by_row]
