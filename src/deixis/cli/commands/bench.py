"""`deixis bench`: passes its arguments to `python -m benchmarks`, which is in the source tree, not in the package."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import click

from deixis.errors import DataError


@click.command(
    hidden=True,
    add_help_option=False,
    context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False},
)
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def bench(arguments: tuple[str, ...]) -> int:
    """Run the benchmarks of the source tree: `python -m benchmarks ARGUMENTS`."""
    tree = find_source_tree()
    path = os.pathsep.join(filter(None, [str(tree), os.environ.get("PYTHONPATH", "")]))
    done = subprocess.run([sys.executable, "-m", "benchmarks", *arguments], env={**os.environ, "PYTHONPATH": path})
    return done.returncode


def find_source_tree() -> Path:
    """The source tree we are in, or the one this package runs from."""
    folders = [Path.cwd(), Path(__file__).resolve().parents[4]]
    for folder in folders:
        if (folder / "benchmarks" / "__main__.py").exists() and (folder / "src" / "deixis").is_dir():
            return folder
    raise DataError(
        f"The benchmarks are not in the installed package, and {folders[0]} is no source tree of Deixis: they are "
        "in its folder `benchmarks`. Run `deixis bench` or `python -m benchmarks` in the source tree."
    )
