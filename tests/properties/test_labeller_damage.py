"""A saved labeller whose bytes have changed is refused or gives labels that can be; it never crashes."""

import numpy as np
import pytest

from deixis.errors import StoreError, ToolkitError
from deixis.labelling.config import LabellerConfig
from deixis.labelling.labeller import Labeller
from tests.library import books, library_vocabulary

TEXTS = ["a kitten under the mast", "flour and comets", ""]
ENGINES = ["tree", "tree++"]


@pytest.fixture(scope="module", params=ENGINES)
def model(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp("damaged") / "model"
    config = LabellerConfig(engine=request.param)
    Labeller.build(books(600), library_vocabulary(), config, n_threads=1).save(folder)
    return folder, {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def labels_if_it_loads(folder):
    """Whether the folder was taken; then the labels it gives must be of its vocabulary."""
    try:
        labeller = Labeller.load(folder, n_threads=1)
        ranked = labeller.rank(TEXTS, 3)
    except ToolkitError:
        return False
    assert ranked.shape == (len(TEXTS), len(labeller.vocabulary))
    assert ranked.nnz == 0 or (0 <= ranked.indices.min() and ranked.indices.max() < len(labeller.vocabulary))
    return True


def test_files_cut_off_or_missing_are_refused(model):
    folder, files = model
    assert labels_if_it_loads(folder)
    for name, contents in files.items():
        for damaged in [contents[: len(contents) // 2], None] if contents else [None]:
            (folder / name).unlink()
            if damaged is not None:
                (folder / name).write_bytes(damaged)
            with pytest.raises(StoreError):
                Labeller.load(folder, n_threads=1)
            (folder / name).write_bytes(contents)


@pytest.mark.parametrize("first", range(0, 120, 40))
def test_changed_bytes_never_crash_it(model, first):
    folder, files = model
    names = [name for name, contents in files.items() if contents]
    for seed in range(first, first + 40):
        rng = np.random.default_rng(seed)
        name = names[seed % len(names)]
        damaged = np.frombuffer(files[name], np.uint8).copy()
        place = int(rng.integers(len(damaged)))
        damaged[place : place + int(rng.choice([1, 2, 8, 64]))] = rng.choice([0x00, 0x7F, 0x80, 0xFF])
        (folder / name).write_bytes(damaged.tobytes())
        labels_if_it_loads(folder)
        (folder / name).write_bytes(files[name])
