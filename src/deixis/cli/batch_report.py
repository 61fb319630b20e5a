"""Linking by several processes or a cluster, at the console: what came of it, and how to go on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from deixis.batch import RUNS
from deixis.cli.link_options import load_linker
from deixis.cli.session import Session
from deixis.cli.timing import format_seconds
from deixis.linking.options import LinkOptions

if TYPE_CHECKING:
    from deixis.batch.run import BatchSummary


def link_in_shards(
    session: Session,
    model: str,
    files: tuple[str, ...],
    output: str,
    options: LinkOptions,
    **how: Any,  # noqa: ANN401 - the further keywords of `link_files`
) -> None:
    """Links files into a folder and reports on it; stopped, it says how to go on."""
    load_linker(model, session, options)  # what is wrong with it or the options is said before a file is read
    try:
        summary: BatchSummary = RUNS["link"](model, files, output, options, n_threads=session.threads or 1, **how)
    except KeyboardInterrupt:
        session.note(f"What is linked is in {output}; the same command goes on from there.")
        raise
    report(session, summary, output)


def report(session: Session, summary: BatchSummary, output: str) -> None:
    """What a run did, and where to see what was left out."""
    n_shards = summary.n_linked + summary.n_unchanged
    unchanged = f", {summary.n_unchanged:,} of them linked before" if summary.n_unchanged else ""
    session.note(f"{summary.n_documents:,} documents in {n_shards:,} shards{unchanged}: {output}")
    if summary.n_linked:
        session.note(f"Processor time of linking: {format_seconds(summary.cpu_seconds)}")
    if summary.bad is not None:
        session.note(f"Left out: {summary.n_bad:,} documents; which and why: {click.format_filename(summary.bad)}")
    if summary.n_others:
        session.note(f"There are {summary.n_others:,} outputs of other files, which were not touched.")
