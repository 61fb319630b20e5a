"""What speaks for each proposed entity, as numbers: names, popularity, the text around the mention, and the lists."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from deixis.features.entity_words import EntityWords, Pairs
from deixis.nearest.proposals import Proposals
from deixis.types import MentionInContext

NEAR, AROUND, TEXT = 200, 1000, 4000  # characters of text around a mention
LEAST = 1e-3  # a smaller share counts as this one where its logarithm is taken

FEATURES: dict[str, str] = {
    "names": "likeness of its best name",
    "names_squared": "the same, squared",
    "string": "similarity of its best name's spelling",
    "tree": "the label tree's score",
    "tree_log": "its logarithm",
    "alias": "has the mention as a name",
    "prior": "logarithm of how often the name means it",
    "title": "the mention is its title",
    "id": "the mention is its id",
    "popularity": "how often other descriptions speak of it",
    "popularity_unnamed": "the same, if the mention is not its name",
    "popularity_described": "the same, if its description has the mention",
    "named": "share of the mention's words that its names have",
    "fully_named": "its names have all of them",
    "described": "share of the mention's words that its description has",
    "fully_described": "its description has all of them",
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


def own_features(
    proposals: Proposals, popularity: NDArray[np.float32], facts: NDArray[np.float32]
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


def word_features(
    words: EntityWords, mentions: Sequence[MentionInContext], proposals: Proposals, n_threads: int
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
        "near": words.likeness(near, pairs, n_threads),
        "around": words.likeness(around, pairs, n_threads),
        "text": words.likeness(text, pairs, n_threads),
        "others": words.likeness(_others(mentions, asked), pairs, n_threads),
    }


def learned_features(
    features: dict[str, NDArray[np.float32]], is_learned: NDArray[np.bool_], proposals: Proposals
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


def _others(mentions: Sequence[MentionInContext], asked: sparse.csr_matrix) -> sparse.csr_matrix:
    """For each mention the words of the other mentions of its text, that are not its own."""
    text_to_number: dict[str, int] = {}
    numbers = [text_to_number.setdefault(mention.document_text, len(text_to_number)) for mention in mentions]
    belongs = sparse.csr_matrix((np.ones(len(numbers), np.float32), (numbers, np.arange(len(numbers)))))
    together = (belongs @ asked).tocsr()
    together.data = np.ones_like(together.data)
    own = asked.copy()
    own.data = np.ones_like(own.data)
    others = sparse.csr_matrix(together[np.array(numbers)] - own)
    others.eliminate_zeros()
    return others


def surroundings(mention: MentionInContext, window: int) -> str:
    """The text around the mention without the mention: its own words speak for every namesake alike."""
    context = mention.context(window)
    return context.replace(mention.text, " ") if mention.text else context
