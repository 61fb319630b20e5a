"""`deixis spark link`: files in, links in a folder out, the shards linked by the executors of a cluster."""

from __future__ import annotations

from contextlib import AbstractContextManager

import click

from deixis.batch.run import Runner
from deixis.batch.settings import SUFFIXES
from deixis.cli.batch_report import link_in_shards
from deixis.cli.link_options import link_options
from deixis.cli.options import CommandWithSettings
from deixis.cli.session import Session, examples, session_options
from deixis.cli.spark_options import spark_options
from deixis.documents.formats import READERS
from deixis.linking.options import LinkOptions


@click.command(
    cls=CommandWithSettings,
    heading="Input, output and cluster",
    epilog=examples(
        "deixis spark link model articles/ -o links",
        "deixis spark link model articles/ -o links --master spark://host:7077",
    ),
)
@click.argument("model", type=click.Path())
@click.argument("files", nargs=-1, required=True, type=click.Path())
@click.option("-o", "--output", metavar="FOLDER", required=True, help="Write here; a rerun goes on.")
@click.option("--format", "format_", metavar="FORMAT", help=f"{', '.join(READERS)}. [default: detected]")
@click.option("--to", default="native", metavar="FORMAT", help=f"{', '.join(SUFFIXES)}. [default: native]")
@spark_options
@link_options()
@session_options("threads", "verify")
def link(
    session: Session,
    model: str,
    files: tuple[str, ...],
    output: str,
    format_: str | None,
    to: str,
    cluster: AbstractContextManager[Runner],
    options: LinkOptions,
) -> None:
    """Link FILES, or all files in folders, as `deixis link --workers` does, on the executors of a Spark cluster.

    MODEL, FILES and the output folder must have the same paths on all machines. See docs/how-to/spark.md
    """
    with session.watching(), cluster as runner:
        link_in_shards(session, model, files, output, options, format=format_, to=to, runner=runner)
