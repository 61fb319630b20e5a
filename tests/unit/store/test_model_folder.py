"""Model folders: whole or not at all, and every kind of damage named."""

import errno
import json
import os
import shutil
import sys

import numpy as np
import pytest

from deixis.errors import StoreError
from deixis.store import array_files, model_folder
from deixis.store.manifest import FORMAT_VERSION, OLDEST_VERSION, checksum_of
from deixis.store.manifest_reading import parse_manifest
from deixis.store.model_folder import open_model, save_model, verify_model

ARRAYS = {
    "tree.weights": np.arange(12, dtype=np.float32).reshape(3, 4),
    "tree.sizes": np.array([3, 1, 2]),
    "kb.empty": np.empty((0, 5), np.uint8),
    "kb.flags": np.array([True, False]),
    "kb.vectors": np.arange(20_000, dtype=np.float32),
    "scale": np.array(2.5),
    "n_labels": np.array(7),
    "engine": np.array("tree"),
    "is_exact": np.array(True),
}
SMALL, LARGE = "small.bin", "kb.vectors.bin"


@pytest.fixture
def folder(tmp_path):
    path = tmp_path / "model"
    save_model(path, "toy", {"width": 3, "names": ("a", "b")}, ARRAYS)
    return path


def rewrite_manifest(folder, **changes):
    """Change fields and make the checksum fit again, as only an attacker or another writer would."""
    text = (folder / "manifest.json").read_text()
    fields = {name: each for name, each in (json.loads(text) | changes).items() if name != "checksum"}
    if fields["values"] is None:
        del fields["values"]
    (folder / "manifest.json").write_text(json.dumps(fields | {"checksum": checksum_of(fields)}))


ZEROS = {
    "kb.counts": np.zeros((9_000, 2), np.int64),
    "kb.flags": np.zeros(70_000, bool),
    "kb.ids": np.arange(50_000, dtype=np.uint64),
}


def test_large_arrays_of_zeros_have_no_file_and_are_what_they_were(tmp_path):
    almost = {"a.signs": np.full(20_000, -0.0), "b.last": np.eye(1, 9_000, 8_000), "c.little": np.zeros(9)}
    for path in (tmp_path / "one", tmp_path / "two"):
        save_model(path, "toy", {}, ZEROS | almost)
    files = sorted(path.name for path in (tmp_path / "one").iterdir())
    assert files == ["a.signs.bin", "b.last.bin", "kb.ids.bin", "manifest.json", "small.bin"]
    assert all((tmp_path / "two" / name).read_bytes() == (tmp_path / "one" / name).read_bytes() for name in files)
    model = open_model(tmp_path / "one", verify=True)
    for name, array in (ZEROS | almost).items():
        own = model.arrays[name]
        assert own.dtype == array.dtype and own.shape == array.shape and own.tobytes() == array.tobytes()
        assert not own.flags.writeable and own.flags.c_contiguous
    assert all(check.ok for check in verify_model(tmp_path / "one"))


def test_a_model_has_no_more_zeros_without_a_file_than_other_bytes(tmp_path):
    """Otherwise a manifest of a few lines could ask for any memory."""
    save_model(tmp_path / "model", "toy", {}, {"kb.counts": np.zeros(60_000), "kb.ids": np.arange(50_000)})
    assert (tmp_path / "model" / "kb.counts.bin").stat().st_size == 480_000
    save_model(tmp_path / "model", "toy", {}, {"kb.counts": np.zeros(60_000), "kb.ids": np.arange(60_000)})
    assert not (tmp_path / "model" / "kb.counts.bin").exists()


@pytest.mark.parametrize(
    "change", [{"is_zero": 1}, {"is_zero": "yes"}, {"offset": 0}, {"shape": [10**9], "size": 8 * 10**9}, {"dtype": "x"}]
)
def test_zeros_that_cannot_be_are_refused(tmp_path, change):
    save_model(tmp_path / "model", "toy", {}, ZEROS)
    arrays = json.loads((tmp_path / "model" / "manifest.json").read_text())["arrays"]
    arrays["kb.counts"] |= change
    rewrite_manifest(tmp_path / "model", arrays=arrays)
    with pytest.raises(StoreError, match="not a valid manifest"):
        open_model(tmp_path / "model")


def siblings(folder):
    return sorted(entry.name for entry in folder.parent.iterdir() if entry != folder)


def test_what_was_saved_is_what_is_opened(folder):
    model = open_model(folder, kind="toy", verify=True)
    assert model.kind == "toy" and model.path == folder
    assert model.config == {"width": 3, "names": ["a", "b"]}
    assert set(model.arrays) == set(ARRAYS)
    for name, array in ARRAYS.items():
        assert model.arrays[name].dtype == array.dtype and model.arrays[name].shape == array.shape
        assert np.array_equal(model.arrays[name], array)
        assert array.ndim == 0 or not model.arrays[name].flags.writeable
    assert siblings(folder) == []
    assert all(check.ok for check in verify_model(folder))


