"""Where the console script begins: nothing is imported before an interrupt can be told in a word."""

import sys


def main() -> int:
    """Runs the command line; Ctrl-C while it is still being imported ends as quietly as later."""
    try:
        from deixis.cli.main import main as run

        return run()
    except KeyboardInterrupt:
        print("Interrupted.", file=sys.stderr)  # noqa: T201 - nothing else is imported yet
        return 130
