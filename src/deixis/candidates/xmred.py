"""The candidates of XMRED, to the letter: title and abstract of each entity as its only instance, and the tree alone.

Hinge loss, product of sigmoids, and no further source for context.
"""

from __future__ import annotations

from deixis.candidates.config import SourcesConfig
from deixis.candidates.sources.label_tree import LabelTreeSourceConfig
from deixis.candidates.training_rows import PseudoInstancesConfig
from deixis.features.mention_features import MentionFeaturesConfig
from deixis.xmr.beam_search import BeamConfig
from deixis.xmr.linear_rankers import RankerConfig
from deixis.xmr.model import LabelTreeConfig

XMRED = SourcesConfig(
    sources=("label_tree",),
    tables={
        "label_tree": LabelTreeSourceConfig(
            instances=PseudoInstancesConfig(has_descriptions=True, has_names=False, max_shared=0),
            features=MentionFeaturesConfig(),
            ranker=LabelTreeConfig(
                ranker=RankerConfig(loss="hinge"), beam=BeamConfig(width=10, path_score="sigmoid", memory=1.0)
            ),
        )
    },
)
