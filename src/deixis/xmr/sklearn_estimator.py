"""What scikit-learn asks of an estimator (clone, pipelines, grid search), by hand: nothing here imports it."""

from __future__ import annotations

import dataclasses
import inspect
from types import SimpleNamespace
from typing import Any, Self

from deixis.errors import ConfigError


class SklearnEstimator:
    """Constructor arguments as parameters; settings inside a config by path, as in `config__beam__width`.

    Examples
    --------
    >>> class Ranker(SklearnEstimator):
    ...     def __init__(self, seed: int = 0) -> None:
    ...         self.seed = seed
    >>> Ranker().set_params(seed=3).get_params()
    {'seed': 3}
    """

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The constructor's arguments by name, and with `deep` every setting of those that are configs."""
        names = [name for name in inspect.signature(type(self)).parameters]
        params = {name: getattr(self, name) for name in names}
        return params | _settings(params) if deep else params

    def set_params(self, **params: Any) -> Self:  # noqa: ANN401 - a parameter can be anything
        """Itself, with these parameters changed."""
        for path, value in params.items():
            known = self.get_params()
            if path not in known:
                raise ConfigError(f"No parameter {path!r}. Known: {', '.join(sorted(known))}.")
            name, *inner = path.split("__")
            setattr(self, name, _replaced(getattr(self, name), inner, value))
        return self

    def __sklearn_tags__(self) -> SimpleNamespace:
        """The shape of scikit-learn's `Tags`: a multi-label estimator on sparse rows that is none of its own kinds."""
        return SimpleNamespace(
            estimator_type=None,
            target_tags=SimpleNamespace(
                required=True,
                one_d_labels=False,
                two_d_labels=True,
                positive_only=False,
                multi_output=True,
                single_output=False,
            ),
            transformer_tags=None,
            classifier_tags=None,
            regressor_tags=None,
            array_api_support=False,
            no_validation=False,
            non_deterministic=False,
            requires_fit=True,
            _skip_test=False,
            input_tags=SimpleNamespace(
                one_d_array=False,
                two_d_array=True,
                three_d_array=False,
                sparse=True,
                categorical=False,
                string=False,
                dict=False,
                positive_only=False,
                allow_nan=False,
                pairwise=False,
            ),
        )


def _settings(values: dict[str, Any], prefix: str = "") -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in values.items():
        if prefix:
            found[prefix + name] = value
        if dataclasses.is_dataclass(value) and not isinstance(value, type):
            inner = {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
            found |= _settings(inner, f"{prefix}{name}__")
    return found


def _replaced(owner: Any, path: list[str], value: Any) -> Any:  # noqa: ANN401 - configs of any kind
    """The config `owner` with the setting at `path` changed."""
    if not path:
        return value
    return dataclasses.replace(owner, **{path[0]: _replaced(getattr(owner, path[0]), path[1:], value)})
