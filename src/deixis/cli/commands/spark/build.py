"""`deixis spark build`: lists in, a model folder out, the parts of the model built by the executors of a cluster."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Any

import click

from deixis.batch.run import Runner
from deixis.cli.commands.build import build_options, write_model
from deixis.cli.options import CommandWithSettings
from deixis.cli.session import Session, examples
from deixis.cli.spark_options import spark_options


@click.command(
    cls=CommandWithSettings,
    heading="Input, output and cluster",
    epilog=examples("deixis spark build list.jsonl -o model --master spark://host:7077"),
)
@build_options
@spark_options
def build(session: Session, cluster: AbstractContextManager[Runner], **values: Any) -> None:  # noqa: ANN401 - those of `write_model`
    """Build a model as `deixis build --workers` does, to the same bytes, on the executors of a Spark cluster.

    The folder that MODEL is in must have the same path on all machines: the parts are put together there. Lists and
    annotated documents are read by the driver only. See docs/how-to/spark.md
    """
    write_model(session, cluster, **values)
