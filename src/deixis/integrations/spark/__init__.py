"""Linking with Apache Spark: a column of a DataFrame, or files in shards. Needs the extra `spark`, and Java 17."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from deixis.linking.options import LinkOptions
from deixis.registry import Lazy, LazyRegistry

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

PARTS = LazyRegistry(
    "part of the Spark integration",
    {
        "dataframe": Lazy("deixis.integrations.spark.dataframe:with_mentions", extra="spark"),
        "session": Lazy("deixis.integrations.spark.session:session", extra="spark"),
        "runner": Lazy("deixis.integrations.spark.runner:SparkRunner", extra="spark"),
    },
)
DEFAULT = LinkOptions()


def link(
    df: DataFrame,
    model: str | os.PathLike[str],
    text: str = "text",
    options: LinkOptions = DEFAULT,
    *,
    output: str = "mentions",
) -> DataFrame:
    """The DataFrame with a column of the mentions in the texts of another one; a missing text has none, but null.

    `model` is the path of a model's folder, the same on the driver and on every executor; each of their processes maps
    it once. A mention is a struct of what a native document has.
    """
    linked: DataFrame = PARTS["dataframe"](df, model, text, options, output)
    return linked
