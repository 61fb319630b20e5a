"""The candidates of XMRED, to the letter: title and abstract of each entity as its only instance, and the tree alone.

Hinge loss, product of sigmoids, and no second opinion on context.
"""

from __future__ import annotations

from deixis.candidates.combined import UnionConfig
from deixis.candidates.sources.label_tree import LabelTreeCandidatesConfig
from deixis.candidates.sources.names import NameSearchConfig
from deixis.candidates.training_rows import PseudoInstancesConfig
from deixis.features.mention_features import MentionFeaturesConfig
from deixis.xmr.beam_search import BeamConfig
from deixis.xmr.linear_rankers import RankerConfig
from deixis.xmr.model import LabelTreeConfig

XMRED = UnionConfig(
    tree=LabelTreeCandidatesConfig(
        instances=PseudoInstancesConfig(has_descriptions=True, has_names=False, max_shared=0),
        features=MentionFeaturesConfig(),
        ranker=LabelTreeConfig(
            ranker=RankerConfig(loss="hinge"), beam=BeamConfig(width=10, path_score="sigmoid", memory=1.0)
        ),
        names=NameSearchConfig(tree_share=1.0, learned_tree_share=1.0),
    ),
    n_alias=0,
    n_string=0,
    n_names=0,
    n_described=0,
)
