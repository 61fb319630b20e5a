"""Files beside another one: made whole or not at all, and only where there is a folder for them."""

import os
import sys

import pytest

from deixis.documents.formats import READERS, WRITERS
from deixis.documents.formats.side_files import undone_if_it_fails
from deixis.errors import DataError


def test_what_was_made_stays_where_nothing_fails(tmp_path):
    with undone_if_it_fails() as made:
        made.append(tmp_path / "text")
        (tmp_path / "text").write_text("x", encoding="utf-8")
    assert (tmp_path / "text").exists()


def test_a_folder_that_somebody_else_put_something_into_stays(tmp_path):
    folder = tmp_path / "text"
    with pytest.raises(KeyboardInterrupt), undone_if_it_fails() as made:
        made += [folder, folder / "a", folder / "never-made"]
        folder.mkdir()
        (folder / "a").touch()
        (folder / "theirs").touch()
        raise KeyboardInterrupt
    assert [file.name for file in folder.iterdir()] == ["theirs"]


@pytest.mark.parametrize("format", ["mewsli", "zeshel"])
@pytest.mark.parametrize("path", ["-", os.devnull])
def test_a_device_has_no_folder_for_the_texts(format, path):
    with pytest.raises(DataError, match="give a file name"):
        WRITERS[format]([], sys.stdout, path)
    with pytest.raises(DataError, match="give a file name"):
        list(READERS[format]([], path))
