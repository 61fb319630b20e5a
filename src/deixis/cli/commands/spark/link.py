"""`deixis spark link`: files in, links in a folder out, the shards linked by the executors of a cluster."""

from __future__ import annotations

import click

from deixis.batch.settings import SUFFIXES
from deixis.cli.batch_report import link_in_shards
from deixis.cli.link_options import link_options
from deixis.cli.options import CommandWithSettings
from deixis.cli.session import Session, examples, session_options
from deixis.documents.formats import READERS
from deixis.integrations.spark import PARTS
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
@click.option("--master", metavar="URL", help="Address of the cluster. [default: as spark-submit has it, or here]")
@click.option("--conf", "settings", multiple=True, metavar="KEY=VALUE", help="A setting of Spark. May be repeated.")
@link_options()
@session_options("threads", "verify")
def link(
    session: Session,
    model: str,
    files: tuple[str, ...],
    output: str,
    format_: str | None,
    to: str,
    master: str | None,
    settings: tuple[str, ...],
    options: LinkOptions,
) -> None:
    """Link FILES, or all files in folders, as `deixis link --workers` does, on the executors of a Spark cluster.

    MODEL, FILES and the output folder must have the same paths on all machines. See docs/how-to/spark.md
    """
    pairs = dict(_setting(each) for each in settings)
    with session.watching():
        cluster = PARTS["session"](master, pairs)
        try:
            link_in_shards(
                session, model, files, output, options, format=format_, to=to, runner=PARTS["runner"](cluster)
            )
        finally:
            cluster.stop()


def _setting(word: str) -> tuple[str, str]:
    name, sign, value = word.partition("=")
    if not sign or not name:
        raise click.UsageError(f"--conf takes KEY=VALUE, such as spark.executor.memory=4g; got {word!r}.")
    return name, value
