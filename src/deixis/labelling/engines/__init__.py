"""Engines of the labeller: what learns to rank the labels of feature rows, whatever is inside.

An engine is a class `Engine(config: LabellerConfig)` that keeps to `Engine` in `protocol.py`; it reads its own part of
the settings (the tree's are `config.tree`). A new one is a module here, a line in `ENGINES`, a field of
`LabellerConfig` for its settings, and nothing else: `tests/contracts/test_labelling_engines.py` then asks it all.
It knows rows of features and numbers of labels; texts, names, labels that were never seen and augmentation (label texts
as further rows, with soft targets) are the labeller's affair.
"""

from __future__ import annotations

from deixis.registry import Lazy, LazyRegistry

ENGINES = LazyRegistry(
    "engine",
    {
        "tree": Lazy("deixis.labelling.engines.tree:TreeEngine"),
        "tree++": Lazy("deixis.labelling.engines.combined:CombinedTree"),
        "elias": Lazy("deixis.labelling.engines.encoded:EliasEngine"),
        "elias++": Lazy("deixis.labelling.engines.combined:CombinedElias"),
        "one-vs-all": Lazy("deixis.labelling.engines.encoded:OneVsAllEngine"),
        "one-vs-all++": Lazy("deixis.labelling.engines.combined:CombinedOneVsAll"),
    },
)
