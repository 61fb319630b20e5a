"""The candidates of XMRED, to the letter: title and abstract of each entity as its only instance, and the tree alone.

Nodes split into 16 until they have at most 100 labels, rankers have hinge loss, a path's score is a product of
sigmoids, and the context is the whole document (at most 20,000 characters of it, so that a book with thousands of
mentions is not counted thousands of times).
"""

from __future__ import annotations

from deixis.candidates.config import SourcesConfig
from deixis.candidates.sources.label_tree import LabelTreeSourceConfig
from deixis.candidates.training_rows import PseudoInstancesConfig
from deixis.features.mention_features import MentionFeaturesConfig
from deixis.xmr.beam_search import BeamConfig
from deixis.xmr.label_tree import TreeConfig
from deixis.xmr.linear_rankers import RankerConfig
from deixis.xmr.model import LabelTreeConfig

XMRED = SourcesConfig(
    sources=("label_tree",),
    tables={
        "label_tree": LabelTreeSourceConfig(
            instances=PseudoInstancesConfig(has_descriptions=True, has_names=False, max_shared=0),
            features=MentionFeaturesConfig(context_window=20_000),
            ranker=LabelTreeConfig(
                tree=TreeConfig(balance="full"),
                ranker=RankerConfig(loss="hinge"),
                beam=BeamConfig(width=10, path_score="sigmoid", memory=1.0),
            ),
        )
    },
)