def test_small_arrays_share_a_file_and_values_need_none(folder):
    assert sorted(path.name for path in folder.iterdir()) == [LARGE, "manifest.json", SMALL]
    values = json.loads((folder / "manifest.json").read_text())["values"]
    assert values == {"engine": "tree", "is_exact": True, "n_labels": 7, "scale": 2.5}


def test_a_number_that_json_cannot_hold_is_refused(tmp_path):
    for number in (np.nan, np.inf):
        with pytest.raises(StoreError, match="'scale' is (nan|inf); a model can hold finite numbers only"):
            save_model(tmp_path / "m", "toy", {}, {"scale": np.array(number)})


def test_the_same_model_saved_twice_is_the_same_bytes(folder, tmp_path):
    save_model(tmp_path / "again", "toy", {"width": 3, "names": ["a", "b"]}, dict(reversed(ARRAYS.items())))
    for file in folder.iterdir():
        assert file.read_bytes() == (tmp_path / "again" / file.name).read_bytes()


def test_arrays_of_any_layout_are_stored_plain(tmp_path):
    grid = np.arange(12, dtype=">i4").reshape(3, 4)
    save_model(tmp_path / "m", "toy", {}, {"columns": np.asfortranarray(grid), "every_other": grid[:, ::2]})
    arrays = open_model(tmp_path / "m").arrays
    assert np.array_equal(arrays["columns"], grid) and np.array_equal(arrays["every_other"], grid[:, ::2])
    assert arrays["columns"].dtype == np.dtype("<i4")


def test_a_model_can_be_saved_over_itself_while_it_is_open(folder):
    model = open_model(folder)
    save_model(folder, "toy", {"width": 4}, model.arrays)
    assert np.array_equal(model.arrays["tree.weights"], ARRAYS["tree.weights"])
    assert open_model(folder, verify=True).config == {"width": 4}
    assert siblings(folder) == []


def test_saving_through_a_link_replaces_the_model_it_points_to(folder, tmp_path):
    link = tmp_path / "latest"
    link.symlink_to(folder)
    save_model(link, "toy", {"width": 9}, ARRAYS)
    assert link.is_symlink() and open_model(folder).config == {"width": 9} and open_model(link).path == folder


def test_an_empty_folder_is_filled_and_missing_parents_are_made(tmp_path):
    (tmp_path / "empty").mkdir()
    save_model(tmp_path / "empty", "toy", {}, ARRAYS)
    save_model(tmp_path / "a" / "b" / "model", "toy", {}, ARRAYS)
    assert open_model(tmp_path / "empty").kind == open_model(tmp_path / "a" / "b" / "model").kind == "toy"


def test_what_is_not_a_model_is_never_overwritten(folder, tmp_path):
    other = tmp_path / "photos"
    other.mkdir()
    (other / "cat.jpg").write_bytes(b"cat")
    with pytest.raises(StoreError, match="not a whole Deixis model"):
        save_model(other, "toy", {}, ARRAYS)
    assert (other / "cat.jpg").read_bytes() == b"cat"
    with pytest.raises(StoreError, match="exists already"):
        save_model(folder, "toy", {}, ARRAYS, overwrite=False)
    (folder / "notes.txt").write_text("mine")
    with pytest.raises(StoreError, match=r"would be lost: notes\.txt"):
        save_model(folder, "toy", {}, ARRAYS)
    assert (folder / "notes.txt").read_text() == "mine"
    with pytest.raises(StoreError, match="it is a file"):
        save_model(other / "cat.jpg", "toy", {}, ARRAYS)


@pytest.mark.parametrize("name", ["../escape", "a/b", "", "a..b", ".hidden", "x" * 300, "ä", "small"])
def test_array_names_that_could_leave_the_folder_are_refused(name, tmp_path):
    with pytest.raises(StoreError, match="Not an array name"):
        save_model(tmp_path / "m", "toy", {}, {name: np.zeros(1)})
    assert not (tmp_path / "m").exists()


def test_what_json_or_raw_bytes_cannot_hold_is_refused(tmp_path):
    with pytest.raises(StoreError, match=r"'names' has dtype object.*int64"):
        save_model(tmp_path / "m", "toy", {}, {"names": np.array(["a", None])})
    with pytest.raises(StoreError, match="config cannot be written as JSON"):
        save_model(tmp_path / "m", "toy", {"rate": float("nan")}, {})
    assert list(tmp_path.iterdir()) == []


