"""Processes that do tasks: each is given the next when it has done one. One that dies is replaced, and its task redone.

A process is a new Python that opens what it needs by path (`worker.py`); nothing but JSON passes between processes.
"""

from __future__ import annotations

import json
import os
import queue
import signal
import subprocess
import sys
import threading
from collections import Counter, deque
from collections.abc import Callable, Generator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from deixis.errors import StoreError, ToolkitError
from deixis.processes.worker import STOPPING

T = TypeVar("T")
ATTEMPTS = 3
"""How often a task is tried whose process dies."""
_ONE_THREAD = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


@dataclass(frozen=True)
class Done:
    """What a function gave for a task."""

    result: dict[str, Any]


@dataclass(frozen=True)
class Failed:
    """Why there is no result: an error of the task, or its processes died."""

    reason: str


Outcome = Done | Failed
Advance = Callable[[int], None]
"""Called with how much more is done; less, if a process died in the middle."""
Message = tuple["_Process", dict[str, Any] | None]


@dataclass(frozen=True)
class Pool:
    """Calls a function for each of many tasks, in some processes; results come as they are done.

    `function` names what makes it, as `module:name`; it is called once in each process, with a JSON value.
    """

    n_workers: int

    def run(
        self, function: str, argument: dict[str, Any], tasks: Sequence[tuple[T, dict[str, Any]]], advance: Advance
    ) -> Generator[tuple[T, Outcome]]:
        """Each task's key with what came of it; an error that all tasks would have is raised."""
        work = _Work(deque(tasks), self.n_workers, advance)
        setup = json.dumps({"function": function, "argument": argument}).encode() + b"\n"
        try:
            while work.is_left():
                work.hand_out(setup)
                process, message = work.messages.get()
                task = process.task
                if message is None:
                    reason = work.died(process)
                    if reason is not None:
                        yield task[0], Failed(reason)
                elif "advance" in message:
                    process.n_advanced += message["advance"]
                    advance(message["advance"])
                else:
                    outcome = outcome_of(message)
                    work.done(process)
                    yield task[0], outcome
        finally:
            for process in work.processes:
                process.kill()


@dataclass
class _Work(Generic[T]):
    """What is left to do, and the processes that do it."""

    waiting: deque[tuple[T, dict[str, Any]]]
    n_workers: int
    advance: Advance
    processes: list[_Process] = field(default_factory=list)
    messages: queue.SimpleQueue[Message] = field(default_factory=queue.SimpleQueue)
    attempts: Counter[int] = field(default_factory=Counter)
    n_deaths: int = 0

    def is_left(self) -> bool:
        """Whether a task waits or is being done."""
        return bool(self.waiting or self.processes)

    def hand_out(self, setup: bytes) -> None:
        """Starts processes, as many as there may be and are needed."""
        while self.waiting and len(self.processes) < self.n_workers:
            self.processes.append(_Process.started(setup, self.messages))
            self.processes[-1].give(self.waiting.popleft())

    def done(self, process: _Process) -> None:
        """Gives a process the next task, or ends it."""
        self.n_deaths = 0
        if self.waiting:
            process.give(self.waiting.popleft())
        else:
            self.processes.remove(process)
            process.stop()

    def died(self, process: _Process) -> str | None:
        """Puts the task of a process that died first, to be done by another; after too many, a reason to give it up."""
        if process not in self.processes:
            return None  # it was ended
        self.processes.remove(process)
        self.advance(-process.n_advanced)
        end = process.end()
        self.n_deaths += 1
        if self.n_deaths > ATTEMPTS * (self.n_workers + 1):
            raise StoreError(
                f"{self.n_deaths} processes died one after the other, the last one {end}. Is there memory for "
                f"{self.n_workers} of them? Try fewer."
            )
        self.attempts[id(process.task)] += 1
        if self.attempts[id(process.task)] < ATTEMPTS:
            self.waiting.appendleft(process.task)
            return None
        return f"its process was {end}, {ATTEMPTS} times"


@dataclass(eq=False)
class _Process:
    """A worker, its task, and how much of that it has said is done."""

    popen: subprocess.Popen[bytes]
    task: tuple[Any, dict[str, Any]] = ("", {})
    n_advanced: int = 0
    _reader: threading.Thread | None = field(default=None)

    @classmethod
    def started(cls, setup: bytes, messages: queue.SimpleQueue[Message]) -> _Process:
        """A new one, whose messages are put into a queue; None when it has ended."""
        environment = {**dict.fromkeys(_ONE_THREAD, "1"), **os.environ}
        command = [sys.executable, "-P", "-m", "deixis.processes.worker"]
        process = cls(subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment))
        process._reader = threading.Thread(target=process._read, args=(messages,), daemon=True)
        process._reader.start()
        process._send(setup)
        return process

    def give(self, task: tuple[Any, dict[str, Any]]) -> None:
        """Sends it a task."""
        self.task, self.n_advanced = task, 0
        self._send(json.dumps(task[1]).encode() + b"\n")

    def end(self) -> str:
        """How it ended, in words."""
        self.stop()
        code = self.popen.returncode
        return f"killed by {signal.Signals(-code).name}" if code < 0 else f"at its end with code {code}"

    def stop(self) -> None:
        """Ends it, now that nothing is left to do."""
        if self.popen.stdin is not None:
            with suppress(BrokenPipeError):  # what it was not sent any more
                self.popen.stdin.close()
        self.popen.wait()
        if self._reader is not None:
            self._reader.join()

    def kill(self) -> None:
        """Ends it in the middle of its work."""
        self.popen.kill()
        self.stop()

    def _send(self, line: bytes) -> None:
        if self.popen.stdin is None:
            return
        with suppress(BrokenPipeError):  # it is dead, as its reader will say
            self.popen.stdin.write(line)
            self.popen.stdin.flush()

    def _read(self, messages: queue.SimpleQueue[Message]) -> None:
        if self.popen.stdout is not None:
            with self.popen.stdout as stream:
                for line in stream:
                    if line.endswith(b"\n"):  # a line without its end is the last word of one that was killed
                        messages.put((self, json.loads(line)))
        messages.put((self, None))


def outcome_of(message: dict[str, Any]) -> Outcome:
    """What the answer to a task says; an error that all tasks would have is raised."""
    if "result" in message:
        return Done(message["result"])
    name, words = message.get("stop") or message["failed"]
    if "stop" in message:
        raise STOPPING.get(name, ToolkitError)(words)
    return Failed(words)
