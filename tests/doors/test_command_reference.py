"""The page of commands says what the commands say."""

import importlib.util
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def test_the_command_reference_is_up_to_date():
    spec = importlib.util.spec_from_file_location("make_command_reference", ROOT / "tools/make_command_reference.py")
    tool = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(tool)
    page = tool.PAGE.read_text(encoding="utf-8")
    if f"(with click {tool.CLICK})" not in page:
        pytest.skip(f"the page was made with another version of click than {tool.CLICK}, which may word help otherwise")
    assert page == tool.reference(), "run: python tools/make_command_reference.py"
