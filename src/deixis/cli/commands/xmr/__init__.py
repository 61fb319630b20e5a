"""`deixis xmr`: labels of a large vocabulary for whole documents."""

from __future__ import annotations

import click

from deixis.cli.lazy_group import CommandEntry, LazyGroup
from deixis.cli.session import examples

COMMANDS = {
    "train": CommandEntry("deixis.cli.commands.xmr.train:train", "Learn from labelled documents."),
    "predict": CommandEntry("deixis.cli.commands.xmr.predict:predict", "Give documents labels."),
    "eval": CommandEntry("deixis.cli.commands.xmr.evaluate:evaluate", "Measure a model on labelled documents."),
}


@click.group(
    cls=LazyGroup,
    entries=COMMANDS,
    epilog=examples(
        "deixis xmr train train.jsonl --labels subjects.tsv -o model",
        "deixis xmr predict model new.jsonl -k 5",
        "deixis xmr eval model dev.jsonl",
    ),
)
def xmr() -> None:
    """Give whole documents labels of a large vocabulary: subjects, tags, products."""
