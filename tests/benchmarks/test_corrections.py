"""The simulation of somebody who corrects links: what is asked, what is answered, what is recorded."""

import pytest

from benchmarks.quality import corrections
from benchmarks.quality.corrections import Point, evenly, in_order, links_of, oracle, rows, simulate
from deixis.linker import Linker
from tests.aviary import aviary, sightings

POOL = sightings(20)


@pytest.fixture(scope="module")
def linker():
    return Linker.build(aviary())


def test_the_oracle_knows_mentions_and_what_is_none(linker):
    is_nil = [each.mentions[0].entity is None for each in POOL]
    known, nil = is_nil.index(False), is_nil.index(True)
    mention = POOL[known].mentions[0]
    right = oracle(linker.kb, POOL, (known, mention.start, mention.end))
    assert (right.verdict, right.entity, right.surface) == ("gold", mention.entity, mention.text)
    assert oracle(linker.kb, POOL, (known, mention.start, mention.end - 1)).verdict == "not_an_entity"
    mention = POOL[nil].mentions[0]
    assert oracle(linker.kb, POOL, (nil, mention.start, mention.end)).verdict == "not_an_entity"


def test_links_are_asked_in_the_order_that_was_chosen():
    links = [((number, 0, 1), chance) for number, chance in enumerate([0.9, 0.2, 0.55, 0.4])]
    assert [place[0] for place in in_order(links, "least", 0)] == [1, 3, 2, 0]
    assert [place[0] for place in in_order(links, "half", 0)] == [2, 3, 1, 0]
    shuffled = [in_order(links, "random", seed) for seed in range(20)]
    assert shuffled[0] == in_order(links, "random", 0) and len({tuple(each) for each in shuffled}) > 5


def test_rounds_go_on_until_all_links_were_corrected(linker, monkeypatch):
    monkeypatch.setattr(corrections, "STEPS", (5, 10, 1000, 2000))
    points = list(simulate(linker, POOL, sightings(30, seed=1, nil_share=0), "random", 0))
    assert [point.n_corrections for point in points][:2] == [5, 10]
    assert 10 < points[-1].n_corrections <= len(links_of(linker, POOL)) and len(points) == 3
    assert points[-1].figures["accuracy"] > 0.95 and points[-1].figures["learn_seconds"] > 0


def test_rows_hold_the_mean_of_the_runs_and_their_range():
    runs = [[Point(0, {"accuracy": 0.5})], [Point(0, {"accuracy": 0.7})]]
    (row,) = rows("suite", "deixis+random", runs, {})
    assert (row.metric, row.value, row.low, row.high) == ("accuracy@0", 0.6, 0.5, 0.7)
    (alone,) = rows("suite", "deixis+least", runs[:1], {})
    assert alone.low is None and alone.settings == {"seeds": 1, "n_corrections": 0}


def test_documents_are_drawn_evenly():
    assert [each.id for each in evenly(POOL, 3)] == ["0-0", "0-9", "0-19"] and len(evenly(POOL, 99)) == 20
