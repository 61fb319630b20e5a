"""Where the console script begins: nothing is imported before an interrupt can be reported in a word."""

import signal
import sys


def main() -> int:
    """Runs the command line; Ctrl-C while it is still being imported ends as quietly as later.

    A polite kill (SIGTERM) also takes away what is half-written; the code is then the shell's, 143.
    """
    signal.signal(signal.SIGTERM, lambda number, _: sys.exit(128 + number))
    try:
        from deixis.cli.main import main as run

        return run()
    except KeyboardInterrupt:
        print("Interrupted.", file=sys.stderr)  # noqa: T201 - nothing else is imported yet
        return 130
