"""Words of the mention, and of the text around it, in the names and the description of a candidate."""

from __future__ import annotations

import re
from itertools import pairwise

import numpy as np

from deixis.features.tokens import tokenize
from deixis.ranking.feature import Column, FeatureContext, feature
from deixis.ranking.features.own_names import is_named
from deixis.types import MentionInContext

NEAR, AROUND, TEXT = 200, 1000, 4000  # characters of text around a mention
MAX_SIMILARITY = 0.05  # in a short knowledge base three shared words must not outweigh a name
MAX_OF_SENTENCE = 0.15  # the words beside a mention may say more
_STOP = re.compile(r"[.!?。！？](?=\s)|\n|[。！？]")  # where a sentence ends
ALL_WORDS = 0.99  # a larger fraction is all words, but for rounding


@feature("mention_in_names", "fraction of the mention's words that its names have")
def mention_in_names(context: FeatureContext) -> Column:
    """By weight of the words, 0 to 1; words that the knowledge base does not have count."""
    fraction = context.words.share_named(context.mention_words, context.pairs, context.n_threads)
    return np.asarray(fraction * context.per_candidate(context.known_fractions), dtype=np.float32)


@feature("mention_fully_in_names", "its names have all words of the mention", sign="+")
def mention_fully_in_names(context: FeatureContext) -> Column:
    """1 where no word of the mention is missing."""
    return (mention_in_names(context) > ALL_WORDS).astype(np.float32)


@feature("mention_in_description", "fraction of the mention's words that its description has", sign="+")
def mention_in_description(context: FeatureContext) -> Column:
    """By weight of the words, 0 to 1; words that the knowledge base does not have count.

    0 in scripts without spaces: that a description has the characters of a mention says nothing.
    """
    fraction = context.words.share_described(context.mention_words, context.pairs, context.n_threads)
    known = context.known_fractions * np.array([_has_words(each) for each in context.texts], dtype=np.float32)
    return np.asarray(fraction * context.per_candidate(known), dtype=np.float32)


@feature(
    "mention_fully_in_description",
    "its description has all words of the mention, which is not one of its names",
    sign="+",
)
def mention_fully_in_description(context: FeatureContext) -> Column:
    """1 where no word is missing. Of an entity's own name its description says nothing new."""
    return (mention_in_description(context) > ALL_WORDS).astype(np.float32) * (1 - context.shared(is_named))


@feature("title_in_mention", "fraction of its title's words that the mention has", sign="+")
def title_in_mention(context: FeatureContext) -> Column:
    """By weight of the words, 0 to 1."""
    return context.words.title_share(context.mention_words, context.pairs, context.n_threads)


@feature("title_in_text", "fraction of its title's words that the text has elsewhere", sign="+")
def title_in_text(context: FeatureContext) -> Column:
    """By weight of the words, 0 to 1."""
    return context.words.title_share(context.words_around(TEXT), context.pairs, context.n_threads)


@feature("title_rest_in_text", "fraction of its title's words beyond the mention that the text has elsewhere", sign="+")
def title_rest_in_text(context: FeatureContext) -> Column:
    """By weight of the words, 0 to 1; 0 where the mention has the whole title."""
    words, text_words, mention_words = context.words, context.words_around(TEXT), context.mention_words
    is_own = mention_words.copy()
    is_own.data = np.ones_like(is_own.data)
    others = (text_words - text_words.multiply(is_own)).tocsr()
    rest = 1 - title_in_mention(context)
    fractions = words.title_share(others, context.pairs, context.n_threads)
    return np.where(rest > 1 - ALL_WORDS, fractions / np.maximum(rest, 1e-3), 0).astype(np.float32)


@feature("near", "cosine similarity of its description to the words nearby", sign="+")
def near(context: FeatureContext) -> Column:
    """Of `NEAR` characters, levelled."""
    return _description_similarity(context, NEAR)


@feature("around", "cosine similarity of its description to the words around", sign="+")
def around(context: FeatureContext) -> Column:
    """Of `AROUND` characters, levelled."""
    return _description_similarity(context, AROUND)


@feature("text", "cosine similarity of its description to the text", sign="+")
def text(context: FeatureContext) -> Column:
    """Of `TEXT` characters, levelled."""
    return _description_similarity(context, TEXT)


@feature("sentence", "cosine similarity of its description to the mention's own sentence", sign="+")
def sentence(context: FeatureContext) -> Column:
    """Of the sentence, levelled at `MAX_OF_SENTENCE`: two namesakes in one text stand in different sentences."""
    queries = context.words.queries([own_sentence(mention) for mention in context.mentions], context.n_threads)
    return levelled(context.words.similarity(queries, context.pairs, context.n_threads), MAX_OF_SENTENCE)


@feature("description_length", "logarithm of its description's length")
def description_length(context: FeatureContext) -> Column:
    """Of entities that matter more is written."""
    return context.log_sizes[0]


def levelled(similarity: Column, most: float = MAX_SIMILARITY) -> Column:
    """Similarity that grows ever less towards the most that it can be; a small one stays as it is.

    Examples
    --------
    >>> [round(one, 2) for one in levelled(np.array([0.01, 0.05, 1], dtype=np.float32)).tolist()]
    [0.01, 0.04, 0.05]
    """
    level: Column = np.float32(most) * np.tanh(similarity / np.float32(most))
    return level


def _description_similarity(context: FeatureContext, n_characters: int) -> Column:
    return levelled(context.words.similarity(context.words_around(n_characters), context.pairs, context.n_threads))


def own_sentence(mention: MentionInContext) -> str:
    """The text from the stop before the mention to the one after it, without the mention; at most `NEAR` characters.

    Examples
    --------
    >>> text = "The bank raised rates. We sat on the bank of the river. It rained."
    >>> own_sentence(MentionInContext("bank", text, 37, 41))
    ' We sat on the   of the river'
    """
    text, start, end = mention.document_text, mention.start, mention.end
    before, after = text[max(0, start - NEAR // 2) : start], text[end : end + NEAR // 2]
    return f"{_STOP.split(before)[-1]} {_STOP.split(after, maxsplit=1)[0]}"


def _has_words(text: str) -> bool:
    """Whether the tokens of a text are words, and not characters of a script without spaces."""
    tokens = [] if text.isascii() else tokenize(text)
    return all(token.end != after.start for token, after in pairwise(tokens))
