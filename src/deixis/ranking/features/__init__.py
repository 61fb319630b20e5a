"""The features that candidates are ranked by, in the order in which they are summed.

A new feature is one function in a module of this room and one line at the end of `FEATURES`. It weighs 0 until weights
are fitted, or one is measured for `default_weights.json`. Where a feature is renamed or removed, `RENAMED` or
`RETIRED` says so: saved models know features by name.
"""

from __future__ import annotations

from deixis.ranking.feature import RankingFeature
from deixis.ranking.features import document, names, own_names, popularity, seen_names, sources, vectors, words

FEATURES: dict[str, RankingFeature] = {
    each.name: each
    for each in (
        sources.names,
        sources.names_squared,
        sources.spelling,
        sources.label_tree,
        sources.label_tree_log,
        sources.alias,
        sources.prior,
        names.title,
        names.entity_id,
        popularity.popularity,
        popularity.popularity_unnamed,
        popularity.popularity_described,
        words.mention_in_names,
        words.mention_fully_in_names,
        words.mention_in_description,
        words.mention_fully_in_description,
        words.title_in_mention,
        words.title_in_text,
        words.near,
        words.around,
        words.text,
        document.others,
        words.description_length,
        names.n_names,
        seen_names.learned,
        seen_names.learned_prior,
        seen_names.learned_label_tree,
        seen_names.learned_names,
        seen_names.learned_popularity,
        seen_names.learned_around,
        vectors.vectors,
        vectors.name_vectors,
        own_names.initials,
        own_names.stated,
        own_names.people,
        own_names.thing,
        words.title_rest_in_text,
        words.sentence,
    )
}
"""The ranking features by name."""

RENAMED = {
    "string": "spelling",
    "tree": "label_tree",
    "tree_log": "label_tree_log",
    "learned_tree": "learned_label_tree",
    "named": "mention_in_names",
    "fully_named": "mention_fully_in_names",
    "described": "mention_in_description",
    "fully_described": "mention_fully_in_description",
    "dense": "vectors",
}
"""Features that saved weights may know by an older name."""

RETIRED: frozenset[str] = frozenset()
"""Features that are gone: a weight that a saved model has for one is passed over."""
