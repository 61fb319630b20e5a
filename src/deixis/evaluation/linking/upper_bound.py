"""How much of the gold a knowledge base holds at all, by language: whatever links to it, recall ends there.

Two counts, as in a thesis on multilingual entity linking that measured Mewsli-9 against DaMuEL (its section 3.1 and
appendix A.1): over mentions, which bounds recall, and over the *set* of their entities, in which each counts once.
Each is taken against the whole knowledge base and against the part of it in the mention's own language.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from deixis.evaluation.rows import ResultRow, metric_rows
from deixis.evaluation.statistics.bootstrap import share_interval
from deixis.evaluation.statistics.metric import Metric
from deixis.gold import Resolve, acceptable_ids
from deixis.types import Document

HasLanguage = Callable[[str, str], bool]
"""A knowledge base's id and a language -> whether it has a name or a description of that entity in that language."""


@dataclass(frozen=True)
class LanguageBound:
    """The bounds of one language, or of all together (`lang` is None); `lang` is empty where documents have none.

    What is `in_language` is of the documents that have a language, and None where there is none.
    `missing` are gold ids that the knowledge base lacks and how many mentions each has, the most frequent first.
    """

    lang: str | None
    mentions: Metric
    mentions_in_language: Metric | None
    n_entities: int
    n_entities_in_kb: int
    n_entities_with_language: int
    n_entities_in_language: int | None
    missing: tuple[tuple[str, int], ...] = ()

    @property
    def entities(self) -> float:
        """The share of the set of gold entities that the knowledge base holds."""
        return self.n_entities_in_kb / max(1, self.n_entities)

    @property
    def entities_in_language(self) -> float | None:
        """The same, of what it holds in the mention's language."""
        n = self.n_entities_in_language
        return None if n is None else n / max(1, self.n_entities_with_language)


