"""Sources over a list with edits: the built source, and small ones over the entities added or edited since.

This is the only place that knows of several parts: each is searched, rows are shifted, the best are merged. Rows of the
built list that were removed are never proposed. What a built source learned of an entity that was edited since (how
often a name means it, where it is in the tree) goes to the edited one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from deixis.candidates.combined import CandidateSources
from deixis.candidates.mention_batch import MentionBatch
from deixis.candidates.source import CandidateSource, SourceInputs
from deixis.candidates.sources.alias import AliasSource
from deixis.candidates.sources.descriptions import DescriptionSource
from deixis.candidates.sources.label_tree import LabelTreeSource
from deixis.candidates.sources.names import NameSource
from deixis.candidates.sources.spelling import SpellingSource
from deixis.candidates.sources.vectors import Contents, VectorSource
from deixis.errors import ConfigError, NotFittedError
from deixis.features.added_ngrams import AddedVectorizer
from deixis.features.entity_words import EntityWords
from deixis.kb.edited import EditedKnowledgeBase
from deixis.nearest.alias_table import KeyEntries
from deixis.nearest.compressed_index import best_first
from deixis.nearest.merging import merged
from deixis.store.strings import StringTable
from deixis.tables import CandidateTable, EntityMask, FlatRows
from deixis.types import MentionInContext

N_SAMPLED = 200  # names by which the tree's scores are compared with the similarity of names
N_BINS = 20
MIN_ADDED = 10  # candidates of an added part, at least
MIN_LIVE = 0.5  # fraction of rows that count, from which on others are dropped and not filtered
N_MORE = 8  # candidates searched for besides, where some rows do not count any more
MIN_SCORE = 1e-3  # of the tree, where its logarithm is taken

Search = Callable[[int, CandidateSource, MentionBatch, EntityMask | None], FlatRows]
"""The number of a part, its source, mentions and the mask of the part, to its candidates."""
Parts = Sequence[CandidateSource | None]
"""The source of each part of a list; None where it cannot propose the entities of a part."""


class EditedSource(CandidateSource):
    """A source over all parts of a list with edits. It is made from a built one and never stored."""

    def __init__(self, kb: EditedKnowledgeBase, parts: Parts) -> None:
        first = parts[0]
        if first is None:
            raise NotFittedError("The first part of a source is the built one.")
        self.kb = self.edited = kb
        self.parts = tuple(parts)
        self.built = first
        self.name = first.name  # type: ignore[misc]
        self.config = first.config
        self.config_type = type(first).config_type  # type: ignore[misc]

    @property
    def reads_context(self) -> bool:
        """Whether the source of any part does."""
        return any(part.reads_context for part in self.parts if part is not None)

    def search(self, mentions: Sequence[MentionInContext], k: int, mask: EntityMask | None = None) -> FlatRows:
        """mentions_by_entities: the best `k` rows of all parts, stored best first."""
        self.check_search(k, mask)
        rankings = self._rankings(
            MentionBatch.of(mentions), mask, lambda _, part, own, mask: _searched(part, own, k, mask)
        )
        return self._best(side_by_side(rankings), k)

    def scored(self, mentions: Sequence[MentionInContext], k: int, mask: EntityMask | None) -> FlatRows:
        """What the parts propose, in any order, with the scores of `column`.

        Added entities are only proposed if they are among the best `k` of all: behind the built ones they are too many.
        """
        n_added = max(MIN_ADDED, k // 4)
        rankings = self._rankings(
            MentionBatch.of(mentions),
            mask,
            lambda number, part, own, mask: _searched(part, own, k if number == 0 else n_added, mask),
        )
        if len(rankings) == 1:
            first = rankings[0]
            return first.with_data(self.column(first))
        first = rankings[0]
        added = rankings[1] if len(rankings) == 2 else self._best(side_by_side(rankings[1:]), n_added)
        if added.nnz:  # each added one takes the place of the last of the built ones
            min_scores, n_first = np.zeros(len(mentions)), np.diff(first.indptr)
            is_full = n_first >= k
            min_scores[is_full] = first.data[first.indptr[1:][is_full] - 1]
            added = added.kept_where(added.data > np.repeat(min_scores, added.row_lengths))
            n_left = k - np.diff(added.indptr)
            first = first.kept_where(np.arange(first.nnz) - np.repeat(first.indptr[:-1] + n_left, n_first) < 0)
            first = side_by_side([first, added])
        return first.with_data(self.column(first))

    def _best(self, ranking: FlatRows, k: int) -> FlatRows:
        """The best `k` of each mention, whichever parts they are in."""
        return best_first(ranking, k)

    def _rankings(self, batch: MentionBatch, mask: EntityMask | None, search: Search) -> list[FlatRows]:
        """What `search` finds in the built part and in each other that has anything, with the rows of all parts."""
        starts, masks, rankings = self.edited.row_parts.starts.tolist(), self._masks(mask), []
        for number, part in enumerate(self.parts):
            own_mask = masks[number]
            if part is None or (own_mask is not None and not own_mask.any()):
                if number == 0:
                    rankings.append(FlatRows.empty(len(batch), len(self.edited)))
                continue
            ranking = search(number, part, batch, own_mask)
            rows = self._rows(number, ranking.indices.astype(np.int64) + starts[number])
            rankings.append(FlatRows(ranking.indptr, rows, ranking.data, (ranking.shape[0], len(self.edited))))
        return rankings

    def _masks(self, mask: EntityMask | None) -> list[EntityMask | None]:
        return self.edited.part_masks(mask)

    def _rows(self, number: int, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        return rows

    def column(self, candidates: FlatRows) -> NDArray[np.float32]:
        """The score that the ranker is given, by the source of the part that each candidate is in."""

        def of_part(number: int, positions: NDArray[np.int64] | slice, rows: NDArray[np.int64]) -> NDArray[np.float32]:
            part = self.parts[number] or self.built
            return part.column(FlatRows(np.array([0, len(rows)]), rows, candidates.data[positions], (1, len(part.kb))))

        return self.edited.row_parts.gather(np.asarray(candidates.indices), of_part)

    def score(self, mentions: Sequence[MentionInContext], table: CandidateTable) -> NDArray[np.float32] | None:
        """A score for every candidate of the table by the source of its part, if sources have one."""
        numbers = table.mention_numbers
        if type(self.built).score is CandidateSource.score:
            return None

        def of_part(number: int, positions: NDArray[np.int64] | slice, rows: NDArray[np.int64]) -> NDArray[np.float32]:
            part = self.parts[number]
            starts = np.searchsorted(numbers[positions], np.arange(len(table.starts)))
            scores = None if part is None else part.score(mentions, CandidateTable(starts, rows, {}))
            return np.zeros(len(rows), dtype=np.float32) if scores is None else scores

        return self.edited.row_parts.gather(table.rows, of_part)

    @classmethod
    def build(cls, inputs: SourceInputs, config: Any = None) -> NoReturn:  # noqa: ANN401 - as in CandidateSource
        """Not possible: it is made from a built source."""
        raise NotFittedError("A source over edits is made from a built one.")

    def to_arrays(self, prefix: str) -> dict[str, NDArray[Any]]:
        """The built source; the others are made again from the edits."""
        return self.built.to_arrays(prefix)

    @classmethod
    def from_arrays(
        cls,
        arrays: Mapping[str, NDArray[Any]],
        prefix: str,
        inputs: SourceInputs,
        config: Any = None,  # noqa: ANN401 - as in CandidateSource
    ) -> NoReturn:
        """Not possible: it is made from a built source."""
        raise NotFittedError("A source over edits is made from a built one.")

    @property
    def row_order(self) -> NDArray[np.integer] | None:
        """That of the built entities."""
        return self.built.row_order


class EditedSpelling(EditedSource):
    """Spellings over all parts: where a mention is itself a name of one, names that are only similar do not count."""

    def _best(self, ranking: FlatRows, k: int) -> FlatRows:
        """The best `k` of each mention; of equals the more popular, as in each part."""
        counts = self.edited.row_parts.gather(ranking.indices, lambda number, _, rows: self._counts(number)[rows])
        return best_first(ranking, k, -counts)

    def _counts(self, number: int) -> NDArray[np.int64]:
        """How often each entity of a part is spoken of."""
        return (self.parts[number] or self.built).kb.counts

    def _rankings(self, batch: MentionBatch, mask: EntityMask | None, search: Search) -> list[FlatRows]:
        if self.config.searches_always:
            return super()._rankings(batch, mask, search)
        is_name = np.zeros(len(batch), dtype=bool)

        def searched(number: int, part: CandidateSource, batch: MentionBatch, mask: EntityMask | None) -> FlatRows:
            if number == 0 or not isinstance(part, SpellingSource):
                ranking = search(number, part, batch, mask)
            else:  # of a name, equal names only
                ranking = _spread_over(
                    len(batch),
                    (~is_name, lambda own: search(number, part, own, mask)),
                    (is_name.copy(), lambda own: search(number, part.equal_names(), own, mask)),
                    batch,
                )
            is_name[np.repeat(np.arange(len(batch)), np.diff(ranking.indptr))[ranking.data >= 1]] = True
            return ranking

        rankings = super()._rankings(batch, mask, searched)
        return [each.kept_where(~np.repeat(is_name, each.row_lengths) | (each.data >= 1)) for each in rankings]


def _spread_over(
    n_mentions: int,
    first: tuple[NDArray[np.bool_], Callable[[MentionBatch], FlatRows]],
    second: tuple[NDArray[np.bool_], Callable[[MentionBatch], FlatRows]],
    batch: MentionBatch,
) -> FlatRows:
    """What two searches find, each for its own mentions."""
    parts, order = [], np.zeros(n_mentions, dtype=np.int64)
    n_before = 0
    for is_own, search in (first, second):
        numbers = np.flatnonzero(is_own)
        if len(numbers):
            parts.append(search(MentionBatch([batch[number] for number in numbers.tolist()])))
            order[numbers] = n_before + np.arange(len(numbers))
            n_before += len(numbers)
    return parts[0] if len(parts) == 1 else FlatRows.stacked(parts)[order]


class EditedLabelTree(EditedSource):
    """The label tree, and beside it entities that it has not learned: they score as the similarity of names suggests.

    `curve` has the score of the tree for similarities of names from 0 to 1.
    """

    def __init__(self, kb: EditedKnowledgeBase, built: LabelTreeSource, curve: NDArray[np.float32]) -> None:
        super().__init__(kb, [built])
        self.tree = built
        self.curve = curve

    def _masks(self, mask: EntityMask | None) -> list[EntityMask | None]:
        return self.edited.part_masks(mask, has_edited=True)

    def _rows(self, number: int, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        return self.edited.current_rows(rows)

    def column(self, candidates: FlatRows) -> NDArray[np.float32]:
        """The scores themselves."""
        return np.asarray(candidates.data, dtype=np.float32)

    def score(self, mentions: Sequence[MentionInContext], table: CandidateTable) -> NDArray[np.float32] | None:
        """The tree's scores, and for entities that it does not know those of their names."""
        del mentions
        scores, is_added = table.column(self.name), table.rows >= len(self.built.kb)
        if not is_added.any():
            return scores
        beside = np.interp(table.column("names"), np.linspace(0, 1, len(self.curve)), self.curve)
        beside[table.column("names") <= 0] = 0
        return np.where(is_added, np.maximum(scores, beside), scores).astype(np.float32)


