"""What is dear to make is made once, whatever becomes of the cache."""

import numpy as np
import pytest

from deixis.store.cache import CACHE, cache_folder, cached_arrays


class Making:
    """Counts how often arrays are made."""

    def __init__(self):
        self.n_times = 0

    def __call__(self):
        self.n_times += 1
        return {"x.rows": np.arange(6, dtype=np.float32).reshape(2, 3), "x.names": np.array([1, 2], dtype=np.int64)}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv(CACHE, str(tmp_path / "cache"))
    return tmp_path / "cache"


def asked(make, *made_of):
    arrays = cached_arrays("rows", made_of or ("a",), make)
    assert sorted(arrays) == ["x.names", "x.rows"] and arrays["x.rows"].tolist() == [[0, 1, 2], [3, 4, 5]]
    return arrays


def test_what_was_made_once_is_not_made_again(folder):
    make = Making()
    first, again = asked(make), asked(make)
    assert make.n_times == 1 and len(list(folder.iterdir())) == 1
    assert all(first[name].dtype == again[name].dtype for name in first)


def test_what_is_made_of_something_else_is_another_thing(folder):
    make = Making()
    asked(make, "a", "b"), asked(make, "a", "c"), asked(make, "ab")
    assert make.n_times == len(list(folder.iterdir())) == 3


@pytest.mark.parametrize("damage", ["cut", "changed", "gone", "no manifest", "a file"])
def test_what_is_damaged_is_made_again_and_then_whole(folder, damage):
    make = Making()
    asked(make)
    (entry,) = folder.iterdir()
    rows = next(path for path in entry.iterdir() if path.suffix == ".bin")
    if damage == "cut":
        rows.write_bytes(rows.read_bytes()[:-4])
    elif damage == "changed":
        rows.write_bytes(rows.read_bytes()[:-1] + b"!")
    elif damage == "gone":
        rows.unlink()
    elif damage == "no manifest":
        next(path for path in entry.iterdir() if path.suffix == ".json").unlink()
    else:
        for path in entry.iterdir():
            path.unlink()
        entry.rmdir()
        entry.write_text("something else")
    asked(make)
    assert make.n_times == 2
    if damage in ("cut", "changed", "gone"):  # a folder or file that is not ours is left alone
        asked(make)
        assert make.n_times == 2


def test_where_nothing_can_be_written_nothing_is_kept(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv(CACHE, str(tmp_path / "file" / "cache"))
    make = Making()
    asked(make), asked(make)
    assert make.n_times == 2


def test_set_to_nothing_the_cache_is_off(monkeypatch):
    monkeypatch.setenv(CACHE, "")
    make = Making()
    asked(make), asked(make)
    assert make.n_times == 2 and cache_folder() is None


def test_the_folder_is_the_users_own(tmp_path, monkeypatch):
    monkeypatch.delenv(CACHE, raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache_folder() == tmp_path / "deixis"
    monkeypatch.setenv("XDG_CACHE_HOME", "here")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    assert cache_folder() == tmp_path / "home" / ".cache" / "deixis"
