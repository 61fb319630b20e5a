"""The settings of a linker's model as they are saved, and back."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from deixis.candidates.old_settings import current_settings
from deixis.config import config_to_dict
from deixis.linking.build_settings import ThresholdConfig
from deixis.linking.config import LinkerConfig
from deixis.linking.model import LinkerModel
from deixis.store.model_folder import StoredModel


def stored_config(model: LinkerModel) -> dict[str, Any]:
    """The settings to save, with the threshold in force."""
    given = model.decisions.given
    return config_to_dict(replace(model.config, nil=ThresholdConfig(given.threshold, given.target_precision)))


def stored_settings(stored: StoredModel) -> LinkerConfig:
    """The settings of a model, those of earlier versions under their names of today."""
    candidates = stored.config.get("candidates")
    if not isinstance(candidates, dict):
        return stored.settings(LinkerConfig)
    config = stored.config | {"candidates": current_settings(candidates)}
    return replace(stored, manifest=replace(stored.manifest, config=config)).settings(LinkerConfig)