class EditedAlias(AliasSource):
    """The tables of names of all parts: namesakes of any part compete for a name."""

    def __init__(self, kb: EditedKnowledgeBase, parts: Sequence[AliasSource]) -> None:
        langs = tuple(dict.fromkeys(lang for part in parts for lang in part.langs))
        super().__init__(kb, parts[0].table, langs, parts[0].config)
        self.edited = kb
        self.parts = tuple(parts)

    def _find(self, keys: StringTable) -> KeyEntries:
        starts, entry_parts = self.edited.row_parts.starts.tolist(), []
        for number, part in enumerate(self.parts):
            entries = part.table.find(keys)
            if number == 0:
                entries = self._of_built(entries)
            else:
                entries = replace(entries, rows=entries.rows + np.int32(starts[number]))
                entries = entries.take(self.edited.is_live[entries.rows])
                if not self.config.all_languages:
                    codes = np.array([self._code(lang) for lang in (*part.langs, None)], dtype=np.int16)
                    entries = replace(entries, kinds=codes[entries.kinds])
            entry_parts.append(entries)
        return KeyEntries.joined(entry_parts)

    def _of_built(self, entries: KeyEntries) -> KeyEntries:
        """Without removed entities; of edited ones only how often annotated mentions mean them."""
        is_live = self.edited.is_live[entries.rows]
        if is_live.all():
            return entries
        rows = self.edited.current_rows(entries.rows.astype(np.int64)).astype(np.int32)
        is_edited = rows != entries.rows
        entries = replace(entries, rows=rows, weights=np.where(is_edited, 0, entries.weights).astype(np.float32))
        return entries.take(is_live | (is_edited & (entries.counts > 0)))

    def with_mentions(self, mentions: Sequence[MentionInContext], rows: Sequence[int]) -> EditedAlias:
        """The same tables, in which these mentions of entities count besides; none are stored."""
        corrected = EditedAlias(self.edited, self.parts)
        corrected.further = super().with_mentions(mentions, rows).further
        return corrected


