"""Which candidate sources a linker has, in which order, and the settings of each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any

from deixis.candidates import SOURCES
from deixis.config import setting
from deixis.errors import ConfigError

DEFAULT_SOURCES = ("alias", "spelling", "names", "label_tree", "descriptions")
WITH_ENCODER = "vectors"  # the source that an encoder adds where no source uses one


class SourceConfigs(Mapping[str, type[Any]]):
    """The config class of each registered source, by name; a source's module is imported when it is needed."""

    def __getitem__(self, name: str) -> type[Any]:
        config_type: type[Any] = SOURCES[name].config_type
        return config_type

    def __contains__(self, name: object) -> bool:
        return name in SOURCES

    def __iter__(self) -> Iterator[str]:
        return iter(SOURCES)

    def __len__(self) -> int:
        return len(SOURCES)


@dataclass(frozen=True)
class SourcesConfig:
    """The sources of candidates, in order. `tables` has the settings of each; those that are not there are defaults.

    In TOML the tables stand beside `sources`: `candidates.alias.k = 50`.

    Examples
    --------
    >>> config = SourcesConfig(sources=("alias", "names"))
    >>> config["names"].k, config.with_source("spelling").sources
    (200, ('alias', 'names', 'spelling'))
    """

    sources: tuple[str, ...] = setting(DEFAULT_SOURCES, "Candidate sources, in order.", cli="--sources")
    tables: Mapping[str, Any] = field(default_factory=dict, metadata={"types": SourceConfigs()})

    def __post_init__(self) -> None:
        if not self.sources or len(set(self.sources)) < len(self.sources):
            raise ConfigError(f"Name at least one source of candidates, and each once; got {list(self.sources)}.")
        for name in (*self.sources, *self.tables):
            known, table = SourceConfigs()[name], self.tables.get(name)
            if table is not None and not isinstance(table, known):
                raise ConfigError(f"The source {name!r} has settings of {known.__name__}, got {table!r:.80}.")
        missing = {name: SourceConfigs()[name]() for name in self.sources if name not in self.tables}
        # A source that is not in use has a table only if it says something: equal settings are equal records.
        tables = {
            name: each for name, each in self.tables.items() if name in self.sources or each != self._default(name)
        }
        object.__setattr__(self, "tables", tables | missing)

    @staticmethod
    def _default(name: str) -> Any:  # noqa: ANN401 - each source has its own config class
        return SourceConfigs()[name]()

    def __getitem__(self, name: str) -> Any:  # noqa: ANN401 - each source has its own config class
        """The settings of a source, whether it is in use or not."""
        return self.tables[name] if name in self.tables else SourceConfigs()[name]()

    def with_source(self, name: str, config: Any = None) -> SourcesConfig:  # noqa: ANN401 - the source's own config
        """The same with this source, after the others if it is new, and with these settings if any are given."""
        sources = self.sources if name in self.sources else (*self.sources, name)
        return replace(self, sources=sources, tables={**self.tables, name: config or self[name]})

    def with_encoder(self, encoder: str) -> SourcesConfig:
        """The same with this encoder in every source that has one; without such a source `vectors` is added.

        Examples
        --------
        >>> config = SourcesConfig().with_encoder("minilm")
        >>> config.sources[-1], config["vectors"].encoder.name
        ('vectors', 'minilm')
        """
        config = self if any(map(self._has_encoder, self.sources)) else self.with_source(WITH_ENCODER)
        for name in filter(config._has_encoder, config.sources):
            own = config[name]
            config = config.with_source(name, replace(own, encoder=replace(own.encoder, name=encoder)))
        return config

    def _has_encoder(self, name: str) -> bool:
        return "encoder" in {each.name for each in fields(self[name])}
