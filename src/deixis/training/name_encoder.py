"""An encoder fitted to the names of a list in several languages: which names it is fitted to, and how well it does.

Nothing is learned from documents, and no linker is needed: the result is an encoder that `--encoder` takes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from deixis.encoders.config import ParallelConfig
from deixis.encoders.parallel import ParallelEncoder
from deixis.encoders.parallel_fit import fit_parallel
from deixis.errors import DataError, UnknownNameError
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.progress import stage
from deixis.store.strings import StringTable
from deixis.types import base_language

MIN_ENTITIES = 50  # with names in two languages; a map learned from fewer is noise
NO_LANGUAGE = ""
MAX_QUERIES, DEPTH = 1000, 10
_AT_ONCE = 64


@dataclass(frozen=True)
class ParallelNames:
    """Names one by one, each with its entity's row and its language ("" where the list has none)."""

    names: StringTable
    rows: NDArray[np.int32]
    langs: NDArray[np.str_]

    @classmethod
    def collect(cls, kb: KnowledgeBase, languages: Sequence[str] = ()) -> ParallelNames:
        """Titles and aliases in these languages, or in all; names without a language always count.

        A title has the language of the alias that is equal to it.

        Examples
        --------
        >>> aliases = [{"text": "Wien", "lang": "de"}, {"text": "Vienna", "lang": "en"}]
        >>> kb = KnowledgeBase.from_records([{"id": "Q1741", "title": "Wien", "aliases": aliases}])
        >>> ParallelNames.collect(kb).counts()
        {'de': 1, 'en': 1}
        """
        known = [base_language(lang) for lang in kb.langs]
        chosen = [base_language(lang) for lang in languages]
        for lang, code in zip(languages, chosen, strict=True):
            if code not in known:
                raise UnknownNameError("language of names", lang, known=sorted(set(known)))
        names: dict[tuple[str, int, str], None] = {}
        for row in range(len(kb)):
            aliases = range(*kb.alias_indptr[row : row + 2].tolist())
            codes = kb.alias_langs[aliases.start : aliases.stop].tolist()
            own = [(kb.aliases[item], known[code] if code >= 0 else NO_LANGUAGE)
                   for item, code in zip(aliases, codes, strict=True)]  # fmt: skip
            title = kb.titles[row]
            if all(text != title for text, _ in own):
                own.append((title, NO_LANGUAGE))
            names.update(((text, row, lang), None) for text, lang in own if not chosen or lang in (*chosen, ""))
        return cls(
            StringTable.from_strings(text for text, _, _ in names),
            np.fromiter((row for _, row, _ in names), np.int32, len(names)),
            np.array([lang for _, _, lang in names], dtype=np.str_),
        )

    def __len__(self) -> int:
        return len(self.rows)

    def take(self, is_taken: NDArray[np.bool_]) -> ParallelNames:
        """Only some of the names."""
        numbers = np.flatnonzero(is_taken)
        return ParallelNames(self.names.take(numbers), self.rows[numbers], self.langs[numbers])

    def counts(self) -> dict[str, int]:
        """How many names each language has, the most frequent first."""
        return dict(Counter(self.langs.tolist()).most_common())

    def parallel_rows(self) -> NDArray[np.int32]:
        """The entities that have names in two languages or more, names without a language counted as one."""
        pairs = {(row, lang) for row, lang in zip(self.rows.tolist(), self.langs.tolist(), strict=True)}
        n_langs = Counter(row for row, _ in pairs)
        return np.array(sorted(row for row, n in n_langs.items() if n > 1), dtype=np.int32)


@dataclass(frozen=True)
class FittedNameEncoder:
    """The encoder, what it was fitted to, and how many held-out names it finds.

    `recalls` has for each language the share of names of held-out entities whose entity is among the ten nearest by
    names in the target language.
    """

    encoder: ParallelEncoder
    target: str
    counts: dict[str, int]
    n_parallel: int
    recalls: dict[str, float]


