"""The settings of the spaCy component: seven of its own, and the fields of `LinkOptions`, which say how to link."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from inspect import Parameter
from typing import Any, Literal, get_origin, get_type_hints

from deixis.config import Config, setting, settings_of
from deixis.decision.type_thresholds import TypeThresholds
from deixis.errors import ConfigError
from deixis.integrations.spacy.alignment import Alignment
from deixis.linking.options import LinkOptions

Given = Literal["own", "ents", "both"]
USED_HERE = frozenset({"overlaps"})  # the component needs both what overlaps and what does not
RENAMED = {"subset": "ids"}
"""Settings of 0.1 that are accepted in this release, and what they are called now."""


@dataclass(frozen=True)
class ComponentConfig(Config):
    """What `nlp.add_pipe("deixis", config={...})` takes; the fields of `options` are settings beside the others.

    Examples
    --------
    >>> ComponentConfig.from_settings({"spans": "ents", "types": ["city"], "threshold": 0.5})  # doctest: +ELLIPSIS
    ComponentConfig(model=None, spans='ents', ... options=LinkOptions(types=('city',), ids=(), ... threshold=0.5, ...))
    """

    model: str | None = setting(None, "Model folder. None: a pipeline from disk has its own.")
    spans: Given = setting("own", "What is linked: names found here, the entities of doc.ents, or both.")
    alignment: Alignment = setting("expand", "Names that end inside a token: grow, shrink, or are left out (strict).")
    spans_key: str = setting("deixis", "Where in doc.spans all go, overlapping ones too.")
    label: str = setting("ENTITY", "Label of spans that no earlier component has labelled.")
    nil_id: str = setting("NIL", "kb_id_ of what means nothing in the knowledge base.")
    n_threads: int = setting(0, "Threads of one process. 0: all processors.", low=0)
    options: LinkOptions = field(default_factory=LinkOptions, metadata={"help": "How to link."})

    @classmethod
    def from_settings(cls, settings: Mapping[str, Any]) -> ComponentConfig:
        """The config of settings by name; an option of None has its default. An old name is accepted with a warning."""
        values = dict(settings)
        for old, new in RENAMED.items():
            value = values.pop(old, None)
            if value is None:
                continue
            if values.get(new) is not None:
                raise ConfigError(
                    f"The setting {old!r} is called {new!r} now, and both were given. Give {new!r} alone."
                )
            warnings.warn(f"The setting {old!r} is called {new!r} now.", FutureWarning, stacklevel=2)
            values[new] = value
        own = {name: values.pop(name) for name in _own_types() if name in values}
        return cls(**own, options=LinkOptions().with_changes(**values))


def default_settings() -> dict[str, Any]:
    """Every setting with its default, as JSON holds it: an option that is not given is None or false."""
    defaults = {each.name: each.default for each in fields(ComponentConfig) if each.name != "options"}
    options = {each.name: each.default for each in fields(LinkOptions) if each.name not in USED_HERE}
    return defaults | {name: None if default == () else default for name, default in options.items()}


def setting_parameters() -> list[Parameter]:
    """Every setting as a keyword with its type, by which spaCy checks what it is given; old names come last."""
    types = _own_types()
    for name, hint in get_type_hints(LinkOptions).items():
        if name not in USED_HERE:
            is_names = get_origin(hint) is tuple
            types[name] = dict[str, float] | None if hint == TypeThresholds else list[str] | None if is_names else hint
    parameters = [Parameter(name, Parameter.KEYWORD_ONLY, annotation=hint) for name, hint in types.items()]
    return parameters + [
        Parameter(old, Parameter.KEYWORD_ONLY, annotation=types[new], default=None) for old, new in RENAMED.items()
    ]


def _own_types() -> dict[str, Any]:
    return {each.name: each.hint for each in settings_of(ComponentConfig) if each.name != "options"}
