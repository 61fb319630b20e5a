"""The examples at the end of each command's help."""

from __future__ import annotations


def examples(*lines: str) -> str:
    """A help epilog that keeps its lines as they are.

    Examples
    --------
    >>> print(examples("deixis info model").replace(chr(8), ""))
    <BLANKLINE>
    Examples:
      deixis info model
    """
    return "\b\nExamples:\n" + "\n".join(f"  {line}" for line in lines)
