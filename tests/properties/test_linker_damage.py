"""A saved linker whose bytes have changed is refused or links something that can be; it never crashes."""

import shutil
import tempfile
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from deixis.documents.corrections import Correction
from deixis.errors import StoreError, ToolkitError
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.linker import Linker
from deixis.linking.config import LinkerConfig
from deixis.types import Document, Mention

NAMES = ["Paris", "Troy", "Zürich", "北京", "القاهرة", "O'Hara", "New York City"]
TEXT = "In Paris the river story Paris, New York City. 北京 and Zürich; القاهرة O'Hara Troy"
GIVEN = Document("d", TEXT, mentions=(Mention(3, 8, "Paris"), Mention(0, len(TEXT), TEXT)))


@cache
def sound(preset) -> dict[str, bytes]:
    """The files of a small linker that has something in every column."""
    records = [
        {"id": f"{word}-{name}", "title": name, "aliases": [{"text": f"{word} {name}", "lang": "en", "count": 2}],
         "types": [word], "alt_ids": [f"x-{word}-{name}"], "description": f"{word} about {name}", "count": 5}
        for name in NAMES for word in ("story", "city", "river")
    ]  # fmt: skip
    folder = Path(tempfile.mkdtemp())
    linker = Linker.build(KnowledgeBase.from_records(records), config=LinkerConfig.preset(preset), n_threads=1)
    corrections = [Correction(TEXT, 3, 8, "gold", "city-Paris"), Correction(TEXT, 0, 2, "not_an_entity")]
    linker.correct(corrections).save(folder / "model")
    files = {path.name: path.read_bytes() for path in sorted((folder / "model").iterdir())}
    shutil.rmtree(folder)
    return files


@pytest.fixture(scope="module", params=["default", "xmred"])
def model(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp("damaged") / "model"
    folder.mkdir()
    for name, contents in sound(request.param).items():
        (folder / name).write_bytes(contents)
    return folder, sound(request.param)


def links_if_it_loads(folder):
    """Whether the folder was taken; then what it links must be possible."""
    try:
        linker = Linker.load(folder, n_threads=1)
    except StoreError:
        return False
    try:
        for mention in [*linker.link(TEXT).mentions, *linker.link(GIVEN).mentions]:
            assert TEXT[mention.start : mention.end] == mention.text
            assert all(0 <= candidate.score <= 1 for candidate in mention.candidates)
    except ToolkitError:
        return False
    return True


def test_the_sound_model_links(model):
    assert links_if_it_loads(model[0])


def test_files_cut_off_grown_or_missing_are_refused(model):
    folder, files = model
    for name, contents in files.items():
        for damaged in ([contents[:-1], contents[: len(contents) // 2]] if contents else []) + [contents + b"\0", None]:
            (folder / name).unlink()
            if damaged is not None:
                (folder / name).write_bytes(damaged)
            # A manifest may end in one newline more or less.
            if name != "manifest.json" or damaged is None or len(damaged) < len(contents) - 1:
                assert not links_if_it_loads(folder), name
            (folder / name).write_bytes(contents)


@pytest.mark.parametrize("first", range(0, 200, 50))
def test_changed_bytes_never_crash_it(model, first):
    folder, files = model
    names = [name for name, contents in files.items() if contents]
    for seed in range(first, first + 50):
        rng = np.random.default_rng(seed)
        name = names[seed % len(names)]
        damaged = np.frombuffer(files[name], np.uint8).copy()
        place, length = int(rng.integers(len(damaged))), int(rng.choice([1, 2, 8, 64]))
        changed = damaged[place : place + length]
        if seed % 3 == 0:
            changed[0] ^= np.uint8(1 << rng.integers(8))
        elif seed % 3 == 1:
            changed[:] = rng.choice([0x00, 0x7F, 0x80, 0xFF])
        else:
            changed[:] = rng.integers(0, 256, len(changed))
        (folder / name).write_bytes(damaged.tobytes())
        links_if_it_loads(folder)
        (folder / name).write_bytes(files[name])
