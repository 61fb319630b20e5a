"""Models that an earlier Deixis saved, as archives: they link, label and explain today as they did then.

The archives in `tests/data/format_1` were written by the last Deixis that saved format 1, those in `format_2` and
`format_3` are the same models, saved again by the last ones that saved these; none is ever written again. The linker is
a small part of the demo with every part that needs no extra: learned odds and names, calibrated decisions, vectors,
corrections, the weights before them, seen documents.
"""

import tarfile
from pathlib import Path

import pytest

from deixis.cli.main import main
from deixis.labelling.labeller import Labeller
from deixis.linker import Linker
from deixis.store.manifest import FORMAT_VERSION
from deixis.store.model_folder import open_model, verify_model
from tests.golden import frozen, pipeline_cases
from tests.library import books

ARCHIVES = Path(__file__).parents[1] / "data"
FORMATS = (1, 2, 3)
FROZEN = Path(__file__).parent / "data" / "old_models.json"
DIGITS = 9
TEXTS = [
    "Paris saw Mercury and Jupiter beside Aurora in Georgia.",
    "Paris had to carry Helen away; Ajax fought before the gates.",
    "The Amazon runs through the rainforest, far from Amazon and Apple.",
    "From Tbilisi, the capital of Georgia, to Hamilton and Springfield.",
    "Mercury is the planet closest to the Sun, Jupiter the largest.",
    "The crane lifted steel while a crane stood in the reeds.",
    "Pandora opened the box. The bishop took the pawn in a game of go.",
    "In Paris fließt die Seine; 墨丘利 und Hydra und Batman.",
]
OPTIONS = {"as saved": {}, "vectors of contexts": {"vectors": "contexts"}, "overlaps": {"overlaps": "keep"}}


@pytest.fixture(scope="session", params=FORMATS)
def format_version(request):
    """The format of the archives."""
    return request.param


@pytest.fixture(scope="session")
def unpacked(tmp_path_factory, format_version):
    """The folder of an archived model, unpacked."""

    def unpack(name):
        folder = tmp_path_factory.mktemp(name)
        with tarfile.open(ARCHIVES / f"format_{format_version}" / f"{name}.tar.xz") as archive:
            archive.extractall(folder, filter="data")
        return folder / "model"

    return unpack


def answers(linker):
    """Links with scores and candidates, explanations, and what the linker says of itself."""
    cells = {
        f"links, {name}": [pipeline_cases.rows(each) for each in linker.link_many(TEXTS, **options)]
        for name, options in OPTIONS.items()
    }
    explanations = [record for text in TEXTS for record in pipeline_cases.explanations(linker.model, text)]
    cells["explanations"] = [numbers(record) for record in explanations]
    model = linker.model
    cells["corrections"] = [[each.surface, each.verdict, each.entity] for each in model.corrections.each]
    cells["weights before corrections"] = model.uncorrected_weights.values.tolist()
    cells["seen documents"] = [len(model.seen), len(model.all_seen)]
    decisions = (model.decisions.given, model.decisions.detected)
    cells["decisions"] = [[each.min_probability, each.source, str(each.expectation())] for each in decisions]
    return cells


def numbers(record):
    """What an explanation says without the names it says it by, which may change: they are words, not results."""
    if isinstance(record, dict):
        return [numbers(each) for key, each in record.items() if key != "name"]
    return [numbers(each) for each in record] if isinstance(record, (list, tuple)) else record


def labels(labeller):
    """Labels with scores of books it has not seen."""
    return {"labels": [[[each.id, each.score] for each in row] for row in labeller.label(books(20, seed=1).texts, k=3)]}


def test_old_models_give_the_links_and_labels_that_they_gave(unpacked, golden_reason):
    linker, labeller = Linker.load(unpacked("linker")), Labeller.load(unpacked("labeller"))
    now = frozen.rounded(answers(linker) | labels(labeller), DIGITS)
    if golden_reason is not None:
        frozen.write(FROZEN, golden_reason, now)
    differences = frozen.difference(now, frozen.read(FROZEN), 10.0**-DIGITS)
    assert not differences, differences


def test_an_old_model_that_is_saved_again_gives_the_same(unpacked, tmp_path):
    linker, labeller = Linker.load(unpacked("linker")), Labeller.load(unpacked("labeller"))
    linker.save(tmp_path / "linker")
    labeller.save(tmp_path / "labeller")
    again = answers(Linker.load(tmp_path / "linker")) | labels(Labeller.load(tmp_path / "labeller"))
    assert again == answers(linker) | labels(labeller)


def test_no_part_of_an_old_model_is_lost(unpacked, tmp_path):
    linker = Linker.load(unpacked("linker"))
    linker.save(tmp_path / "once")
    Linker.load(tmp_path / "once").save(tmp_path / "twice")
    once, twice = (
        {name: array.tobytes() for name, array in open_model(tmp_path / each).arrays.items()}
        for each in ("once", "twice")
    )
    assert once == twice


def test_info_says_the_format_and_that_saving_changes_it(unpacked, format_version, tmp_path, capsys):
    old = unpacked("linker")
    assert main(["info", str(old)]) == 0
    said = capsys.readouterr().out
    assert f"format version         {format_version}\n" in said
    assert f"saving the model again makes it format version {FORMAT_VERSION}" in said
    Linker.load(old).save(tmp_path / "new")
    assert main(["info", str(tmp_path / "new")]) == 0
    assert "saving the model again" not in capsys.readouterr().out
    assert len(list((tmp_path / "new").iterdir())) == 2  # all arrays of so small a model are in one file


def test_the_files_of_an_old_model_are_verified_as_they_are(unpacked):
    folder = unpacked("linker")
    assert all(check.ok for check in verify_model(folder))
    damaged = next(path for path in folder.iterdir() if path.name in ("ranking.weights.bin", "small.bin"))
    damaged.write_bytes(damaged.read_bytes()[:-1] + b"\xff")
    wrong = [check.file for check in verify_model(folder) if not check.ok]
    assert wrong
    assert set(wrong) == {damaged.name}
