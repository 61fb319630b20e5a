"""Everything a linker can be told, and named starting points."""

from __future__ import annotations

from dataclasses import dataclass, field

from deixis.candidates.combined import UnionConfig
from deixis.candidates.sources.label_tree import LabelTreeCandidatesConfig
from deixis.candidates.sources.names import NameSearchConfig
from deixis.candidates.training_rows import PseudoInstancesConfig
from deixis.decision.calibrator import CalibrationConfig
from deixis.detection.config import FindingConfig
from deixis.detection.dictionary import DictionaryConfig
from deixis.errors import ConfigError, UnknownNameError
from deixis.features.mention_features import MentionFeaturesConfig
from deixis.linking.nil import NilRule
from deixis.linking.own_text import OwnTextConfig
from deixis.linking.rehearsal import RehearsalConfig
from deixis.ranking.ranker import FusionConfig
from deixis.xmr.beam_search import BeamConfig
from deixis.xmr.linear_rankers import RankerConfig
from deixis.xmr.model import LabelTreeConfig


@dataclass(frozen=True)
class LinkerConfig:
    """The settings of each station, in the order a mention walks through them.

    Examples
    --------
    >>> LinkerConfig.preset("xmred").candidates.tree.features.context_weight
    1.0
    """

    detection: DictionaryConfig = field(default_factory=DictionaryConfig)
    finding: FindingConfig = field(default_factory=FindingConfig)
    own_text: OwnTextConfig = field(default_factory=OwnTextConfig)
    candidates: UnionConfig = field(default_factory=UnionConfig)
    ranking: FusionConfig = field(default_factory=FusionConfig)
    calibration: CalibrationConfig = field(default_factory=CalibrationConfig)
    held_out_share: float = field(
        default=0.2,
        metadata={
            "help": "Share of annotated documents that a first linker is built without, to weigh evidence and "
            "calibrate on; 0: neither, and half the time."
        },
    )
    rehearsal: RehearsalConfig = field(default_factory=RehearsalConfig)
    nil: NilRule = field(default_factory=NilRule)
    n_candidates: int = field(default=20, metadata={"help": "Candidates kept for each mention."})

    def __post_init__(self) -> None:
        if self.n_candidates < 1:
            raise ConfigError(f"n_candidates must be at least 1, got {self.n_candidates}.")
        if not 0 <= self.held_out_share < 1:
            raise ConfigError(f"held_out_share must lie in 0..1, without 1, got {self.held_out_share}.")

    @classmethod
    def preset(cls, name: str) -> LinkerConfig:
        """A named starting point: `default`, or `xmred`, the paper's own recipe."""
        if name not in PRESETS:
            raise UnknownNameError("preset", name, known=PRESETS)
        return PRESETS[name]


# The paper to the letter: title and abstract of each entity as its only instance, hinge loss, product of sigmoids,
# and no second opinion on context.
_XMRED = LinkerConfig(
    candidates=UnionConfig(
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
    ),
    ranking=FusionConfig(weights="tree"),
    rehearsal=RehearsalConfig(use="never"),
    finding=FindingConfig(scoring="rules"),
    nil=NilRule(threshold=0.0),
)

PRESETS = {"default": LinkerConfig(), "xmred": _XMRED}
