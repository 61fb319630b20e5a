"""Finished parts of a build: made once, checked before they are used again, dropped when something changed."""

from __future__ import annotations

import numpy as np
import pytest

from deixis.errors import StoreError
from deixis.store.build_folder import (
    BuildFolder,
    build_folder,
    building_in,
    parts_below,
    parts_folder,
    parts_of,
    saved_part,
)
from deixis.store.strings import StringTable


class Maker:
    """Makes a table, and counts how often."""

    def __init__(self, *strings: str) -> None:
        self.strings, self.n_made = strings, 0

    def __call__(self) -> StringTable:
        self.n_made += 1
        return StringTable.from_strings(self.strings)


def stored_part(name: str, make: Maker) -> list[str]:
    return list(saved_part(name, make, lambda arrays: StringTable.from_arrays(arrays, "part")))


def test_without_a_folder_everything_is_made_every_time():
    make = Maker("a")
    assert stored_part("x", make) == stored_part("x", make) == ["a"]
    assert make.n_made == 2 and build_folder() is None


def test_a_part_is_made_once_and_then_read(tmp_path):
    make = Maker("a", "ü", "")
    for _ in range(2):
        with parts_of(tmp_path / "model", "digest", resumes=True) as folder, building_in(folder):
            assert stored_part("x", make) == ["a", "ü", ""]
            assert folder.has("x") and not folder.has("y")
            make_again = make.n_made
            assert stored_part("x", make) == ["a", "ü", ""] and make.n_made == make_again
    assert make.n_made == 2, "the first build ended well, so nothing of it was left"
    assert not list(tmp_path.iterdir())


def interrupted(model, digest, make, *, resumes=True):
    with (
        pytest.raises(KeyboardInterrupt),
        parts_of(model, digest, resumes=resumes) as folder,
        building_in(folder),
    ):
        stored_part("x", make)
        raise KeyboardInterrupt


def test_an_interrupted_build_leaves_its_parts_and_says_so(tmp_path, caplog):
    make = Maker("a")
    interrupted(tmp_path / "model", "digest", make)
    assert "--resume goes on from there" in caplog.text
    interrupted(tmp_path / "model", "digest", make)
    assert make.n_made == 1


@pytest.mark.parametrize(("digest", "resumes"), [("another", True), ("digest", False)])
def test_parts_of_another_list_or_of_a_build_that_does_not_resume_are_dropped(tmp_path, digest, resumes):
    make = Maker("a")
    interrupted(tmp_path / "model", "digest", make)
    interrupted(tmp_path / "model", digest, make, resumes=resumes)
    assert make.n_made == 2


def test_a_build_that_finished_nothing_leaves_nothing(tmp_path):
    with pytest.raises(ValueError, match="bad"), parts_of(tmp_path / "model", "digest", resumes=False):
        raise ValueError("bad")
    assert not list(tmp_path.iterdir())


def test_a_damaged_part_is_made_again(tmp_path, caplog):
    make = Maker("a" * 100_000)
    interrupted(tmp_path / "model", "digest", make)
    file = parts_folder(tmp_path / "model") / "x" / "part.data.bin"
    file.write_bytes(b"b" + file.read_bytes()[1:])
    with parts_of(tmp_path / "model", "digest", resumes=True) as folder, building_in(folder):
        assert stored_part("x", make) == ["a" * 100_000]
    assert make.n_made == 2 and "made again" in caplog.text


def test_half_a_part_counts_as_none(tmp_path):
    place = parts_folder(tmp_path / "model")
    (place / ".x.saving-0123456789ab").mkdir(parents=True)
    (place / "x").mkdir()
    make = Maker("a")
    with parts_of(tmp_path / "model", "digest", resumes=True) as folder, building_in(folder):
        assert [path.name for path in place.iterdir()] == []
        assert stored_part("x", make) == ["a"]


def test_two_builds_at_once_of_one_model_are_refused(tmp_path):
    with (
        parts_of(tmp_path / "model", "digest", resumes=True),
        pytest.raises(StoreError, match="Another build"),
        parts_of(tmp_path / "model", "digest", resumes=True),
    ):
        pass


def test_parts_below_a_prefix_are_other_parts(tmp_path):
    one, other = Maker("a"), Maker("b")
    with building_in(BuildFolder(tmp_path, "digest")):
        with parts_below("first."):
            assert stored_part("x", one) == ["a"]
        assert stored_part("x", other) == ["b"]
        with parts_below("first."):
            assert stored_part("x", other) == ["a"]
    with parts_below("first."):
        assert build_folder() is None


def test_arrays_of_a_part_are_mapped_and_read_only(tmp_path):
    with building_in(BuildFolder(tmp_path, "digest")):
        table = saved_part("x", Maker("a" * 100_000), lambda arrays: StringTable.from_arrays(arrays, "part"))
    with pytest.raises(ValueError, match="read-only"):
        table.data[0] = 0
    assert np.all(table.data == ord("a"))
