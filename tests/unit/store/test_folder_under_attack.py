"""A model folder made to harm whoever opens it: refused with a clear error, within a second and 100 MB."""

import gc
import json
import os
import signal
import socket
import sys
import time
import tracemalloc

import numpy as np
import pytest

from deixis.errors import StoreError
from deixis.store.declared import ArrayField, SeriesField
from deixis.store.manifest import MAX_MANIFEST, checksum_of
from deixis.store.manifest_reading import parse_manifest
from deixis.store.model_folder import open_model, save_model, verify_model

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs FIFOs and timers")

MAX_SECONDS, MAX_BYTES, MAX_MESSAGE = 1.0, 100_000_000, 1000
PATIENCE = 20  # seconds of the clock until something hangs; the processor's are counted against MAX_SECONDS
MANIFEST, SMALL, LARGE = "manifest.json", "small.bin", "kb.vectors.bin"
ARRAYS = {"tree.sizes": np.array([3, 1, 2]), "kb.vectors": np.arange(20_000, dtype=np.float32), "scale": np.array(2.5)}


@pytest.fixture
def folder(tmp_path):
    save_model(tmp_path / "model", "toy", {"width": 3}, ARRAYS)
    return tmp_path / "model"


def bounded(action, *arguments, **options):
    """What an action gives, which neither hangs nor takes more of the processor than is promised."""

    def hang(*_):
        raise AssertionError(f"it hangs: no answer within {PATIENCE} seconds")

    before = signal.signal(signal.SIGALRM, hang)
    signal.setitimer(signal.ITIMER_REAL, PATIENCE)
    seconds = []
    try:
        while not seconds or (min(seconds) > MAX_SECONDS and len(seconds) < 3):  # others may keep the machine busy
            if seconds:
                gc.collect()  # so that what other tests left behind is not looked through while this one allocates
            begin = time.process_time()
            try:
                given, error = action(*arguments, **options), None
            except StoreError as raised:
                given, error = None, raised
            seconds.append(time.process_time() - begin)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert min(seconds) < MAX_SECONDS
    if error is not None:
        raise error
    return given


def refused(words, action, *arguments, **options):
    """Asserts that the action is refused in these words; once on the clock, and once with its memory traced."""
    with pytest.raises(StoreError, match=words) as caught:
        bounded(action, *arguments, **options)
    assert len(str(caught.value)) < MAX_MESSAGE
    tracemalloc.start()
    try:
        with pytest.raises(StoreError):
            action(*arguments, **options)
        assert tracemalloc.get_traced_memory()[1] < MAX_BYTES
    finally:
        tracemalloc.stop()


def fields_of(folder):
    return {name: each for name, each in json.loads((folder / MANIFEST).read_text()).items() if name != "checksum"}


def rewrite(folder, fields):
    """Writes a manifest whose checksum fits, as an attacker would."""
    (folder / MANIFEST).write_text(json.dumps(fields | {"checksum": checksum_of(fields)}, separators=(",", ":")))


def put(path, kind, elsewhere):
    """Something else in the place of a file."""
    path.unlink()
    if kind == "FIFO":
        os.mkfifo(path)
    elif kind == "socket":
        here = os.getcwd()
        os.chdir(path.parent)  # the address of a socket is short
        try:
            with socket.socket(socket.AF_UNIX) as bound:
                bound.bind(path.name)
        finally:
            os.chdir(here)
    elif kind == "folder":
        path.mkdir()
    else:
        path.symlink_to({"device": "/dev/zero", "link": elsewhere}[kind])


KIND_TO_WORDS = {
    "FIFO": "is a FIFO",
    "socket": "is a socket",
    "folder": "is a folder",
    "device": "is a link",
    "link": "is a link",
}


@pytest.mark.parametrize("file", [MANIFEST, SMALL, LARGE])
@pytest.mark.parametrize("kind", KIND_TO_WORDS)
def test_what_is_no_file_of_the_folder_is_refused_at_once(folder, tmp_path, file, kind):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.write_bytes((folder / file).read_bytes())
    put(folder / file, kind, elsewhere)
    words = rf"{file} {KIND_TO_WORDS[kind]}.*Restore or build the model again|{file} is a link.*Copy the file there"
    refused(words, open_model, folder)
    refused(words, open_model, folder, verify=True)
    if file == MANIFEST:
        refused(words, verify_model, folder)
        refused(words, save_model, folder, "toy", {}, {})
    else:
        bad = [check for check in bounded(verify_model, folder) if not check.ok]
        assert [check.file for check in bad] == [file] and KIND_TO_WORDS[kind] in bad[0].problem