def test_a_full_disk_leaves_the_old_model_and_no_rubbish(folder, monkeypatch):
    def fail(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(array_files.os, "fsync", fail)
    with pytest.raises(StoreError, match=r"No space left on device\. It needs 80,074 bytes there; make room") as caught:
        save_model(folder, "toy", {"width": 5}, ARRAYS)
    assert str(folder) in str(caught.value)
    assert siblings(folder) == [] and open_model(folder).config["width"] == 3


@pytest.mark.skipif(sys.platform == "win32", reason="needs limits on file sizes")
def test_a_limit_of_the_system_leaves_the_old_model_and_no_rubbish(folder):
    import resource

    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, before[1]))
    try:
        with pytest.raises(StoreError, match=r"It needs 400,000 bytes there; make room"):
            save_model(folder, "toy", {"width": 5}, {"big": np.zeros(50_000)})
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert siblings(folder) == [] and open_model(folder).config["width"] == 3


def test_ctrl_c_while_saving_leaves_the_old_model_and_no_rubbish(folder, monkeypatch):
    def interrupt(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(model_folder, "_write_manifest", interrupt)
    with pytest.raises(KeyboardInterrupt):
        save_model(folder, "toy", {"width": 5}, ARRAYS)
    assert siblings(folder) == [] and open_model(folder).config["width"] == 3


def test_a_place_that_cannot_be_written_is_named(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(StoreError, match="could not be saved at"):
        save_model(tmp_path / "file" / "model", "toy", {}, ARRAYS)


def test_a_model_put_aside_by_a_killed_save_is_found_and_put_back(folder):
    folder.rename(folder.parent / ".model.previous")
    assert open_model(folder).config["width"] == 3
    assert verify_model(folder)
    save_model(folder, "toy", {"width": 6}, ARRAYS)
    assert open_model(folder).config["width"] == 6 and siblings(folder) == []


def test_an_old_model_left_aside_is_removed_by_the_next_save(folder):
    shutil.copytree(folder, folder.parent / ".model.previous")
    save_model(folder, "toy", {"width": 6}, ARRAYS)
    assert siblings(folder) == []


def test_a_temporary_folder_of_a_dead_save_is_removed_but_not_of_a_living_one(folder):
    from deixis.store.durable import temporary_sibling

    dead = folder.parent / ".model.saving-0123456789ab"
    dead.mkdir()
    (dead / "half.bin").write_bytes(b"half")
    with temporary_sibling(folder) as alive:
        save_model(folder, "toy", {"width": 6}, ARRAYS)
        assert alive.is_dir() and not dead.exists()


def test_a_missing_or_foreign_folder_says_so(tmp_path, folder):
    with pytest.raises(StoreError, match="no such folder"):
        open_model(tmp_path / "nowhere")
    with pytest.raises(StoreError, match="it is a file"):
        open_model(folder / "manifest.json")
    (tmp_path / "empty").mkdir()
    with pytest.raises(StoreError, match=r"not a Deixis model: it has no manifest\.json"):
        open_model(tmp_path / "empty")
    (tmp_path / "empty" / "manifest.json").write_text('{"name": "A web app", "icons": []}')
    with pytest.raises(StoreError, match="does not belong to a Deixis model"):
        open_model(tmp_path / "empty")
    with pytest.raises(StoreError, match="kind 'toy', but 'linker' is needed"):
        open_model(folder, kind="linker")


def test_a_model_of_a_newer_version_asks_for_a_newer_deixis(folder):
    rewrite_manifest(folder, format_version=FORMAT_VERSION + 1, deixis_version="9.0")
    newer = rf"format version {FORMAT_VERSION + 1}, written by Deixis 9\.0.*Install a newer Deixis\."
    with pytest.raises(StoreError, match=newer):
        open_model(folder)


def test_a_model_of_an_older_version_asks_to_be_built_again(folder):
    rewrite_manifest(folder, format_version=1)
    older = rf"format version 1, .*reads versions {OLDEST_VERSION} to {FORMAT_VERSION}\. Build the model again\."
    with pytest.raises(StoreError, match=older):
        open_model(folder)
    rewrite_manifest(folder, format_version=4, values=None)  # format 1 had none, and counted on while it changed
    with pytest.raises(StoreError, match=r"format 1 in version 4, .*from version 5 on\. Build the model again\."):
        open_model(folder)


def test_a_manifest_cut_anywhere_is_an_error(folder):
    whole = (folder / "manifest.json").read_bytes()
    for length in range(0, len(whole) - 2, 7):
        (folder / "manifest.json").write_bytes(whole[:length])
        with pytest.raises(StoreError, match=r"manifest\.json"):
            open_model(folder)


def test_a_flipped_bit_anywhere_in_the_manifest_is_an_error(folder):
    whole = (folder / "manifest.json").read_bytes()
    expected = open_model(folder).manifest
    for position in range(0, len(whole), 3):
        flipped = bytearray(whole)
        flipped[position] ^= 1 << (position % 8)
        (folder / "manifest.json").write_bytes(flipped)
        try:
            assert open_model(folder).manifest == expected  # a flip in white space changes nothing
        except StoreError as error:
            assert "manifest.json" in str(error)


@pytest.mark.parametrize("name", [SMALL, LARGE])
@pytest.mark.parametrize("change", [lambda b: b[:-1], lambda b: b + b"\0", lambda b: b""])
def test_an_array_file_of_another_size_is_named(folder, name, change):
    file = folder / name
    size = file.stat().st_size
    file.write_bytes(change(file.read_bytes()))
    with pytest.raises(StoreError, match=rf"{name} has .* bytes where the manifest says {size:,}"):
        open_model(folder)
    assert [check.file for check in verify_model(folder) if not check.ok] == [name]


@pytest.mark.parametrize("name", [SMALL, LARGE])
def test_a_flipped_bit_anywhere_in_the_arrays_is_found_by_verifying(folder, name):
    file = folder / name
    whole = file.read_bytes()
    for position in range(0, len(whole), max(1, len(whole) // 200)):
        raw = bytearray(whole)
        raw[position] ^= 1 << (position % 8)
        file.write_bytes(raw)
        open_model(folder)
        (bad,) = (check for check in verify_model(folder) if not check.ok)
        assert bad.file == name and "is damaged" in bad.problem
        with pytest.raises(StoreError, match=rf"{name} is damaged"):
            open_model(folder, verify=True)


def test_a_damaged_small_array_is_named(folder):
    raw = bytearray((folder / SMALL).read_bytes())
    entry = open_model(folder).manifest.arrays["tree.sizes"]
    raw[entry.offset + 9] ^= 4
    (folder / SMALL).write_bytes(raw)
    (bad,) = (check for check in verify_model(folder) if not check.ok)
    assert "the sha256 of the array 'tree.sizes' is not the one in the manifest" in bad.problem


@pytest.mark.parametrize("name", [SMALL, LARGE])
def test_missing_linked_and_stray_files_are_named(folder, tmp_path, name):
    (folder / "README.md").write_text("about this model")
    open_model(folder)
    assert [check.file for check in verify_model(folder) if not check.ok] == ["README.md"]
    (folder / "other.bin").write_bytes(b"1")
    with pytest.raises(StoreError, match=r"other\.bin is not part of the model"):
        open_model(folder)
    (folder / "other.bin").unlink()
    shutil.move(folder / name, tmp_path / "outside.bin")
    with pytest.raises(StoreError, match=rf"{name} is missing"):
        open_model(folder)
    (folder / name).symlink_to(tmp_path / "outside.bin")
    with pytest.raises(StoreError, match=rf"{name} is a link"):
        open_model(folder)
    (folder / name).unlink()
    os.mkdir(folder / name)
    with pytest.raises(StoreError, match=name):
        open_model(folder)


@pytest.mark.parametrize(
    "entry",
    [
        {"dtype": "object"},
        {"dtype": "int32"},
        {"shape": [4]},
        {"shape": [-3]},
        {"shape": [3.0]},
        {"shape": "3"},
        {"size": 23},
        {"sha256": "../../etc/passwd"},
        {"sha256": None},
        {"offset": -64},
        {"offset": 8},
        {"offset": "0"},
        {"offset": 0},
    ],
)
def test_an_entry_that_contradicts_itself_is_refused_even_with_a_fitting_checksum(folder, entry):
    arrays = json.loads((folder / "manifest.json").read_text())["arrays"]
    arrays["tree.sizes"] |= entry
    rewrite_manifest(folder, arrays=arrays)
    with pytest.raises(StoreError, match="not a valid manifest"):
        open_model(folder)


@pytest.mark.parametrize(
    "changes",
    [
        {"arrays": []},
        {"arrays": {"../../x": {}}},
        {"kind": 3},
        {"config": None},
        {"format_version": "1"},
        {"values": []},
        {"values": {"../x": 1}},
        {"values": {"x": [1]}},
        {"values": {"x": None}},
        {"values": {"x": 2**63}},
    ],
)
def test_a_manifest_with_wrong_fields_is_refused(folder, changes):
    rewrite_manifest(folder, **changes)
    with pytest.raises(StoreError, match="not a valid manifest"):
        open_model(folder)


def test_an_attack_on_the_json_parser_is_a_store_error():
    with pytest.raises(StoreError, match="not JSON"):
        parse_manifest("[" * 100_000, "m/manifest.json")


@pytest.mark.parametrize("version", [1, FORMAT_VERSION + 1])
def test_a_model_of_another_version_can_be_built_again_in_its_place(folder, version):
    rewrite_manifest(folder, format_version=version)
    save_model(folder, "toy", {"again": True}, ARRAYS)
    assert open_model(folder).config == {"again": True}
