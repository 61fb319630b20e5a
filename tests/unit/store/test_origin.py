"""A model keeps its id whatever is done to it in its place, and is the same bytes if it is built the same."""

import shutil
from pathlib import Path

import numpy as np
import pytest

from deixis.errors import StoreError
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.linker import Linker
from deixis.live import LiveModel
from deixis.store.model_folder import save_model
from deixis.store.origin import GENERATION, MODEL_ID, folder_signature, open_origin

RECORDS = [{"id": "Q90", "title": "Paris"}, {"id": "Q84", "title": "London"}]
FORMAT_1 = Path(__file__).resolve().parents[2] / "data" / "format_1" / "linker.tar.xz"


@pytest.fixture
def folder(tmp_path):
    Linker.build(KnowledgeBase.from_records(RECORDS), n_threads=1).save(tmp_path / "model")
    return tmp_path / "model"


def contents(folder):
    return {file.name: file.read_bytes() for file in folder.iterdir()}


def test_a_model_built_twice_is_the_same_bytes_and_has_the_same_id(folder, tmp_path):
    Linker.build(KnowledgeBase.from_records(RECORDS), n_threads=1).save(tmp_path / "again")
    assert contents(folder) == contents(tmp_path / "again")
    assert open_origin(folder)[1].model_id == open_origin(tmp_path / "again")[1].model_id


def test_saving_a_loaded_model_elsewhere_gives_the_same_bytes(folder, tmp_path):
    Linker.load(folder).save(tmp_path / "copy")
    assert contents(folder) == contents(tmp_path / "copy")


def test_the_id_is_carried_by_saving_in_place_and_by_compaction(folder):
    built = open_origin(folder)[1].model_id
    Linker.load(folder).with_options(threshold=0.5).save(folder)
    live = LiveModel.open(folder)
    live.add({"id": "Q220", "title": "Rome"})
    live.compact()
    origin = open_origin(folder)[1]
    assert (origin.model_id, origin.generation) == (built, 1)


def test_another_list_is_another_model(folder, tmp_path):
    Linker.build(KnowledgeBase.from_records(RECORDS[:1]), n_threads=1).save(tmp_path / "other")
    assert open_origin(folder)[1].model_id != open_origin(tmp_path / "other")[1].model_id


def test_the_journal_of_another_model_is_named_with_the_way_out(folder, tmp_path):
    LiveModel.open(folder).add({"id": "Q220", "title": "Rome"})
    Linker.build(KnowledgeBase.from_records(RECORDS[:1]), n_threads=1).save(tmp_path / "other")
    shutil.rmtree(folder)
    (tmp_path / "other").rename(folder)
    with pytest.raises(StoreError, match=r"model.journal belongs to another model.*mv "):
        Linker.load(folder)


@pytest.mark.parametrize("values", [{MODEL_ID: ""}, {MODEL_ID: 7}, {GENERATION: -1}, {GENERATION: "x"}])
def test_a_folder_that_is_wrong_about_itself_is_refused(tmp_path, values):
    save_model(tmp_path / "model", "toy", {}, {name: np.array(value) for name, value in values.items()})
    with pytest.raises(StoreError, match="cannot be. The model is damaged"):
        open_origin(tmp_path / "model")


def test_a_folder_that_is_not_there_has_no_signature(tmp_path):
    assert folder_signature(tmp_path / "nothing") is None


def test_a_model_of_format_1_can_be_changed(tmp_path):
    shutil.unpack_archive(FORMAT_1, tmp_path / "unpacked")
    next((tmp_path / "unpacked").rglob("manifest.json")).parent.rename(tmp_path / "model")
    live = LiveModel.open(tmp_path / "model")
    n_entities = len(live.linker.kb)
    live.add({"id": "new", "title": "Quite new"})
    assert (len(live.linker.kb), live.linker.link("Quite new").mentions[0].entity) == (n_entities + 1, "new")
    live.compact()
    live.undo()
    assert len(Linker.load(tmp_path / "model").kb) == n_entities
