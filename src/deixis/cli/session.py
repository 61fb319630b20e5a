"""One run of a command: the options of every command (--quiet, --json, --debug), its clock and its voice."""

from __future__ import annotations

import functools
import logging
import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, TypeVar

import click

F = TypeVar("F", bound=Callable[..., Any])


@dataclass
class Session:
    """What every command knows; messages go to stderr, results to stdout.

    Examples
    --------
    >>> Session(is_quiet=True).note("nobody hears this")
    """

    is_quiet: bool = False
    is_json: bool = False
    is_debug: bool = field(default_factory=lambda: bool(os.environ.get("DEIXIS_DEBUG")))
    threads: int = 0
    seed: int = 0
    verify: bool = False
    started: float = field(default_factory=time.perf_counter)

    def note(self, message: str = "") -> None:
        """Says something about the work, unless the user wants quiet."""
        if not self.is_quiet:
            click.echo(message, err=True)

    def listen_to_warnings(self) -> None:
        """Lets the library's warnings (with `--debug` all it logs) reach stderr."""
        logger = logging.getLogger("deixis")
        for old in [handler for handler in logger.handlers if handler.get_name() == "deixis.cli"]:
            logger.removeHandler(old)
        handler = _OnStderr()
        handler.set_name("deixis.cli")
        handler.setFormatter(logging.Formatter("%(levelname)s: %(message)s"))
        handler.setLevel(logging.DEBUG if self.is_debug else logging.ERROR if self.is_quiet else logging.WARNING)
        logger.addHandler(handler)
        if self.is_debug:
            logger.setLevel(logging.DEBUG)

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Shows progress while the block runs, and time and memory when it has ended well."""
        from deixis.cli.progress_bars import watch_progress

        with watch_progress(is_shown=not self.is_quiet and sys.stderr.isatty(), say=self.note) as watch:
            yield
        if not self.is_quiet:
            for line in watch.summary():
                self.note(line)
            self.note(f"Done in {time_and_memory(time.perf_counter() - self.started)}.")


class _OnStderr(logging.Handler):
    """Writes to stderr as it is at the time: while bars are drawn there, lines go above them."""

    def emit(self, record: logging.LogRecord) -> None:
        click.echo(self.format(record), err=True)


def time_and_memory(seconds: float) -> str:
    """A phrase with elapsed time, processor time so far and the most memory ever held."""
    from deixis.cli.timing import cpu_seconds, format_bytes, format_seconds, peak_memory

    words = f"{format_seconds(seconds)} ({format_seconds(cpu_seconds())} of processor time)"
    peak = peak_memory()
    return words if peak is None else f"{words}, peak memory {format_bytes(peak)}"


class CommonOption(click.Option):
    """An option of every command; help names it in one line, and `deixis --help` describes it."""

    is_common = True


_option = functools.partial(click.option, cls=CommonOption)
_OPTIONS: dict[str, Callable[[F], F]] = {
    "quiet": _option("-q", "--quiet", is_flag=True, help="Say nothing on stderr but errors."),
    "debug": _option("--debug", is_flag=True, help="Show where in the code an error came from."),
    "json": _option("--json", "json_", is_flag=True, help="Write the result as JSON, for programs."),
    "threads": _option(
        "--threads",
        type=click.IntRange(min=0),
        metavar="N",
        default=0,
        help="Threads to use; 0 means all processors. [default: 0]",
    ),
    "seed": _option("--seed", type=int, metavar="N", default=0, help="Same seed, same result. [default: 0]"),
    "verify": _option("--verify", is_flag=True, help="Compare the model's files with their hashes first."),
    "no-verify": _option("--no-verify", is_flag=True, help="Start without comparing files with their hashes."),
}


def session_options(*names: str) -> Callable[[F], Callable[..., Any]]:
    """Adds --quiet, --debug and those of `_OPTIONS` that are named; the command gets a Session."""

    def decorate(command: F) -> Callable[..., Any]:
        @click.pass_context
        @functools.wraps(command)
        def with_session(context: click.Context, /, **values: Any) -> Any:  # noqa: ANN401 - whatever the command returns
            session = context.find_object(Session) or Session()
            session.is_quiet = values.pop("quiet")
            session.is_debug = values.pop("debug") or session.is_debug
            session.is_json = values.pop("json_", False)
            session.threads = values.pop("threads", 0)
            session.seed = values.pop("seed", 0)
            session.verify = values.pop("verify", False) or not values.pop("no_verify", True)
            session.listen_to_warnings()
            return command(session, **values)

        decorated: Callable[..., Any] = with_session
        for name in ("debug", "quiet", *reversed(names)):
            decorated = _OPTIONS[name](decorated)
        return decorated

    return decorate


def examples(*lines: str) -> str:
    """The end of a command's help, which keeps its lines as they are.

    Examples
    --------
    >>> print(examples("deixis info model").replace(chr(8), ""))
    <BLANKLINE>
    Examples:
      deixis info model
    """
    return "\b\nExamples:\n" + "\n".join(f"  {line}" for line in lines)
