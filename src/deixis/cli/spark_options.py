"""The options that say which Spark cluster does the work, the same in every command that lets one do it."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from deixis.integrations.spark import PARTS

if TYPE_CHECKING:
    from deixis.batch.run import Runner


def spark_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Adds --master and --conf; the command receives `cluster`, a context that starts Spark and gives its runner."""

    @click.option("--master", metavar="URL", help="Address of the cluster. [default: as spark-submit has it, or here]")
    @click.option("--conf", "pairs", multiple=True, metavar="KEY=VALUE", help="A setting of Spark. May be repeated.")
    @functools.wraps(command)
    def with_cluster(*arguments: Any, master: str | None, pairs: tuple[str, ...], **values: Any) -> Any:  # noqa: ANN401 - whatever the command returns
        return command(*arguments, cluster=_cluster(master, dict(map(_setting, pairs))), **values)

    decorated: Callable[..., Any] = with_cluster
    return decorated


@contextmanager
def _cluster(master: str | None, settings: Mapping[str, str]) -> Iterator[Runner]:
    session = PARTS["session"](master, settings)
    try:
        yield PARTS["runner"](session)
    finally:
        session.stop()


def _setting(word: str) -> tuple[str, str]:
    name, sign, value = word.partition("=")
    if not sign or not name:
        raise click.UsageError(f"--conf takes KEY=VALUE, such as spark.executor.memory=4g; got {word!r}.")
    return name, value
