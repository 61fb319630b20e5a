"""Corrections kept: the later one holds, the same one counts once, and a model gives back what it was given."""

import numpy as np
import pytest

from deixis.documents.corrections import Correction
from deixis.errors import DataError, StoreError
from deixis.linking.corrections import Corrections, resolved
from tests.aviary import aviary

TEXT = "Ruby sang to Amber."


def ruby(verdict, entity=None):
    return Correction(TEXT, 0, 4, verdict, entity)


def held(*told):
    return [(one.verdict, one.entity) for one in Corrections().merged(told).corrections.each]


def test_of_corrections_that_contradict_the_later_one_holds():
    assert held(ruby("gold", "a"), ruby("gold", "b")) == [("gold", "b")]
    assert held(ruby("gold", "a"), ruby("not_an_entity")) == [("not_an_entity", None)]
    assert held(ruby("not_an_entity"), ruby("gold", "a")) == [("gold", "a")]
    assert held(ruby("gold", "a"), ruby("wrong", "a")) == [("wrong", "a")]


def test_what_does_not_contradict_stays():
    assert held(ruby("wrong", "b"), ruby("wrong", "a")) == [("wrong", "a"), ("wrong", "b")]
    assert held(ruby("gold", "a"), ruby("wrong", "b")) == [("gold", "a")]
    assert held(ruby("not_an_entity"), ruby("wrong", "b")) == [("not_an_entity", None)]


def test_new_changed_and_known_ones_are_counted():
    first = Corrections().merged([ruby("gold", "a"), Correction(TEXT, 13, 18, "not_an_entity")])
    assert (first.n_new, first.n_changed, first.n_known) == (2, 0, 0)
    second = first.corrections.merged([ruby("gold", "a"), ruby("gold", "b"), Correction("Ruby", 0, 4, "wrong", "a")])
    assert (second.n_new, second.n_changed, second.n_known) == (1, 1, 1)


def test_arrays_give_back_what_was_kept_and_damage_is_refused():
    told = [
        Correction("Zürich and 北京", 11, 13, "gold", "b", "zh"), ruby("wrong", "c"), ruby("wrong", "d"),
        Correction(TEXT, 13, 18, "not_an_entity", lang=""),
    ]  # fmt: skip
    kept = Corrections().merged(told).corrections
    arrays = kept.to_arrays("told")
    assert Corrections.from_arrays(arrays, "told") == kept and len(kept) == 4
    assert Corrections.from_arrays({}, "told") == Corrections() and Corrections().to_arrays("told") == {}
    for place, value in ((0, 7), (1, -1), (2, 99), (3, 3)):
        spans = arrays["told.spans"].copy()
        spans[place] = value
        with pytest.raises(StoreError, match="told"):
            Corrections.from_arrays(arrays | {"told.spans": spans}, "told")
    with pytest.raises(StoreError, match="told.spans"):
        Corrections.from_arrays(arrays | {"told.spans": np.zeros(7, dtype=np.int64)}, "told")


def test_ids_become_the_knowledge_base_s_own_and_unknown_ones_are_told_with_near_ones():
    kb = aviary()
    assert resolved(kb, [ruby("gold", "bird-Ruby"), ruby("not_an_entity")])[0].entity == "bird-Ruby"
    with pytest.raises(DataError, match="no entity 'brid-Ruby', which is 'gold' for 'Ruby'. Did you mean 'bird-Ruby'"):
        resolved(kb, [ruby("gold", "brid-Ruby")])
    with pytest.raises(DataError, match="Expected Corrections, got dict"):
        resolved(kb, [{"gold": "bird-Ruby"}])
