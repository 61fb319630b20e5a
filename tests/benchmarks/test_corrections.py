"""The simulation of somebody who corrects links: what is looked at, what is answered, what is recorded."""

import numpy as np
import pytest

from benchmarks.quality import corrections
from benchmarks.quality.corrections import (
    Outcome,
    Task,
    by_name,
    evenly,
    interval,
    oracle,
    rows,
    rule_of,
    shuffled,
    simulate,
)
from deixis.documents.corrections import Correction
from deixis.linker import Linker
from deixis.linking.corrections import Corrections
from deixis.training import correct as correcting
from tests.aviary import even_aviary, sightings

POOL = sightings(20)


@pytest.fixture(scope="module")
def linker():
    return Linker.build(even_aviary())


@pytest.fixture(scope="module")
def task(linker):
    return Task.of(linker, POOL, sightings(30, seed=1, nil_share=0))


def test_the_oracle_knows_mentions_and_what_is_none(linker):
    is_nil = [each.mentions[0].entity is None for each in POOL]
    known, nil = is_nil.index(False), is_nil.index(True)
    mention = POOL[known].mentions[0]
    right = oracle(linker.kb, POOL, (known, mention.start, mention.end))
    assert (right.verdict, right.entity, right.surface) == ("gold", mention.entity, mention.text)
    assert oracle(linker.kb, POOL, (known, mention.start, mention.end - 1)).verdict == "not_an_entity"
    mention = POOL[nil].mentions[0]
    assert oracle(linker.kb, POOL, (nil, mention.start, mention.end)).verdict == "not_an_entity"


def test_links_come_in_random_order_and_only_mistakes_if_so_chosen():
    links = [(Correction(f"Ruby {n}", 0, 4, "gold", "a" if n % 2 else "b"), "a") for n in range(10)]
    assert shuffled(links, "links", 0) == shuffled(links, "links", 0) != shuffled(links, "links", 1)
    assert len(shuffled(links, "links", 0)) == 10
    assert [each.entity for each in shuffled(links, "mistakes", 0)] == ["b"] * 5


@pytest.mark.parametrize("system", ["deixis", "by-name"])
def test_rounds_go_on_until_all_links_were_corrected(task, monkeypatch, system):
    monkeypatch.setattr(corrections, "STEPS", (5, 10, 1000, 2000))
    points = dict(simulate(task, "links", system, 0))
    assert list(points) == [0, 5, 10, 1000]
    assert points[1000].is_right.mean() > max(0.8, points[0].is_right.mean())
    assert points[10].corrected_accuracy > points[0].corrected_accuracy and points[10].f1 > 0


def test_the_rule_before_counts_a_correction_in_any_text_while_it_lasts(linker):
    told = Corrections((Correction("Ruby fled at noon", 0, 4, "gold", "bird-Ruby"),))
    with rule_of("by-name"):
        assert correcting.with_corrections is by_name
        before = correcting.with_corrections(linker.model, told)
    now = correcting.with_corrections(linker.model, told)
    mention = sightings(1, nil_share=0)[0].mentions_in_context()[0]
    ruby = [mention.__class__("Ruby", "We saw Ruby", 7, 11)]
    assert before.ranker.is_seen(ruby).all() and not now.ranker.is_seen(ruby).any()


def test_rows_hold_the_mean_of_the_seeds_and_its_interval():
    start = Outcome(np.array([True, False, False, True]), np.array([0, 0, 1, 1]))
    runs = [
        [(0, start), (1, Outcome(np.array(after), start.documents, 0.5, 0.6, 2.0))]
        for after in ([True, True, False, True], [True, True, True, False])
    ]
    made = {row.metric: row for row in rows("suite", "deixis+links", runs, {"seeds": 2})}
    assert made["accuracy@0"].value == 0.5 and made["accuracy@1"].value == 0.75 and made["gain@1"].value == 0.25
    assert (made["mended@1"].value, made["broken@1"].value) == (3, 1)
    assert made["gain@1"].low <= 0.25 <= made["gain@1"].high and made["gain@1"].settings["n_corrections"] == 1
    assert made["inkb_micro_f1@1"].value == 0.5 and made["correct_seconds@1"].value == 2.0
    assert "gain@0" not in made


def test_an_interval_is_wider_where_documents_differ():
    documents = [np.repeat(np.arange(20), 2)]
    same, other = [np.tile([0.0, 1.0], 20)], [np.repeat([0.0, 1.0], 20)]
    assert interval(same, documents) == (0.5, 0.5, 0.5)
    mean, low, high = interval(other, documents)
    assert mean == 0.5 and low < 0.4 and high > 0.6


def test_documents_are_drawn_evenly():
    assert [each.id for each in evenly(POOL, 3)] == ["0-0", "0-9", "0-19"] and len(evenly(POOL, 99)) == 20
