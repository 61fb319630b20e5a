"""The encoder that settings name: the bag of embeddings, or one of texts."""

from __future__ import annotations

from collections.abc import Sequence

from deixis.errors import ConfigError
from deixis.neural.batches import TrainableEncoder
from deixis.neural.one_vs_all.bag_module import BagModule
from deixis.neural.one_vs_all.config import BAG, BagConfig, TextConfig
from deixis.registry import Lazy, LazyRegistry

# Its library takes seconds to import, and most trainings do without.
TEXT_ENCODERS = LazyRegistry(
    "text encoder", {"text": Lazy("deixis.neural.one_vs_all.text_module:open_text_module", extra="neural")}
)


def open_encoder(
    name: str, bag: BagConfig, text: TextConfig, n_features: int, texts: Sequence[str] | None
) -> TrainableEncoder:
    """The encoder of this name; one that reads texts needs some."""
    if name == BAG:
        return BagModule(n_features, bag)
    if texts is None:
        raise ConfigError(
            f"The encoder {name!r} reads texts, and there are only rows of features. Give texts, or take the "
            f"encoder {BAG!r}."
        )
    module: TrainableEncoder = TEXT_ENCODERS["text"](name, text, bag.scale, n_features)
    return module