def fit_name_encoder(
    kb: KnowledgeBase,
    config: ParallelConfig | None = None,
    languages: Sequence[str] = (),
    target: str | None = None,
    held_out: float = 0.1,
    seed: int = 0,
    n_threads: int = 0,
) -> FittedNameEncoder:
    """An encoder under which the names of an entity in all languages are near its names in the target language.

    The target is the language with the most names unless one is given. With a `held_out` above 0 an encoder that
    does not see these entities in other languages is fitted first, and measured; the one returned is fitted to all.
    """
    config = config or ParallelConfig()
    with stage("collecting names"):
        names = ParallelNames.collect(kb, languages)
        counts, parallel = names.counts(), names.parallel_rows()
    _check(names, counts, parallel)
    if target is not None and base_language(target) not in counts:
        raise UnknownNameError("language of names", target, known=sorted(filter(None, counts)))
    chosen = next(iter(counts)) if target is None else base_language(target)
    recalls: dict[str, float] = {}
    n_held_out = int(held_out * len(parallel))
    if n_held_out:
        held_out_rows = np.random.default_rng(seed).choice(parallel, n_held_out, replace=False)
        recalls = _recalls(names, chosen, held_out_rows, config, n_threads)
    return FittedNameEncoder(_fit(names, chosen, config, n_threads), chosen, counts, len(parallel), recalls)


def _check(names: ParallelNames, counts: dict[str, int], parallel: NDArray[np.int32]) -> None:
    if len(counts) < 2:
        only = next(iter(counts), NO_LANGUAGE)
        what = f"are all in the language {only!r}" if only else "have no language"
        raise DataError(
            f"The names of the list {what}; an encoder across languages needs entities with names in two or more. Give "
            'aliases a language ({"text": "Arzt", "lang": "de"}), or use --encoder chars, which needs none.'
        )
    if len(parallel) < MIN_ENTITIES:
        raise DataError(
            f"Only {len(parallel)} of {len(np.unique(names.rows))} entities have names in two languages or more; at "
            f"least {MIN_ENTITIES} are needed. Names by language: {described(counts)}."
        )


def described(counts: dict[str, int]) -> str:
    """Languages and their numbers of names in words.

    Examples
    --------
    >>> described({"en": 1200, "": 3})
    'en 1,200, without a language 3'
    """
    return ", ".join(f"{lang or 'without a language'} {n:,}" for lang, n in counts.items())


def _fit(names: ParallelNames, target: str, config: ParallelConfig, n_threads: int) -> ParallelEncoder:
    return fit_parallel(names.names, names.rows, names.langs == target, config, n_threads)


def _recalls(
    names: ParallelNames, target: str, held_out_rows: NDArray[np.int32], config: ParallelConfig, n_threads: int
) -> dict[str, float]:
    """Recall@10 by language of an encoder that knows the held-out entities by their names in the target alone."""
    is_target, is_held_out = names.langs == target, np.isin(names.rows, held_out_rows)
    encoder = _fit(names.take(is_target | ~is_held_out), target, config, n_threads)
    target_names = names.take(is_target)
    with stage("measuring on held-out entities"):
        vectors = encoder.encode(list(target_names.names))
        recalls = {}
        for lang in filter(None, names.counts()):
            is_query = (names.langs == lang) & is_held_out & np.isin(names.rows, target_names.rows)
            if lang != target and is_query.any():
                queries = names.take(is_query)
                recalls[lang] = _recall(encoder, queries.take(_spread(len(queries))), target_names.rows, vectors)
    return recalls


def _spread(n: int) -> NDArray[np.bool_]:
    """At most `MAX_QUERIES` of so many, evenly spread."""
    is_taken: NDArray[np.bool_] = np.arange(n) % max(1, -(-n // MAX_QUERIES)) == 0
    return is_taken


def _recall(
    encoder: ParallelEncoder, queries: ParallelNames, rows: NDArray[np.int32], vectors: NDArray[np.float32]
) -> float:
    """The share of names whose entity is among the nearest; `vectors` are those of names of the entities in `rows`."""
    order = np.argsort(rows, kind="stable")
    rows, vectors = rows[order], vectors[order]
    starts = np.flatnonzero(np.diff(rows, prepend=-1))
    n_found = 0
    for begin in range(0, len(queries), _AT_ONCE):
        part = queries.take((np.arange(len(queries)) >= begin) & (np.arange(len(queries)) < begin + _AT_ONCE))
        similarities = np.maximum.reduceat(encoder.encode(list(part.names)) @ vectors.T, starts, axis=1)
        own = similarities[np.arange(len(part)), np.searchsorted(rows[starts], part.rows)]
        n_found += int(((similarities > own[:, None]).sum(axis=1) < DEPTH).sum())
    return n_found / len(queries)