def test_a_device_is_refused_and_not_read(folder, monkeypatch):
    """As root anybody can put one there; here the link that leads to one passes for it."""
    put(folder / SMALL, "device", None)
    monkeypatch.setattr(os, "lstat", os.stat)
    refused(r"small\.bin is a device", open_model, folder)


def test_a_whole_model_behind_a_link_is_opened(folder, tmp_path):
    (tmp_path / "latest").symlink_to(folder)
    assert bounded(open_model, tmp_path / "latest", verify=True).config == {"width": 3}


def test_a_missing_file_is_named_once_when_verifying_too(folder):
    (folder / SMALL).unlink()
    with pytest.raises(StoreError) as caught:
        open_model(folder, verify=True)
    assert str(caught.value).count(SMALL) == 1


@pytest.mark.parametrize("n_bytes", [MAX_MANIFEST + 1, 1 << 40])
def test_a_manifest_that_is_too_large_is_not_read(folder, n_bytes):
    os.truncate(folder / MANIFEST, n_bytes)
    refused(rf"manifest\.json has {n_bytes:,} bytes; .*at most {MAX_MANIFEST:,}", open_model, folder)
    refused("at most", verify_model, folder)


def test_a_model_whose_manifest_would_be_too_large_is_not_saved(tmp_path):
    with pytest.raises(StoreError, match=rf"manifest .*would have .* bytes; .*at most {MAX_MANIFEST:,}"):
        save_model(tmp_path / "model", "toy", {"words": "x" * MAX_MANIFEST}, {})
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("piece", ["[]"])
def test_a_manifest_full_of_small_things_takes_little_memory(folder, piece):
    """Empty lists take twenty times the room of their letters."""
    fields = fields_of(folder)
    n_pieces = (MAX_MANIFEST - 2000) // len(json.dumps([json.loads(piece)], separators=(",", ":"))[1:])
    fields["config"] = {"x": [json.loads(piece)] * n_pieces}
    rewrite(folder, fields | {"kind": 3})
    assert 0.9 * MAX_MANIFEST < (folder / MANIFEST).stat().st_size <= MAX_MANIFEST
    refused(r"manifest\.json is not a valid manifest \(kind", open_model, folder)


@pytest.mark.parametrize("depth", [100, 300, 900, 980, 990, 995, 1000, 3000, 100_000])
@pytest.mark.parametrize("brackets", ["[]", "{}"])
def test_nesting_is_refused_at_any_depth(folder, depth, brackets):
    opening = "[" if brackets == "[]" else '{"a":'
    nested = opening * depth + "0" + brackets[1] * depth
    (folder / MANIFEST).write_text(f'{{"format":"deixis-model","config":{{"x":{nested}}}}}')
    refused(r"manifest\.json", open_model, folder)


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e999", "-1e999"])
def test_a_number_that_is_none_is_refused(number):
    text = f'{{"format": "deixis-model", "format_version": 2, "values": {{"scale": {number}}}, "checksum": ""}}'
    refused(r"m/manifest\.json .*not finite", parse_manifest, text, "m/manifest.json")


def test_a_name_that_comes_twice_is_refused(folder):
    text = (folder / MANIFEST).read_text()
    (folder / MANIFEST).write_text(text.replace('"kind": "toy"', '"kind": "other", "kind": "toy"'))
    refused(r"'kind' comes twice", open_model, folder)


def test_a_name_of_an_array_and_of_a_value_is_refused(folder):
    fields = fields_of(folder)
    fields["values"]["tree.sizes"] = 3
    rewrite(folder, fields)
    refused(r"'tree\.sizes' is an array and a value", open_model, folder)


@pytest.mark.parametrize("name", ["../x", "/etc/passwd", "a/b", "a\\b", "a..b", "x\n", "", "\0", "x" * 10**6])
@pytest.mark.parametrize("table", ["arrays", "values"])
def test_a_name_that_leads_out_of_the_folder_is_refused(folder, name, table):
    fields = fields_of(folder)
    fields[table][name] = next(iter(fields[table].values()))
    rewrite(folder, fields)
    refused("Not an array name", open_model, folder)


