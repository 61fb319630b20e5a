"""A column of mentions for a DataFrame, by `mapInArrow`: what each Python process of an executor does."""

from __future__ import annotations

import functools
import os
import sys
import warnings
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

import pyarrow
from pyspark.sql import DataFrame
from pyspark.sql.types import StringType

from deixis.batch.linking import BATCH_SIZE, job_of, open_for
from deixis.batch.settings import Job
from deixis.errors import ConfigError
from deixis.integrations.spark.mention_column import MENTIONS, SPARK_TYPE, mention_column
from deixis.linker import Linker
from deixis.linking.options import LinkOptions

MODELS_AT_ONCE = 2
"""Models that a process keeps open from one task to the next."""


def with_mentions(
    df: DataFrame, model: str | os.PathLike[str], text: str, options: LinkOptions, output: str
) -> DataFrame:
    """The DataFrame with a column of mentions; what is wrong with columns, model or options is an error at once."""
    columns = {field.name: field.dataType for field in df.schema.fields}
    if text not in columns or not isinstance(columns[text], StringType):
        names = ", ".join(f"{name} ({kind.simpleString()})" for name, kind in columns.items())
        raise ConfigError(f"There is no column {text!r} of texts; name it with text=. Columns: {names}.")
    if output in columns:
        raise ConfigError(f"There is a column {output!r} already; give another name with output=.")
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    job = job_of(model, options)
    fields = [f"`{field.name.replace('`', '``')}` {field.dataType.simpleString()}" for field in df.schema.fields]
    schema = ", ".join([*fields, f"`{output.replace('`', '``')}` {SPARK_TYPE}"])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)  # of the version of pandas, which nothing here uses
        return df.mapInArrow(Linking(job, text, output), schema)


@dataclass(frozen=True)
class Linking:
    """Links the texts of batches of rows; Spark sends it to the executors."""

    job: Job
    text: str
    output: str

    def __call__(self, batches: Iterable[Any]) -> Iterator[Any]:
        """Each batch with the column of mentions."""
        options = LinkOptions(**self.job.options)
        for batch in batches:
            texts = batch.column(batch.schema.get_field_index(self.text)).to_pylist()
            documents = _linker_of(self._key()).link_many(texts, options, batch_size=BATCH_SIZE)
            # Piece by piece, since a batch of Spark has thousands of rows, each with dozens of objects.
            pieces = [
                mention_column(
                    list(islice(documents, BATCH_SIZE)), [text is None for text in texts[first : first + BATCH_SIZE]]
                )
                for first in range(0, len(texts), BATCH_SIZE)
            ]
            mentions = pyarrow.concat_arrays(pieces) if pieces else mention_column([], [])
            schema = batch.schema.append(pyarrow.field(self.output, MENTIONS))
            yield pyarrow.RecordBatch.from_arrays([*batch.columns, mentions], schema=schema)

    def _key(self) -> tuple[str, str, int]:
        return self.job.model, self.job.model_id, self.job.generation


@functools.lru_cache(maxsize=MODELS_AT_ONCE)
def _linker_of(key: tuple[str, str, int]) -> Linker:
    return open_for(Job(*key))
