"""Commands that are imported when they are run."""

import gc
import sys

import click

from deixis.cli.lazy_group import CommandEntry, LazyGroup


def test_a_command_is_imported_without_looking_for_garbage(tmp_path, monkeypatch):
    (tmp_path / "command_of_a_test.py").write_text(
        "import gc\nimport click\nwas_on = gc.isenabled()\n@click.command()\ndef run(): pass\n", encoding="utf-8"
    )
    monkeypatch.syspath_prepend(tmp_path)
    group = LazyGroup("toy", entries={"run": CommandEntry("command_of_a_test:run", "Runs.")})
    for _ in range(2):
        assert group.get_command(click.Context(group), "run") is not None
        assert gc.isenabled() and not sys.modules["command_of_a_test"].was_on
    monkeypatch.delitem(sys.modules, "command_of_a_test")
