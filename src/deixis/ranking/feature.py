"""What speaks for each proposed entity, as numbers: names, popularity, the text around the mention, and the lists."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from deixis.features.entity_words import EntityWords, Pairs
from deixis.tables import CandidateTable
from deixis.types import MentionInContext

NEAR, AROUND, TEXT = 200, 1000, 4000  # characters of text around a mention
MAX_LIKENESS = 0.05  # likeness levels off towards this: in a short list three shared words must not beat a name
MIN_SPREAD = 0.02  # of cosines: candidates that are less apart are not told apart by noise
LEAST = 1e-3  # a smaller share counts as this one where its logarithm is taken

FEATURES: dict[str, str] = {
    "names": "likeness of its best name",
    "names_squared": "likeness of its best name, squared",
    "string": "similarity of its best name's spelling",
    "tree": "the label tree's score",
    "tree_log": "logarithm of the label tree's score",
    "alias": "has the mention as a name",
    "prior": "logarithm of how often the name means it",
    "title": "the mention is its title",
    "id": "the mention is its id",
    "popularity": "how often other descriptions speak of it",
    "popularity_unnamed": "how often other descriptions speak of it, if the mention is not its name",
    "popularity_described": "how often other descriptions speak of it, if only its description has the mention",
    "named": "share of the mention's words that its names have",
    "fully_named": "its names have all words of the mention",
    "described": "share of the mention's words that its description has",
    "fully_described": "its description has all words of the mention, though none of its names is the mention",
    "title_in_mention": "share of its title's words that the mention has",
    "title_in_text": "share of its title's words that the text has elsewhere",
    "near": "likeness of its description to the words nearby",
    "around": "likeness of its description to the words around",
    "text": "likeness of its description to the text",
    "others": "likeness of its description to the text's other mentions",
    "description_length": "length of its description",
    "n_names": "number of its names",
    "learned": "the mention was seen annotated, and this is among its meanings",
    "learned_prior": "logarithm of how often it meant this",
    "learned_tree": "logarithm of the tree's score, if the mention was seen annotated",
    "learned_names": "likeness of its best name, if the mention was seen annotated",
    "learned_popularity": "popularity, if the mention was seen annotated",
    "learned_around": "likeness to the words around, if the mention was seen annotated",
}
"""The features by name, in order, and what each says of a candidate."""

DENSE_FEATURES: dict[str, str] = {
    "dense": "likeness of its best text to the mention in its context, in vectors",
}
"""Further features, after the others, of models with a dense list."""

# The others may count against a candidate too; these never do, whatever the data to learn from say.
COUNT_FOR = frozenset({
    "names", "names_squared", "string", "tree", "tree_log", "alias", "prior", "title", "id", "popularity",
    "popularity_unnamed", "popularity_described", "fully_named", "described", "fully_described", "title_in_mention",
    "title_in_text", "near", "around", "text", "others", "learned", "learned_prior", "learned_tree", "dense",
})  # fmt: skip


def feature_names(has_dense: bool) -> tuple[str, ...]:
    """The names of the features of a model, in order.

    Examples
    --------
    >>> set(feature_names(has_dense=True)) - set(feature_names(has_dense=False))
    {'dense'}
    """
    return (*FEATURES, *DENSE_FEATURES) if has_dense else tuple(FEATURES)


def own_features(
    proposals: CandidateTable, popularity: NDArray[np.float32], facts: NDArray[np.float32]
) -> dict[str, NDArray[np.float32]]:
    """What the lists and the knowledge base say; `facts` has a row of standing numbers for each entity."""
    signals, rows = proposals.signals, proposals.rows
    alias = (signals["alias"] > 0).astype(np.float32)
    tree_log = np.log(np.maximum(signals["tree"], LEAST))
    standing = popularity[rows]
    return {
        "names": signals["names"],
        "names_squared": signals["names"] ** 2,
        "string": signals["string"],
        "tree": signals["tree"],
        "tree_log": tree_log,
        "alias": alias,
        "prior": alias * np.log(np.maximum(signals["alias"], LEAST)),
        "popularity": standing,
        "popularity_unnamed": standing * (1 - alias),
        "description_length": facts[rows, 0],
        "n_names": facts[rows, 1],
    }


def dense_features(proposals: CandidateTable) -> dict[str, NDArray[np.float32]]:
    """What vectors say: how far likeness is above that of the mention's other candidates, in standard deviations.

    Cosines of one encoder lie between 0.1 and 0.3, of another between 0.4 and 0.9: deviations can be weighed alike.
    """
    likeness = proposals.signals.get("dense", np.zeros(len(proposals.rows), dtype=np.float32)).astype(np.float64)
    n_candidates = proposals.group_sum(np.ones(len(likeness)))
    away = likeness - proposals.group_sum(likeness) / n_candidates
    spread = np.sqrt(proposals.group_sum(away**2) / n_candidates)
    return {"dense": (away / np.maximum(spread, MIN_SPREAD)).astype(np.float32)}


def word_features(
    words: EntityWords, mentions: Sequence[MentionInContext], proposals: CandidateTable, n_threads: int
) -> dict[str, NDArray[np.float32]]:
    """What the words of the mention and of the text around it say."""
    pairs = Pairs(proposals.starts, proposals.rows)
    texts = [mention.text for mention in mentions]
    asked = words.queries(texts, n_threads)
    near, around, text = (
        words.queries([surroundings(mention, window) for mention in mentions], n_threads)
        for window in (NEAR, AROUND, TEXT)
    )
    named, described = (share(asked, pairs, n_threads) for share in (words.share_named, words.share_described))
    return {
        "named": named,
        "fully_named": (named > 0.99).astype(np.float32),
        "described": described,
        "fully_described": (described > 0.99).astype(np.float32),
        "title_in_mention": words.title_share(asked, pairs, n_threads),
        "title_in_text": words.title_share(text, pairs, n_threads),
        "near": levelled(words.likeness(near, pairs, n_threads)),
        "around": levelled(words.likeness(around, pairs, n_threads)),
        "text": levelled(words.likeness(text, pairs, n_threads)),
        "others": levelled(_others(words, mentions, asked, pairs, n_threads)),
    }


def levelled(likeness: NDArray[np.float32]) -> NDArray[np.float32]:
    """Likeness that grows ever less towards `MAX_LIKENESS`; a small one stays as it is.

    Examples
    --------
    >>> [round(one, 2) for one in levelled(np.array([0.01, 0.05, 1], dtype=np.float32)).tolist()]
    [0.01, 0.04, 0.05]
    """
    level: NDArray[np.float32] = np.float32(MAX_LIKENESS) * np.tanh(likeness / np.float32(MAX_LIKENESS))
    return level


def learned_features(
    features: dict[str, NDArray[np.float32]], is_learned: NDArray[np.bool_], proposals: CandidateTable
) -> dict[str, NDArray[np.float32]]:
    """What the others say of mentions that were seen annotated, 0 for all other mentions."""
    learned = np.repeat(is_learned, np.diff(proposals.starts)).astype(np.float32)
    return {
        "learned": learned * features["alias"],
        "learned_prior": learned * features["prior"],
        "learned_tree": learned * features["tree_log"],
        "learned_names": learned * features["names"],
        "learned_popularity": learned * features["popularity"],
        "learned_around": learned * features["around"],
    }


def _others(
    words: EntityWords, mentions: Sequence[MentionInContext], asked: sparse.csr_matrix, pairs: Pairs, n_threads: int
) -> NDArray[np.float32]:
    """Likeness of descriptions to the words of the document's other mentions that are not the mention's own.

    What all mentions of a document say is held against each candidate once, and what the mention itself says is taken
    out again: a book's mentions need not each have a row with the words of all others.
    """
    idf = words.vectorizer.idf
    numbers = document_numbers(mentions)
    n_documents = int(numbers.max(initial=-1)) + 1
    shape = (n_documents, len(mentions))
    belongs = sparse.csr_matrix((np.ones(len(mentions), np.float32), (numbers, np.arange(len(mentions)))), shape=shape)
    together = (belongs @ asked).tocsr()
    together.data = idf[together.indices]
    firsts = np.searchsorted(numbers, np.arange(n_documents + 1))
    all_dots = words.overlap(together, Pairs(pairs.starts[firsts], pairs.rows), n_threads)
    own_dots = words.overlap(asked, pairs, n_threads)
    sums = np.asarray(together.sum(axis=1, dtype=np.float64)).ravel()[numbers]
    sums -= np.asarray(asked.sum(axis=1, dtype=np.float64)).ravel()
    is_alone = np.diff(together.indptr)[numbers] == np.diff(asked.indptr)
    lengths = np.where(is_alone, np.inf, np.sqrt(np.maximum(sums, 1e-9)))
    scales = words.description_scales[pairs.rows] / np.repeat(lengths, np.diff(pairs.starts))
    likeness: NDArray[np.float32] = (np.maximum(all_dots - own_dots, 0) * scales).astype(np.float32)
    return likeness


def document_numbers(mentions: Sequence[MentionInContext]) -> NDArray[np.int64]:
    """The number of each mention's document, from 0: mentions that follow one another belong to one, or do not."""
    is_new = [
        number > 0
        and (mention.document_id != mentions[number - 1].document_id)
        | (mention.document_text != mentions[number - 1].document_text)
        for number, mention in enumerate(mentions)
    ]
    return np.cumsum(is_new, dtype=np.int64)


def surroundings(mention: MentionInContext, window: int) -> str:
    """The text around the mention without the mention: its own words speak for every namesake alike."""
    context = mention.context(window)
    return context.replace(mention.text, " ") if mention.text else context
