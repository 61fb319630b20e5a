"""`deixis spark`: a Spark cluster does the work."""

from __future__ import annotations

import click

from deixis.cli.lazy_group import CommandEntry, LazyGroup
from deixis.cli.session import examples

COMMANDS = {
    "build": CommandEntry("deixis.cli.commands.spark.build:build", "Build a model from lists."),
    "link": CommandEntry("deixis.cli.commands.spark.link:link", "Link files into a folder."),
}


@click.group(
    cls=LazyGroup,
    entries=COMMANDS,
    epilog=examples(
        "deixis spark build /shared/list.jsonl -o /shared/model",
        "deixis spark link /shared/model /shared/articles -o /shared/links",
    ),
)
def spark() -> None:
    """Build and link on a Spark cluster, or through Spark on this machine. Needs the extra spark, and Java 17."""
