"""Everything a linker can be told, and named starting points."""

from __future__ import annotations

from dataclasses import dataclass, field

from deixis.candidates.label_tree import LabelTreeCandidatesConfig
from deixis.candidates.name_search import NameSearchConfig
from deixis.candidates.pseudo_instances import PseudoInstancesConfig
from deixis.detection.dictionary import DictionaryConfig
from deixis.errors import ConfigError, UnknownNameError
from deixis.features.mention_features import MentionFeaturesConfig
from deixis.linking.nil import NilRule
from deixis.linking.rehearsal import RehearsalConfig
from deixis.ranking.calibration import CalibrationConfig
from deixis.ranking.context import ContextRankerConfig
from deixis.xmr.beam_search import BeamConfig
from deixis.xmr.linear_rankers import RankerConfig
from deixis.xmr.model import LabelTreeConfig


@dataclass(frozen=True)
class LinkerConfig:
    """The settings of each station, in the order a mention walks through them.

    Examples
    --------
    >>> LinkerConfig.preset("xmred").candidates.features.context_weight
    1.0
    """

    detection: DictionaryConfig = field(default_factory=DictionaryConfig)
    candidates: LabelTreeCandidatesConfig = field(default_factory=LabelTreeCandidatesConfig)
    ranking: ContextRankerConfig = field(default_factory=ContextRankerConfig)
    calibration: CalibrationConfig = field(default_factory=CalibrationConfig)
    calibration_share: float = field(
        default=0.0,
        metadata={"help": "Share of annotated documents that calibrate a first linker, built without them; 0: none."},
    )
    rehearsal: RehearsalConfig = field(default_factory=RehearsalConfig)
    nil: NilRule = field(default_factory=NilRule)
    n_candidates: int = field(default=20, metadata={"help": "Candidates kept for each mention."})

    def __post_init__(self) -> None:
        if self.n_candidates < 1:
            raise ConfigError(f"n_candidates must be at least 1, got {self.n_candidates}.")
        if not 0 <= self.calibration_share < 1:
            raise ConfigError(f"calibration_share must lie in 0..1, without 1, got {self.calibration_share}.")

    @classmethod
    def preset(cls, name: str) -> LinkerConfig:
        """A named starting point: `default`, or `xmred`, the paper's own recipe."""
        if name not in PRESETS:
            raise UnknownNameError("preset", name, known=PRESETS)
        return PRESETS[name]


# The paper to the letter: title and abstract of each entity as its only instance, hinge loss, product of sigmoids,
# and no second opinion on context.
_XMRED = LinkerConfig(
    candidates=LabelTreeCandidatesConfig(
        instances=PseudoInstancesConfig(has_descriptions=True, has_names=False, max_shared=0),
        features=MentionFeaturesConfig(),
        ranker=LabelTreeConfig(
            ranker=RankerConfig(loss="hinge"), beam=BeamConfig(width=10, path_score="sigmoid", memory=1.0)
        ),
        names=NameSearchConfig(tree_share=1.0, learned_tree_share=1.0),
    ),
    ranking=ContextRankerConfig(title_weight=0.0, alias_weight=0.0, context_weight=0.0, prior_weight=0.0),
    rehearsal=RehearsalConfig(use="never"),
    nil=NilRule(threshold=0.0),
)

PRESETS = {"default": LinkerConfig(), "xmred": _XMRED}
