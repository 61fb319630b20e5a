"""The pages of commands and settings say what the commands and config classes say."""

import pytest

from tools import make_command_reference as tool


@pytest.mark.parametrize("name", ["commands.md", "settings.md"])
def test_the_reference_is_up_to_date(name):
    commands = (tool.FOLDER / "commands.md").read_text(encoding="utf-8")
    if f"(with click {tool.CLICK})" not in commands:
        pytest.skip(f"the page was made with another version of click than {tool.CLICK}, which may word help otherwise")
    page = (tool.FOLDER / name).read_text(encoding="utf-8")
    assert page == tool.pages()[name], "run: python -m tools.make_command_reference"