class UpperBounds:
    """Adds up annotated documents, one by one.

    Examples
    --------
    >>> from deixis.types import Mention
    >>> bounds = UpperBounds({"Q90": "Q90"}.get, lambda name, lang: lang == "fr")
    >>> for lang, gold in (("fr", "Q90"), ("de", "Q90"), ("de", "Q90"), ("de", "Q64")):
    ...     bounds.add(Document("d", "Paris", lang, (Mention(0, 5, "Paris", entity=gold),)))
    >>> german, french = bounds.by_language()
    >>> german.lang, round(german.mentions.value, 2), german.entities, german.entities_in_language, german.missing
    ('de', 0.67, 0.5, 0.0, (('Q64', 1),))
    >>> bounds.overall().mentions.value
    0.75
    """

    def __init__(self, resolve: Resolve, has_language: HasLanguage | None = None) -> None:
        self.resolve = resolve
        self.has_language = has_language
        self._langs: list[str] = []
        self._counts: list[tuple[int, int, int]] = []  # per document: gold links, those known, those in its language
        self._entities: dict[str, dict[frozenset[str], tuple[bool, bool]]] = {}
        self._missing: dict[str, Counter[str]] = {}

    def add(self, document: Document) -> None:
        """Count the gold links of a document; NIL is none."""
        lang = document.lang or ""
        entities, missing = self._entities.setdefault(lang, {}), self._missing.setdefault(lang, Counter())
        n_linked = n_known = n_in_language = 0
        for mention in document.mentions:
            if mention.entity is None:
                continue
            known = acceptable_ids(mention.entity, self.resolve)
            is_in_language = self._is_in_language(known, lang)
            entities[known or frozenset([mention.entity.strip()])] = (bool(known), is_in_language)
            n_linked, n_known, n_in_language = n_linked + 1, n_known + bool(known), n_in_language + is_in_language
            if not known:
                missing[mention.entity.strip()] += 1
        self._langs.append(lang)
        self._counts.append((n_linked, n_known, n_in_language))

    @property
    def n_linked(self) -> int:
        """How many gold links there were."""
        return sum(n for n, _, _ in self._counts)

    def by_language(self, n_missing: int = 5, seed: int = 0) -> list[LanguageBound]:
        """The bounds of each language with gold, by its code; documents without one come last."""
        langs = sorted((lang for lang in self._entities if self._entities[lang]), key=lambda lang: (not lang, lang))
        return [self._bound(lang, [lang], n_missing, seed) for lang in langs]

    def overall(self, n_missing: int = 5, seed: int = 0) -> LanguageBound:
        """The bounds of all documents; an entity of two languages is held in its language if it is in one of them."""
        return self._bound(None, list(self._entities), n_missing, seed)

    def all(self, seed: int = 0) -> list[LanguageBound]:
        """A line per language and one of all; where no document has a language, that of all is the only one."""
        by_language = self.by_language(seed=seed)
        return [*(by_language if len(by_language) > 1 or by_language[0].lang else []), self.overall(seed=seed)]

    def _is_in_language(self, known: frozenset[str], lang: str) -> bool:
        return bool(lang and self.has_language and any(self.has_language(name, lang) for name in known))

    def _bound(self, lang: str | None, langs: list[str], n_missing: int, seed: int) -> LanguageBound:
        known_langs = [one for one in langs if one]
        counts, counts_of_known = self._counts_of(langs), self._counts_of(known_langs)
        entities, entities_of_known = self._entities_of(langs), self._entities_of(known_langs)
        missing = sum((self._missing[one] for one in langs), Counter[str]())
        has_part = self.has_language is not None and bool(known_langs)
        return LanguageBound(
            lang,
            _share("upper_bound", counts[:, 1], counts[:, 0], seed),
            _share("upper_bound_in_language", counts_of_known[:, 2], counts_of_known[:, 0], seed) if has_part else None,
            len(entities),
            sum(is_known for is_known, _ in entities.values()),
            len(entities_of_known),
            sum(is_in_language for _, is_in_language in entities_of_known.values()) if has_part else None,
            tuple(sorted(missing.items(), key=lambda pair: (-pair[1], _in_order(pair[0])))[:n_missing]),
        )

    def _counts_of(self, langs: list[str]) -> NDArray[np.int64]:
        chosen = [n for n, lang in zip(self._counts, self._langs, strict=True) if lang in langs]
        return np.array(chosen, dtype=np.int64).reshape(-1, 3)

    def _entities_of(self, langs: list[str]) -> dict[frozenset[str], tuple[bool, bool]]:
        """The set of entities, and of each whether it is known, and known in one of the languages it was meant in."""
        entities: dict[frozenset[str], tuple[bool, bool]] = {}
        for lang in langs:
            for entity, (is_known, is_in_language) in self._entities[lang].items():
                entities[entity] = (is_known, is_in_language or entities.get(entity, (False, False))[1])
        return entities


def coverage_rows(
    suite_to_bounds: Mapping[str, Sequence[LanguageBound]], system: str = "knowledge-base"
) -> Iterator[ResultRow]:
    """Four figures of each language and of all together; the suite of a language ends in its code."""
    for suite, bounds in suite_to_bounds.items():
        for bound in bounds:
            name = suite if bound.lang is None else f"{suite}/{bound.lang or 'no-lang'}"
            settings = {"missing": dict(bound.missing)} if bound.missing else {}
            shares = [metric for metric in (bound.mentions, bound.mentions_in_language) if metric is not None]
            yield from metric_rows(shares, name, system, settings)
            for metric, value, n in (
                ("entities_in_kb", bound.entities, bound.n_entities),
                ("entities_in_language", bound.entities_in_language, bound.n_entities_with_language),
            ):
                if value is not None:
                    yield ResultRow(name, metric, system, round(value, 6), "share", n=n, settings=settings)


def _share(name: str, hits: NDArray[np.int64], totals: NDArray[np.int64], seed: int) -> Metric:
    n = int(totals.sum())
    return Metric(name, float(hits.sum() / max(1, n)), share_interval(hits, totals, seed), n)


def _in_order(name: str) -> list[tuple[bool, int, str]]:
    """A key by which Q83 comes before Q182."""
    parts = re.split(r"([0-9]+)", name)
    return [(not part.isdecimal(), int(part) if part.isdecimal() else 0, part) for part in parts]
