"""Progress on the terminal: bars while it runs, the time of each stage when it is done."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TextIO, cast

from deixis.cli.timing import format_seconds
from deixis.progress import listening

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

REDRAW_EVERY = 0.1  # seconds between two messages to the bar: counting must stay cheap
SAY_EVERY = 60.0  # seconds between two lines on work that tells how it goes, where there is no bar
WORTH_TELLING = 0.5  # seconds; shorter stages are not listed at the end


@dataclass
class _Task:
    label: str
    started: float
    total: int | None = None
    bar: TaskID | None = None
    done: int = 0
    unsent: int = 0
    sent_at: float = 0.0


@dataclass
class ProgressWatch:
    """Listens to the library's progress: times every stage, and draws bars if it was given somewhere to draw."""

    bars: Progress | None = None
    say: Callable[[str], None] | None = None
    """Where there are no bars: to whom the words of long work are said, once a minute."""
    seconds_by_label: dict[str, float] = field(default_factory=dict)
    _tasks: dict[int, _Task] = field(default_factory=dict)
    _n_started: int = 0

    def started(self, label: str, total: int | None) -> int:
        """Begins a bar; without a total it only moves to show that something happens."""
        self._n_started += 1
        bar = None if self.bars is None else self.bars.add_task(label, total=total)
        self._tasks[self._n_started] = _Task(label, time.perf_counter(), total, bar)
        return self._n_started

    def advanced(self, task: int, n: int) -> None:
        """Counts `n` more; the bar hears of it ten times a second at most."""
        state = self._tasks[task]
        state.done += n
        if self.bars is None:
            return
        state.unsent += n
        now = time.perf_counter()
        if state.bar is not None and now - state.sent_at >= REDRAW_EVERY:
            self.bars.advance(state.bar, state.unsent)
            state.unsent, state.sent_at = 0, now

    def noted(self, task: int, text: str) -> None:
        """Puts the word behind the bar's label, or says it where there is no bar."""
        state, now = self._tasks[task], time.perf_counter()
        if self.say is not None and now - max(state.started, state.sent_at) >= SAY_EVERY:
            state.sent_at = now
            self.say(_in_words(state, now, text))
        if self.bars is not None and state.bar is not None:
            self.bars.update(state.bar, description=f"{state.label} ({text})" if text else state.label)

    def finished(self, task: int) -> None:
        """Takes the bar away and notes how long the stage took, together with earlier ones of the same name."""
        state = self._tasks.pop(task)
        elapsed = time.perf_counter() - state.started
        self.seconds_by_label[state.label] = self.seconds_by_label.get(state.label, 0.0) + elapsed
        if self.bars is not None and state.bar is not None:
            self.bars.remove_task(state.bar)

    def summary(self) -> list[str]:
        """One line per stage that took long enough to matter."""
        long_stages = {label: spent for label, spent in self.seconds_by_label.items() if spent >= WORTH_TELLING}
        width = max(map(len, long_stages), default=0)
        return [f"  {label:<{width}}  {format_seconds(spent):>11}" for label, spent in long_stages.items()]


@contextmanager
def watch_progress(is_shown: bool, say: Callable[[str], None] | None = None) -> Iterator[ProgressWatch]:
    """Listens while the block runs; draws only if `is_shown`, and else says once a minute how long work goes."""
    if not is_shown:
        watch = ProgressWatch(say=say)
        with listening(watch):
            yield watch
        return
    bars = _terminal_bars()
    watch = ProgressWatch(bars)
    stdout, stderr = sys.stdout, sys.stderr
    with bars, listening(watch):
        sys.stderr = cast(TextIO, _AboveBars(stderr, bars))
        if stdout.isatty():
            sys.stdout = cast(TextIO, _AfterBars(stdout, bars))
        try:
            yield watch
        finally:
            sys.stdout, sys.stderr = stdout, stderr


class _BesideBars:
    """A stream to a terminal on which bars are drawn."""

    def __init__(self, stream: TextIO, bars: Progress) -> None:
        self._stream = stream
        self._bars = bars

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - whatever else the stream has
        return getattr(self._stream, name)


class _AfterBars(_BesideBars):
    """Standard output: the bars go away before the first result is written."""

    def write(self, text: str) -> int:
        self._bars.stop()
        return self._stream.write(text)


class _AboveBars(_BesideBars):
    """Standard error: whole lines are written above the bars, as long as they are."""

    _unended = ""

    def write(self, text: str) -> int:
        *lines, self._unended = (self._unended + text).split("\n")
        for line in lines:
            self._bars.console.out(line, highlight=False)
        return len(text)


def _in_words(state: _Task, now: float, text: str) -> str:
    words = f"{state.label}: {state.done:,} of {state.total:,}" if state.total else f"{state.label}: {state.done:,}"
    if state.total and state.done:
        left = (now - state.started) / state.done * (state.total - state.done)
        words += f", about {format_seconds(left)} left at most"
    return f"{words} ({text})" if text else words


def _terminal_bars() -> Progress:
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        SpinnerColumn,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
    )
    # What a command says is not for rich to redirect: it would write results to stderr, and cut lines into short ones.
    console = Console(file=sys.stderr)
    return Progress(*columns, console=console, transient=True, redirect_stdout=False, redirect_stderr=False)