class EditedVectors(EditedSource):
    """Vectors over all parts."""

    @property
    def contexts(self) -> Any:  # noqa: ANN401 - an index of any class, or None
        """The vectors of annotated contexts, which only built entities have."""
        return self.built.contexts  # type: ignore[attr-defined]

    def with_contents(self, contents: Contents) -> EditedVectors:
        """The same vectors, others of which are searched; added entities have descriptions only."""
        parts = [part.with_contents(contents) if isinstance(part, VectorSource) else part for part in self.parts]
        if contents == "contexts":
            parts[1:] = [None] * (len(parts) - 1)
        return EditedVectors(self.edited, parts)


def side_by_side(rankings: Sequence[FlatRows]) -> FlatRows:
    """The entries of rankings of the same mentions, those of each mention one after the other.

    Examples
    --------
    >>> from scipy.sparse import csr_matrix
    >>> ones = [csr_matrix(np.array(rows, dtype=np.float32)) for rows in ([[1, 0], [0, 0]], [[0, 2], [0, 3]])]
    >>> side_by_side([FlatRows.of(each) for each in ones]).toarray().tolist()
    [[1.0, 2.0], [0.0, 3.0]]
    """
    if len(rankings) == 1:
        return rankings[0]
    lengths = np.array([np.diff(each.indptr) for each in rankings])
    indptr = np.concatenate([[0], np.cumsum(lengths.sum(axis=0))])
    data, indices = np.empty(indptr[-1], dtype=np.float32), np.empty(indptr[-1], dtype=np.int64)
    before = np.zeros(len(indptr) - 1, dtype=np.int64)
    for each, own in zip(rankings, lengths, strict=True):
        positions = np.repeat(indptr[:-1] + before - each.indptr[:-1], own) + np.arange(len(each.data))
        data[positions], indices[positions] = each.data, each.indices
        before += own
    return FlatRows(indptr, indices, data, rankings[0].shape)


