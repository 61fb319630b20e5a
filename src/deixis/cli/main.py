"""The front door: the table of commands, and what becomes of an error. Heavy imports wait in the commands' modules."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

import click

from deixis import __version__
from deixis.cli.exits import exit_code, explain, settle_stdout
from deixis.cli.lazy_group import CommandEntry, LazyGroup
from deixis.cli.session import Session

COMMANDS = {
    "demo": CommandEntry(
        "deixis.cli.commands.demo:demo", "See a linker tell namesakes apart, on a shipped knowledge base."
    ),
    "kb": CommandEntry("deixis.cli.commands.kb:kb", "Check a list before building; change a model's list after it."),
    "build": CommandEntry("deixis.cli.commands.build:build", "Build a model from a knowledge base."),
    "correct": CommandEntry("deixis.cli.commands.correct:correct", "Correct links; the model keeps to it at once."),
    "compact": CommandEntry("deixis.cli.commands.compact:compact", "Write a model's changes into its folder."),
    "fit": CommandEntry("deixis.cli.commands.fit:fit", "Train a part of a model on annotated documents."),
    "link": CommandEntry("deixis.cli.commands.link:link", "Find the names in a text and link them."),
    "spark": CommandEntry("deixis.cli.commands.spark:spark", "Build and link on a Spark cluster."),
    "nil": CommandEntry("deixis.cli.commands.nil:nil", "List what texts mention and the list lacks."),
    "explain": CommandEntry("deixis.cli.commands.explain:explain", "Say why a mention is linked as it is."),
    "eval": CommandEntry("deixis.cli.commands.evaluate:evaluate", "Measure a model on annotated documents."),
    "calibrate": CommandEntry(
        "deixis.cli.commands.calibrate:calibrate", "Make scores probabilities; choose a precision."
    ),
    "xmr": CommandEntry("deixis.cli.commands.xmr:xmr", "Give whole documents labels of a large vocabulary."),
    "serve": CommandEntry("deixis.cli.commands.serve:serve", "Answer over HTTP with a model."),
    "bench": CommandEntry("deixis.cli.commands.bench:bench", "Run the source tree's benchmarks.", is_hidden=True),
    "info": CommandEntry("deixis.cli.commands.info:info", "Say what is in a model."),
    "doctor": CommandEntry("deixis.cli.commands.doctor:doctor", "Check this installation, or a model's files."),
    "completion": CommandEntry("deixis.cli.commands.completion:completion", "Complete commands by the Tab key."),
    "learn": CommandEntry("deixis.cli.commands.learn:learn", "Became correct and fit.", is_hidden=True),
}

EPILOG = """\b
Start here:
  deixis demo                              two minutes, nothing needed
  deixis kb check products.csv             would my list do?
  deixis build products.csv -o model       list in, linker out
  echo "some text" | deixis link model --pretty

\b
Every command has -q/--quiet (nothing on stderr but errors) and --debug (where
in the code an error came from); many have --json (results for programs),
--threads N (0: all processors) and --seed N (same seed, same result). Those
that load a model have --verify (compare its files with their hashes first).

\b
Exit codes: 0 fine, 1 something is wrong with what was given (a file, a
setting), 2 wrong usage, 130 interrupted, 70 a bug in Deixis.
Every command has its own --help with examples."""


@click.group(
    cls=LazyGroup,
    entries=COMMANDS,
    epilog=EPILOG,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, "-V", "--version", prog_name="deixis", message="%(prog)s %(version)s")
def deixis() -> None:
    """Link text to your own knowledge base: a list of things in, a linker out, on a laptop's CPU."""


def main(arguments: Sequence[str] | None = None, command: click.Command = deixis, name: str = "deixis") -> int:
    """Runs one command line and returns its exit code; a traceback comes out with --debug only."""
    if "_DEIXIS_COMPLETE" in os.environ:  # a shell asks for completions
        deixis.main(prog_name="deixis")
    _speak_utf8()
    session = Session()
    try:
        code = _run(command, name, sys.argv[1:] if arguments is None else list(arguments), session)
        sys.stdout.flush()
        return code
    except BaseException as error:  # noqa: BLE001 - the last place to report an error in words
        explain(error, session)
        settle_stdout()
        return exit_code(error)


def _run(command: click.Command, name: str, arguments: list[str], session: Session) -> int:
    try:
        with command.make_context(name, arguments, obj=session) as context:
            result = command.invoke(context)
    except click.exceptions.Exit as done:
        return done.exit_code
    return result if isinstance(result, int) else 0


def _speak_utf8() -> None:
    """JSON lines are UTF-8 whatever the locale, and no file name is odd enough to break a message."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(encoding="utf-8", errors="backslashreplace")


if __name__ == "__main__":
    sys.exit(main())
