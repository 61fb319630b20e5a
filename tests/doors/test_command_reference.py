"""The pages of commands and settings say what the commands and config classes say."""

import re

import pytest

from deixis.cli.settings import keys_of
from deixis.labelling.config import LabellerConfig
from deixis.linking.config import LinkerConfig
from deixis.service.config import Limits
from deixis.training.config import TrainingConfig
from tools import make_command_reference as tool


@pytest.mark.parametrize("name", ["commands.md", "settings.md"])
def test_the_reference_is_up_to_date(name):
    commands = (tool.FOLDER / "commands.md").read_text(encoding="utf-8")
    if f"(with click {tool.CLICK})" not in commands:
        pytest.skip(f"the page was made with another version of click than {tool.CLICK}, which may word help otherwise")
    page = (tool.FOLDER / name).read_text(encoding="utf-8")
    assert page == tool.pages()[name], "run: python -m tools.make_command_reference"


def test_every_setting_that_the_docs_set_exists():
    configs = (LinkerConfig(), TrainingConfig(), LabellerConfig(), Limits())
    known = {key.name for config in configs for key in keys_of(config)}
    root = tool.FOLDER.parents[1]
    pages = [*root.glob("*.md"), *(root / "docs").rglob("*.md")]
    used = {(name, page.name) for page in pages for name in re.findall(r"--set ([a-z_.]+)=", page.read_text("utf-8"))}
    assert used and not [(name, page) for name, page in used if name not in known]