def _searched(part: CandidateSource, batch: MentionBatch, k: int, mask: EntityMask | None) -> FlatRows:
    """What a part proposes of the rows that count and pass the filter.

    Where few do not count, to search for a few more and drop those takes less time than a filter; mentions that lose
    too many are searched for again with one.
    """
    if mask is None or mask.mean() < MIN_LIVE:
        return part.search(batch, k, mask)
    n_sought = k + N_MORE + int(2 * k * (1 - mask.mean()))
    ranking = part.search(batch, n_sought)
    remaining = ranking.kept_where(mask[ranking.indices])
    n_ranked, n_remaining = np.diff(ranking.indptr), np.diff(remaining.indptr)
    has_lost = (n_ranked >= n_sought) & (n_remaining < k)
    if isinstance(part, SpellingSource):  # a name that nothing has any more hides those that are only similar
        has_lost |= (_n_equal(ranking) > 0) & (_n_equal(remaining) == 0)
    lost = np.flatnonzero(has_lost)
    is_first = np.arange(len(remaining.data)) - np.repeat(remaining.indptr[:-1], n_remaining) < k
    remaining = remaining.kept_where(is_first)
    if not len(lost):
        return remaining
    again = part.search([batch[number] for number in lost.tolist()], k, mask)
    order = np.arange(len(batch))
    order[lost] = len(batch) + np.arange(len(lost))
    return FlatRows.stacked([remaining, again])[order]


