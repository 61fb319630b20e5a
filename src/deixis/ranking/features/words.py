"""Words of the mention, and of the text around it, in the names and the description of a candidate."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from deixis.features.tokens import tokenize
from deixis.ranking.context_words import AROUND, NEAR, SENTENCE, TEXT, ContextWords
from deixis.ranking.feature import Column, FeatureContext, feature

MAX_SIMILARITY = 0.05  # in a short knowledge base three shared words must not outweigh a name
MAX_OF_SENTENCE = 0.15  # the words beside a mention may say more
ALL_WORDS = 0.99  # a larger fraction is all words, but for rounding


@feature("mention_in_names", "fraction of the mention's words that its names have", reads_context=False)
def mention_in_names(context: FeatureContext) -> Column:
    """By weight of the words, 0 to 1; words that the knowledge base does not have count."""
    fraction = context.words.share_named(context.mention_words, context.pairs, context.n_threads)
    fraction *= context.per_candidate(context.known_fractions)
    return fraction


@feature("mention_fully_in_names", "its names have all words of the mention", sign="+", reads_context=False)
def mention_fully_in_names(context: FeatureContext) -> Column:
    """1 where no word of the mention is missing."""
    return (mention_in_names(context) > ALL_WORDS).astype(np.float32)


@feature(
    "mention_in_description", "fraction of the mention's words that its description has", sign="+", reads_context=False
)
def mention_in_description(context: FeatureContext) -> Column:
    """By weight of the words, 0 to 1; words that the knowledge base does not have count.

    0 in scripts without spaces: that a description has the characters of a mention says nothing.
    """
    fraction = context.words.share_described(context.mention_words, context.pairs, context.n_threads)
    known = context.known_fractions * np.array([_has_words(each) for each in context.texts], dtype=np.float32)
    fraction *= context.per_candidate(known)
    return fraction


@feature(
    "mention_fully_in_description",
    "its description has all words of the mention, which is not one of its names",
    sign="+",
    reads_context=False,
)
def mention_fully_in_description(context: FeatureContext) -> Column:
    """1 where no word is missing. Of an entity's own name its description says nothing new."""
    return (mention_in_description(context) > ALL_WORDS).astype(np.float32) * (1 - context.names.named)


@feature("title_in_mention", "fraction of its title's words that the mention has", sign="+", reads_context=False)
def title_in_mention(context: FeatureContext) -> Column:
    """By weight of the words, 0 to 1."""
    return context.words.title_share(context.mention_words, context.pairs, context.n_threads)


@feature("title_in_text", "fraction of its title's words that the text has elsewhere", sign="+")
def title_in_text(context: FeatureContext) -> Column:
    """By weight of the words, 0 to 1."""
    return context.shared(ContextWords).title


@feature("title_rest_in_text", "fraction of its title's words beyond the mention that the text has elsewhere", sign="+")
def title_rest_in_text(context: FeatureContext) -> Column:
    """By weight of the words, 0 to 1; 0 where the mention has the whole title."""
    return context.shared(ContextWords).rest_of_title


@feature("near", "cosine similarity of its description to the words nearby", sign="+")
def near(context: FeatureContext) -> Column:
    """Of `NEAR` characters, levelled."""
    return levelled(context.shared(ContextWords).described(NEAR))


@feature("around", "cosine similarity of its description to the words around", sign="+")
def around(context: FeatureContext) -> Column:
    """Of `AROUND` characters, levelled."""
    return levelled(context.shared(ContextWords).described(AROUND))


@feature("text", "cosine similarity of its description to the text", sign="+")
def text(context: FeatureContext) -> Column:
    """Of `TEXT` characters, levelled."""
    return levelled(context.shared(ContextWords).described(TEXT))


@feature("sentence", "cosine similarity of its description to the mention's own sentence", sign="+")
def sentence(context: FeatureContext) -> Column:
    """Of the sentence, levelled at `MAX_OF_SENTENCE`: two namesakes in one text stand in different sentences."""
    return levelled(context.shared(ContextWords).described(SENTENCE), MAX_OF_SENTENCE)


@feature("description_length", "logarithm of its description's length", reads_context=False)
def description_length(context: FeatureContext) -> Column:
    """Of entities that matter more is written."""
    return context.names.description_length


def levelled(similarity: Column, most: float = MAX_SIMILARITY) -> Column:
    """Similarity that grows ever less towards the most that it can be; a small one stays as it is.

    Examples
    --------
    >>> [round(one, 2) for one in levelled(np.array([0.01, 0.05, 1], dtype=np.float32)).tolist()]
    [0.01, 0.04, 0.05]
    """
    level: Column = np.float32(most) * np.tanh(similarity / np.float32(most))
    return level


def _has_words(text: str) -> bool:
    """Whether the tokens of a text are words, and not characters of a script without spaces."""
    return text.isascii() or all(token.end != after.start for token, after in pairwise(tokenize(text)))
