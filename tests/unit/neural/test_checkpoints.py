"""Folders of checkpoints: whose they are, whether they have room."""

import shutil
from collections import namedtuple

import pytest
import torch

from deixis.errors import ConfigError, StoreError
from deixis.neural.checkpoints import FINGERPRINT, claim_folder, fingerprint, room_for_checkpoints

MARK = fingerprint({"epochs": 2}, ["a text"])
Usage = namedtuple("Usage", "free")


def test_a_folder_belongs_to_one_training(tmp_path):
    assert claim_folder(tmp_path, MARK) is None and claim_folder(tmp_path, MARK) is None
    with pytest.raises(ConfigError, match=r"other settings or other data \(epochs\).*--afresh"):
        claim_folder(tmp_path, fingerprint({"epochs": 3}, ["a text"]))
    with pytest.raises(ConfigError, match=r"\(the data\)"):
        claim_folder(tmp_path, fingerprint({"epochs": 2}, ["another text"]))


def test_a_mark_that_was_cut_off_binds_nobody(tmp_path):
    claim_folder(tmp_path, MARK)
    for cut in ("", (tmp_path / FINGERPRINT).read_text()[:-9]):
        (tmp_path / FINGERPRINT).write_text(cut)
        assert claim_folder(tmp_path, fingerprint({"epochs": 3}, [])) is None


def test_a_disk_without_room_is_told_before_the_work(tmp_path, monkeypatch):
    monkeypatch.setattr(shutil, "disk_usage", lambda folder: Usage(119))
    model = torch.nn.Linear(9, 1)  # ten numbers of four bytes
    with pytest.raises(StoreError, match=r"takes 120 bytes, and where .* 119 are free.*--work"):
        with room_for_checkpoints(tmp_path, model):
            raise AssertionError("nothing is begun")


@pytest.mark.parametrize("error", [RuntimeError("unexpected pos 64 vs 0"), OSError(28, "No space left on device")])
def test_a_disk_that_is_full_in_the_middle_is_told_and_other_errors_stay_what_they_are(tmp_path, monkeypatch, error):
    free = iter([500, 7, 500, 500])
    monkeypatch.setattr(shutil, "disk_usage", lambda folder: Usage(next(free)))
    model = torch.nn.Linear(9, 1)
    with pytest.raises(StoreError, match="7 are free") as told, room_for_checkpoints(tmp_path, model):
        raise error
    assert told.value.__cause__ is error
    with pytest.raises(type(error)) as same, room_for_checkpoints(tmp_path, model):
        raise error
    assert same.value is error