def _n_equal(ranking: FlatRows) -> NDArray[np.int64]:
    """How many names of each mention are equal to it."""
    n_before = np.concatenate([[0], np.cumsum(ranking.data >= 1)])
    n_equal: NDArray[np.int64] = np.diff(n_before[ranking.indptr])
    return n_equal


EDITED = {"spelling": EditedSpelling, "vectors": EditedVectors}
"""Sources whose parts are merged in a way of their own."""


def edited_sources(
    built: CandidateSources,
    kb: EditedKnowledgeBase,
    added: Sequence[Mapping[str, CandidateSource | None]],
    words: EntityWords,
    named: AddedVectorizer,
    curve: NDArray[np.float32],
) -> CandidateSources:
    """The sources over a list with edits; `added` are those of each part after the first, by name.

    All parts are searched with the words, and `named` with the n-grams of names, that some entity has now.
    """
    by_name: dict[str, CandidateSource] = {}
    for name, source in built.by_name.items():
        parts = [source, *(each.get(name) for each in added)]
        if isinstance(source, AliasSource):
            by_name[name] = EditedAlias(kb, [each for each in parts if isinstance(each, AliasSource)])
        elif isinstance(source, LabelTreeSource):
            by_name[name] = EditedLabelTree(kb, source, curve)
        else:
            known = [_with_vocabulary(each, words, named) for each in parts]
            by_name[name] = EDITED.get(name, EditedSource)(kb, known)
    return replace(built, kb=kb, by_name=by_name, words=words)


def _with_vocabulary(
    source: CandidateSource | None, words: EntityWords, named: AddedVectorizer
) -> CandidateSource | None:
    if isinstance(source, NameSource):
        return source.with_vectorizer(named)
    return source.with_words(words) if isinstance(source, DescriptionSource) else source


def added_sources(built: Mapping[str, CandidateSource], inputs: SourceInputs) -> dict[str, CandidateSource | None]:
    """The sources over added entities alone, by name."""
    return {name: source.extend(inputs) for name, source in built.items()}


def check_extensible(built: CandidateSources) -> None:
    """An error unless a source can propose entities that it was not built with."""
    if set(built.by_name) <= {LabelTreeSource.name}:
        raise ConfigError(
            "This model proposes candidates by the label tree alone, which cannot learn an entity before the next "
            "build. Build the model again from the changed list, or with further sources: deixis build LIST "
            "--sources alias,names,label_tree"
        )


def tree_curve(built: CandidateSources) -> NDArray[np.float32]:
    """What the label tree scores entities whose best name has a similarity of 0 to 1, in steps; never falling.

    Measured by searching names of the list, taken at even distances, in the tree and among names.
    """
    tree, names = built.by_name.get("label_tree"), built.by_name.get("names")
    if tree is None or names is None or not len(built.kb):
        return np.zeros(N_BINS + 1, dtype=np.float32)
    rows = np.unique(np.linspace(0, len(built.kb) - 1, N_SAMPLED).astype(np.int64))
    titles = built.kb.titles.strings(rows)
    batch = MentionBatch([MentionInContext(title, title, 0, len(title)) for title in titles])
    rankings = {"names": names.search(batch, 20), "label_tree": tree.search(batch, tree.config.k)}
    rankings["names"] = rankings["names"].with_data(names.column(rankings["names"]))
    table = merged(rankings)
    similarities, scores = table.column("names"), np.log(np.maximum(table.column("label_tree"), MIN_SCORE))
    bins = np.rint(similarities[similarities > 0] * N_BINS).astype(np.int64)
    counts = np.bincount(bins, minlength=N_BINS + 1)
    sums = np.bincount(bins, weights=scores[similarities > 0], minlength=N_BINS + 1)
    known = np.flatnonzero(counts)
    if not len(known):
        return np.zeros(N_BINS + 1, dtype=np.float32)
    means = np.interp(np.arange(N_BINS + 1), known, sums[known] / counts[known])
    curve: NDArray[np.float32] = np.exp(np.maximum.accumulate(means)).astype(np.float32)
    return curve
