"""Settings of a linker, and presets."""

from __future__ import annotations

from dataclasses import dataclass, field

from deixis.candidates.config import SourcesConfig
from deixis.candidates.xmred import XMRED
from deixis.config import Config, setting
from deixis.decision.calibrator import CalibrationConfig
from deixis.detection.config import FindingConfig
from deixis.detection.dictionary import DictionaryConfig
from deixis.errors import UnknownNameError
from deixis.linking.build_settings import OwnTextConfig, ThresholdConfig
from deixis.ranking.default_weights import RankerConfig


@dataclass(frozen=True)
class LinkerConfig(Config):
    """The settings of each stage, in the order of the pipeline.

    Examples
    --------
    >>> LinkerConfig.preset("xmred").candidates["label_tree"].features.context_weight
    1.0
    """

    RETIRED = {"rehearsal": None}  # scores are probabilities without mentions made from the knowledge base

    detection: DictionaryConfig = field(default_factory=DictionaryConfig)
    finding: FindingConfig = field(default_factory=FindingConfig)
    own_text: OwnTextConfig = field(default_factory=OwnTextConfig)
    candidates: SourcesConfig = field(default_factory=SourcesConfig)
    ranking: RankerConfig = field(default_factory=RankerConfig)
    calibration: CalibrationConfig = field(default_factory=CalibrationConfig)
    held_out_share: float = setting(
        0.2, "Share of --mentions held out to learn weights on.", low=0, below=1, cli="--held-out"
    )
    nil: ThresholdConfig = field(default_factory=ThresholdConfig)
    n_candidates: int = setting(20, "Candidates kept for each mention.", low=1, cli="--candidates")

    @classmethod
    def preset(cls, name: str) -> LinkerConfig:
        """A named starting point: `default`, or `xmred`, the paper's own recipe."""
        if name not in PRESETS:
            raise UnknownNameError("preset", name, known=PRESETS)
        return PRESETS[name]


_XMRED = LinkerConfig(
    candidates=XMRED,
    ranking=RankerConfig(weights="tree"),
    nil=ThresholdConfig(threshold=0.0),
)

PRESETS = {"default": LinkerConfig(), "xmred": _XMRED}