@pytest.mark.parametrize("name", ["tree.sizes", "kb.vectors"])
@pytest.mark.parametrize(
    "changes",
    [
        {"shape": [0, 2**62], "size": 0},
        {"shape": [2**62, 0], "size": 0},
        {"shape": [0, 2**63], "size": 0},
        {"shape": [0, 10**4000], "size": 0},
        {"shape": [2**32, 2**32], "size": 0},
        {"shape": [-1, -3]},
        {"shape": [True, 3]},
        {"shape": [3, None]},
        {"shape": [1] * 33},
        {"shape": [1] * 50_000},
        {"shape": "x" * 500_000},
        {"shape": [2**61], "size": 2**64},
        {"shape": [10**4000], "size": 8 * 10**4000},
        {"shape": [3], "size": 24.0},
        {"shape": [1], "size": True, "dtype": "bool"},
        {"size": -24},
        {"size": "24"},
        {"dtype": ["int64"]},
        {"dtype": "x" * 500_000},
        {"dtype": ">i8"},
        {"dtype": "O"},
        {"dtype": "V8"},
        {"sha256": "0" * 500_000},
        {"offset": 64 * 10**4000},
        {"offset": 2**63},
        {"offset": 1 << 40},
        {"offset": True},
        {"offset": 0.0},
    ],
    ids=lambda changes: str(changes)[:40],
)
def test_an_absurd_entry_is_refused_and_its_array_named(folder, name, changes):
    fields = fields_of(folder)
    fields["arrays"][name] |= changes
    rewrite(folder, fields)
    refused(rf"manifest\.json is not a valid manifest \(array '{name}'", open_model, folder)
    refused("not a valid manifest", verify_model, folder)


@pytest.mark.parametrize("shape", [[2**40], [2**20, 2**20], [20_001]])
def test_a_shape_larger_than_its_file_is_refused(folder, shape):
    fields, size = fields_of(folder), 4 * int(np.prod(shape, dtype=object))
    fields["arrays"]["kb.vectors"] |= {"shape": shape, "size": size}
    rewrite(folder, fields)
    refused(rf"kb\.vectors\.bin has 80,000 bytes where the manifest says {size:,}", open_model, folder)


def test_a_file_larger_than_the_memory_can_map_is_refused(folder, monkeypatch):
    def fail(*_, **__):
        raise OSError(12, "Cannot allocate memory")

    monkeypatch.setattr(np, "memmap", fail)
    refused(r"small\.bin cannot be mapped: Cannot allocate memory", open_model, folder)


@pytest.mark.parametrize(
    "changes",
    [{"kind": "x" * 10**6}, {"kind": None}, {"config": [1] * 10**5}, {"deixis_version": "\x1b[2J" * 10**5}],
    ids=lambda changes: next(iter(changes)),
)
def test_a_field_that_no_model_has_is_refused_and_named(folder, changes):
    fields = fields_of(folder) | changes
    rewrite(folder, fields)
    refused(rf"not a valid manifest \({next(iter(changes))}", open_model, folder, "linker")


def test_the_version_of_another_deixis_is_shown_only_if_it_is_one(folder):
    rewrite(folder, fields_of(folder) | {"format_version": 10**4000, "deixis_version": "\x1b[2J" * 10**5})
    refused("Install a newer Deixis", open_model, folder)
    with pytest.raises(StoreError) as caught:
        open_model(folder)
    assert "\x1b" not in str(caught.value)


def test_as_many_arrays_and_values_as_a_manifest_can_name_are_read_in_no_time(folder):
    fields = fields_of(folder)
    fields["values"] |= {f"a.{number}.b": 1 for number in range(130_000)}
    rewrite(folder, fields)
    arrays = bounded(open_model, folder).arrays
    assert len(arrays) > 130_000
    refused(r"no array 'a\.0'", SeriesField(ArrayField()).read, arrays, "a", {})
    fields = fields_of(folder)
    empty = {"dtype": "bool", "shape": [0], "size": 0, "sha256": "0" * 64}
    fields["values"], fields["arrays"] = {}, {f"a.{number}": empty | {"offset": 0} for number in range(14_000)}
    for file in (SMALL, LARGE):
        (folder / file).unlink()
    (folder / SMALL).touch()
    rewrite(folder, fields)
    assert len(bounded(open_model, folder).arrays) == 14_000


def test_an_array_far_into_the_small_file_is_refused(folder):
    fields = fields_of(folder)
    fields["arrays"]["tree.sizes"]["offset"] = 1 << 36
    rewrite(folder, fields)
    os.truncate(folder / SMALL, (1 << 36) + 24)
    refused(r"array 'tree\.sizes': .*offset", open_model, folder, verify=True)
