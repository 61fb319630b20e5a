"""What becomes of an error at the door: its exit code, and the words the user reads."""

from __future__ import annotations

import errno
import os
import sys
import traceback

import click

from deixis.cli.session import Session
from deixis.errors import ToolkitError

EXIT_BUG = 70
NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)

EXIT_CODES: dict[type[BaseException], int] = {
    ToolkitError: 1,
    OSError: 1,
    MemoryError: 1,
    click.ClickException: 1,
    click.UsageError: 2,
    KeyboardInterrupt: 130,
    click.Abort: 130,
    # The reader of our output has seen enough (`| head`): that is no failure.
    BrokenPipeError: 0,
}


def exit_code(error: BaseException) -> int:
    """The code of the closest class in the table; of none, the code for a bug of ours.

    Examples
    --------
    >>> exit_code(KeyboardInterrupt()), exit_code(FileNotFoundError()), exit_code(ZeroDivisionError())
    (130, 1, 70)
    """
    if isinstance(error, SystemExit):
        return error.code if isinstance(error.code, int) else int(error.code is not None)
    return next((EXIT_CODES[kind] for kind in type(error).__mro__ if kind in EXIT_CODES), EXIT_BUG)


def explain(error: BaseException, session: Session) -> None:
    """Reports on stderr what happened, as briefly as possible; with `--debug`, where in the code too."""
    if isinstance(error, BrokenPipeError):
        _forget_stdout()
        return
    if isinstance(error, SystemExit):
        return
    if session.is_debug and not isinstance(error, click.ClickException):
        traceback.print_exception(error)
    if isinstance(error, click.ClickException):
        error.show(file=sys.stderr)
    else:
        is_interrupt = isinstance(error, KeyboardInterrupt | click.Abort)
        click.echo(message_of(error) if is_interrupt else f"Error: {message_of(error)}", err=True)


def message_of(error: BaseException) -> str:
    """What the user reads: for a mistake of theirs what to change, for one of ours where to report it."""
    if isinstance(error, ToolkitError):
        return str(error)
    if isinstance(error, KeyboardInterrupt | click.Abort):
        return "Interrupted; nothing half-written is left behind."
    if isinstance(error, OSError) and error.strerror:
        if error.filename is None and error.errno in NO_ROOM:  # files are named where they are written
            return f"Standard output cannot be written: {error.strerror}. Make room, or send it elsewhere."
        return f"{error.strerror}: {error.filename}" if error.filename else error.strerror
    if isinstance(error, MemoryError):
        return "Out of memory. Try fewer entities, fewer threads or a smaller setting, or a machine with more memory."
    return (
        f"Deixis stumbled over something its authors did not expect ({type(error).__name__}: {error}).\n"
        f"Please report it to the project, with what you typed; add --debug to see where it happened."
    )


def settle_stdout() -> None:
    """Writes what stdout still holds; what cannot be written is dropped, and not complained about a second time."""
    try:
        if sys.stdout is not None:
            sys.stdout.flush()
    except (OSError, ValueError):
        _forget_stdout()


def _forget_stdout() -> None:
    """Points stdout nowhere, so that Python's last flush does not complain about a closed pipe or a full disk."""
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (OSError, ValueError):
        sys.stdout = None  # as Python itself has it when there is none
