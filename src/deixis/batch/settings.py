"""What a run of linking shards is: its job, which every process is given as JSON, and the formats that it knows."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from typing import Any

from deixis import __version__
from deixis.errors import ConfigError

PARQUET = "parquet"
LINES = ("native", "lines", "elevant", "elevant-links", "kilt", "blink", "damuel", "damuel-all", "hf")
"""Formats with a document on each line, whatever the other lines are."""
WITH_SIDE_FILES = ("zeshel", "mewsli")
SUFFIXES = {"native": ".jsonl", "csv": ".csv", "tsv": ".tsv", PARQUET: ".parquet"}
"""Formats that shards are written in, and how their files end."""
MAX_LINES = 2_000
"""Lines or rows of a shard, at most; few enough that no process waits long for the last ones."""
MAX_BYTES = 4 << 20
"""Bytes of lines of a shard, at most, unless a single line has more."""


@dataclass(frozen=True)
class Job:
    """How a run links: the model's folder and what is in it, options, formats, and the threads of each process.

    Examples
    --------
    >>> job = Job("model", "4f2a", 7, {"top_k": 3})
    >>> Job(**json.loads(json.dumps(asdict(job)))) == job, job.settings
    (True, '{"format": null, "ner": null, "options": {"top_k": 3}, "to": "native", "version": "0.1.0"}')
    """

    model: str
    model_id: str
    generation: int
    options: dict[str, Any] = field(default_factory=dict)
    format: str | None = None
    to: str = "native"
    ner: str | None = None
    n_threads: int = 1

    def __post_init__(self) -> None:
        if self.to not in SUFFIXES:
            raise ConfigError(f"Several processes write one of {', '.join(SUFFIXES)}; got {self.to!r}.")
        if self.format in WITH_SIDE_FILES:
            raise ConfigError(f"The format {self.format!r} has texts in files of their own; link it with one process.")

    @property
    def settings(self) -> str:
        """All but the model that an output depends on, as JSON."""
        names = ("options", "format", "to", "ner")
        values = {name: value for name, value in asdict(self).items() if name in names}
        return json.dumps(values | {"version": __version__}, sort_keys=True)
