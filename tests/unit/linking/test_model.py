"""A linker's model is data: nothing that is done with it changes it."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import FrozenInstanceError, fields, replace

import pytest

from deixis.documents.corrections import Correction
from deixis.linker import Linker
from deixis.linking.model import LinkerModel
from deixis.linking.options import LinkOptions
from deixis.training.detector import fit_detected
from deixis.training.examples import fit_weights
from deixis.types import Document
from tests.aviary import aviary, sightings
from tests.raw_texts import annotated, trained

TEXT = "At dawn Ruby sang to Amber."
DEEDS = {
    "link": lambda linker: linker.link(TEXT, top_k=30, threshold=0.4, types=()),
    "link_many": lambda linker: list(linker.link_many([TEXT, sightings(1)[0]], ids=["bird-Ruby", "stone-Amber"])),
    "link_names": lambda linker: linker.link_names(["Ruby", None]),
    "candidates": lambda linker: linker.candidates(sightings(3), 30),
    "explain": lambda linker: linker.explain(TEXT, 8, 12),
    "correct": lambda linker: linker.correct([Correction(TEXT, 8, 12, "gold", "bird-Ruby")]),
    "calibrate": lambda linker: linker.calibrate(sightings(30), all_mentions_annotated=True),
    "fit weights": lambda linker: fit_weights(linker.model, sightings(30)),
    "fit detected": lambda linker: fit_detected(linker.model, sightings(30)),
    "with options": lambda linker: linker.with_options(LinkOptions(threshold=0.9)),
}


@pytest.fixture(scope="module")
def linker():
    return Linker.build(aviary(), sightings(40, seed=7), n_threads=1)


@pytest.fixture(scope="module")
def stored(linker):
    return linker.to_bytes()


@pytest.mark.parametrize("deed", DEEDS)
def test_whatever_is_done_with_a_linker_it_stays_what_it_was(linker, stored, deed):
    parts = {each.name: getattr(linker.model, each.name) for each in fields(LinkerModel)}
    DEEDS[deed](linker)
    assert linker.to_bytes() == stored
    assert all(getattr(linker.model, name) is part for name, part in parts.items())


@pytest.mark.parametrize("name", [each.name for each in fields(LinkerModel)])
def test_no_part_can_be_put_in_the_place_of_another(linker, name):
    with pytest.raises(FrozenInstanceError):
        setattr(linker.model, name, None)


def test_from_two_threads_links_are_those_from_one():
    texts = [annotated(number).text for number in range(24)]
    alone = [trained().link(text).mentions for text in texts]
    with ThreadPoolExecutor(2) as pool:
        for linked in (pool.map(trained().link, texts), pool.map(lambda text: trained().link(text), texts[::-1])):
            together = [document.mentions for document in linked]
            assert together in (alone, alone[::-1])


def test_documents_that_were_seen_are_those_of_training_and_of_corrections(linker):
    corrected = replace(
        linker.model, corrections=linker.correct([Correction("x Ruby", 2, 6, "gold", "bird-Ruby")]).corrections
    )
    assert corrected.all_seen.holds([*sightings(40, seed=7), Document("", "x Ruby")]).all()
    assert not corrected.seen.holds([Document("", "x Ruby")]).any()
