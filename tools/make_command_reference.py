"""Writes docs/reference/commands.md: the help of every command, as `--help` shows it.

Run it after changing a command, an option or a config class: `python tools/make_command_reference.py`.
"""

from __future__ import annotations

from importlib.metadata import version
from pathlib import Path

import click

from deixis.cli.main import deixis
from deixis.cli.options import CommandWithSettings

PAGE = Path(__file__).resolve().parents[1] / "docs" / "reference" / "commands.md"
CLICK = ".".join(version("click").split(".")[:2])
OPENING = f"""# Commands

Made from the commands themselves by `tools/make_command_reference.py` (with click {CLICK}); a test compares.
Settings of `deixis build` are the fields of the config classes, and may also stand in a TOML file (`--config`), where
`--nil-threshold 0.2` is `nil.threshold = 0.2`.
"""


def reference() -> str:
    """The whole page."""
    sections = [OPENING]
    for path, command in _commands(deixis, ("deixis",)):
        context = click.Context(
            command, info_name=" ".join(path), terminal_width=80, help_option_names=["-h", "--help"]
        )
        shown = command.get_help(context).rstrip()
        if isinstance(command, CommandWithSettings):
            shown += f"\n\n{command.settings_help(context)}"
        sections.append(f"## {' '.join(path)}\n\n```text\n{shown}\n```\n")
    return "\n".join(sections)


def _commands(command: click.Command, path: tuple[str, ...]) -> list[tuple[tuple[str, ...], click.Command]]:
    found = [(path, command)]
    if isinstance(command, click.Group):
        for name in command.list_commands(click.Context(command)):
            inner = command.get_command(click.Context(command), name)
            if inner is not None:
                found += _commands(inner, (*path, name))
    return found


if __name__ == "__main__":
    PAGE.parent.mkdir(parents=True, exist_ok=True)
    PAGE.write_text(reference(), encoding="utf-8")
    print(f"wrote {PAGE.name}")
