import inspect

import pytest

from deixis import errors
from deixis.errors import DataError, MissingExtraError, ToolkitError, UnknownNameError


def test_one_class_catches_them_all():
    classes = [value for _, value in inspect.getmembers(errors, inspect.isclass) if issubclass(value, Exception)]
    assert len(classes) == 10
    assert all(issubclass(error, ToolkitError) for error in classes)


@pytest.mark.parametrize(
    ("place", "words"),
    [
        ({}, "no title"),
        ({"path": "kb.jsonl"}, "kb.jsonl: no title"),
        ({"line": 3}, "line 3: no title"),
        ({"path": "kb.jsonl", "line": 3}, "kb.jsonl, line 3: no title"),
    ],
)
def test_a_data_error_says_where(place, words):
    error = DataError("no title", **place)
    assert str(error) == words
    assert (error.reason, error.path, error.line) == ("no title", place.get("path"), place.get("line"))


def test_a_name_close_to_a_known_one_is_suggested():
    assert str(UnknownNameError("preset", "xmerd", known={"xmred": 1, "default": 2})) == (
        "No preset named 'xmerd'. Known: default, xmred. Did you mean 'xmred'?"
    )
    assert "Did you mean" not in str(UnknownNameError("preset", "zzz", known=["xmred"]))


def test_a_missing_extra_says_what_to_type():
    assert str(MissingExtraError("The reader 'zst'", "zstandard", "zstd")) == (
        "The reader 'zst' needs 'zstandard'. Install it with: pip install 'deixis[zstd]'"
    )
