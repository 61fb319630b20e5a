"""Writes docs/reference/commands.md (the help of every command) and docs/reference/settings.md (every setting by key).

Run it after changing a command, an option or a config class: `python -m tools.make_command_reference`.
"""

from __future__ import annotations

from importlib.metadata import version
from pathlib import Path

import click

from deixis.cli.main import deixis
from deixis.cli.options import CommandWithSettings
from deixis.cli.settings import Key, allowed_words, keys_of, toml_value

FOLDER = Path(__file__).resolve().parents[1] / "docs" / "reference"
CLICK = ".".join(version("click").split(".")[:2])
WIDTH = 100
COMMANDS_OPENING = f"""# Commands

Made from the commands themselves by `python -m tools.make_command_reference` (with click {CLICK}); a test compares.
What has no option is a setting: [settings](settings.md) has all of them, `--set KEY=VALUE` sets one, `--config FILE`
reads a TOML file of them, and `--settings` prints such a file.
"""
SETTINGS_OPENING = """# Settings

Made from the config classes by `python -m tools.make_command_reference`; a test compares. A setting is given

- by its key: `--set candidates.label_tree.ranker.beam.memory=0.5`, as often as needed;
- in a TOML file that `--config FILE` reads: `candidates.label_tree.ranker.beam.memory = 0.5`, or `memory = 0.5` below
  `[candidates.label_tree.ranker.beam]`;
- by its option, if it has one.

An option goes before `--set`, `--set` before the file, and the file before the `--preset`. `deixis build --settings`
prints a file with all of them, which can be edited and given back. The settings of a model are saved with it.
"""


def pages() -> dict[str, str]:
    """Each page's text by its file name."""
    commands = _commands(deixis, ("deixis",))
    helps = [f"## {' '.join(path)}\n\n```text\n{_help(path, command)}\n```\n" for path, command in commands]
    by_config: dict[type, list[tuple[str, CommandWithSettings]]] = {}
    for path, command in commands:
        if isinstance(command, CommandWithSettings) and command.source is not None and command.source.has_file:
            by_config.setdefault(type(command.source.start), []).append((" ".join(path), command))
    settings = [
        f"## {', '.join(name for name, _ in group)}\n\n{_table([command for _, command in group])}\n"
        for group in by_config.values()
    ]
    return {
        "commands.md": "\n".join([COMMANDS_OPENING, *helps]),
        "settings.md": "\n".join([SETTINGS_OPENING, *settings]),
    }


def _help(path: tuple[str, ...], command: click.Command) -> str:
    context = click.Context(
        command,
        info_name=" ".join(path),
        terminal_width=WIDTH,
        max_content_width=WIDTH,
        help_option_names=["-h", "--help"],
    )
    return command.get_help(context).rstrip()


def _table(commands: list[CommandWithSettings]) -> str:
    """The settings that some commands share, a heading for each table of them."""
    sources = [command.source for command in commands if command.source is not None]
    optional = {key.path for source in sources for key in source.options}
    tables: dict[str, list[str]] = {"": []}
    for key in keys_of(sources[0].start):
        table = ".".join(key.path[:-1])
        tables.setdefault(table, []).append(_row(key, key.path in optional))
    heads = ["| key | default | allowed | what it does |", "| --- | --- | --- | --- |"]
    return "\n\n".join(
        "\n".join([*([f"### `{table}`", ""] if table else []), *heads, *rows]) for table, rows in tables.items() if rows
    )


def _row(key: Key, has_option: bool) -> str:
    option = f" Option: `{key.setting.cli}`." if has_option else ""
    value = toml_value(key.default)
    cells = [f"`{key.path[-1]}`", "" if value is None else f"`{value}`", allowed_words(key), key.setting.help + option]
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def _commands(command: click.Command, path: tuple[str, ...]) -> list[tuple[tuple[str, ...], click.Command]]:
    found = [(path, command)]
    if isinstance(command, click.Group):
        for name in command.list_commands(click.Context(command)):
            inner = command.get_command(click.Context(command), name)
            if inner is not None and not inner.hidden:
                found += _commands(inner, (*path, name))
    return found


if __name__ == "__main__":
    for name, text in pages().items():
        (FOLDER / name).write_text(text, encoding="utf-8")
        print(f"wrote {name}")
