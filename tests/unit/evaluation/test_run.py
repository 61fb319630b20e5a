"""Measuring a linker or predictions: one function, one record, whoever answers."""

import itertools

import pytest

import deixis
from deixis.errors import ConfigError, DataError, UnknownNameError
from deixis.evaluation.known_entities import EVERY_ENTITY, KnownEntities
from deixis.evaluation.run import comparable, evaluate, n_overlapping
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.linker import Linker
from deixis.linking.config import LinkerConfig
from deixis.linking.options import LinkOptions
from deixis.types import Candidate, Document, Mention

KB = KnowledgeBase.from_records(
    [
        {"id": "Q90", "title": "Paris", "description": "capital of France", "alt_ids": ["paris"]},
        {"id": "Q84", "title": "London", "types": ["city"], "count": 7},
    ]
)


@pytest.fixture(scope="module")
def linker():
    return Linker.build(KB)


def london(name, entity="Q84"):
    return Document(name, "London calls Paris", mentions=(Mention(0, 6, "London", entity=entity),))


def guessed(name, *ids):
    candidates = tuple(Candidate(each, 1 / (1 + n)) for n, each in enumerate(ids))
    return london(name).with_mentions([Mention(0, 6, "London", entity=ids[0], score=0.5, candidates=candidates)])


def test_what_is_known_comes_from_the_knowledge_base():
    known = KnownEntities.of(KB, "places")
    assert (known.resolve("paris"), known.resolve("Q1")) == ("Q90", None)
    assert (known.count_of("Q84"), known.types_of("Q84"), known.types_of("Q1")) == (7, ("city",), ())
    assert known.name_of("Q90") == ("Paris", "capital of France")
    assert known.name_of("Q1") == ("", "")
    assert "of places (2 entities)" in known.in_kb


def test_without_counts_or_types_nobody_is_asked_for_them():
    known = KnownEntities.of(KnowledgeBase.from_records([{"id": "1", "title": "One"}]), "small")
    assert known.count_of is None and known.types_of is None


def test_a_linker_is_not_shown_the_gold():
    shown = []

    def link(documents):
        shown.extend(documents)
        return documents

    evaluate(link, [london("a")])
    assert [(m.start, m.end, m.entity, m.is_nil) for m in shown[0].mentions] == [(0, 6, None, False)]
    evaluate(link, [london("a")], end_to_end=True)
    assert shown[1].mentions == ()


def test_documents_are_linked_before_the_gold_has_ended():
    class EnoughError(Exception):
        pass

    def link(documents):
        raise EnoughError

    with pytest.raises(EnoughError):
        evaluate(link, (london(str(number)) for number in itertools.count()))


def test_given_mentions_are_all_there_are_even_in_a_document_without_any(linker):
    bare = Document("b", "Paris calls London")
    assert linker.evaluate([london("a"), bare])["span_f1"] == 1.0
    assert linker.evaluate([london("a"), bare], end_to_end=True)["span_f1"] == 0.4


def test_a_linker_that_answers_too_few_documents_is_an_error():
    with pytest.raises(DataError, match="answered 1 of 2 documents"):
        evaluate(lambda documents: list(documents)[:1], [london("a"), london("b")])


def test_a_linker_is_measured_with_its_own_knowledge_base_and_options(linker):
    gold = [london("a"), london("b", "Q90"), london("c", "Q1")]
    run = linker.evaluate(gold)
    assert (run["upper_bound"], run["accuracy"], run.speed > 0) == (pytest.approx(2 / 3), 0.5, True)
    cities = linker.evaluate(gold, types="city")
    assert (cities["upper_bound"], cities["accuracy"]) == (pytest.approx(1 / 3), 1.0)
    assert cities.settings["only"]["types"] == ("city",)
    assert linker.evaluate(gold, threshold=1.0)["accuracy"] == 0.0
    assert deixis.evaluate(linker, gold, options=LinkOptions(types="city")).metrics == cities.metrics


def test_another_knowledge_base_may_say_which_gold_is_known(linker):
    small = KnowledgeBase.from_records([{"id": "Q84", "title": "London"}])
    gold = [london("a"), london("b", "Q90")]
    assert deixis.evaluate(linker, gold, small)["upper_bound"] == 0.5
    assert deixis.evaluate(gold, gold, KB)["upper_bound"] == 1.0


def test_predictions_are_paired_by_id_and_have_no_speed():
    run = deixis.evaluate([london("b"), london("a")], [london("a"), london("b")])
    assert (run["accuracy"], run.speed, run.known) == (1.0, None, EVERY_ENTITY)
    assert "every gold entity" in run.settings["in_kb"]


def test_predictions_take_no_options_of_linking():
    with pytest.raises(ConfigError, match="leave out: rerank"):
        deixis.evaluate([london("a")], [london("a")], options=LinkOptions(rerank=True))


def test_recall_is_told_as_deep_as_predictions_go_unless_asked():
    predictions = [guessed("a", "Q90", "Q84")]
    assert evaluate(predictions, [london("a")]).at == (1,)
    assert evaluate(predictions, [london("a")], at=(1, 2))["recall@2"] == 1.0


def test_candidates_beyond_the_linkers_own_count_for_recall_only():
    kb = KnowledgeBase.from_records([{"id": f"Q{n}", "title": f"London {n}"} for n in range(30)])
    small = Linker.build(kb, config=LinkerConfig(n_candidates=3))
    documents = [Document(str(n), "London", mentions=(Mention(0, 6, "London", entity=f"Q{n}"),)) for n in range(30)]
    run = small.evaluate(documents, at=(3, 10))
    assert (run["recall@3"], run["recall@10"]) == (0.1, pytest.approx(1 / 3))
    assert {outcome.value: n for outcome, n in run.tally.outcomes.items()}["not among candidates"] == 27


def test_predictions_elsewhere_than_gold_are_scored_end_to_end():
    moved = london("a").with_mentions([Mention(0, 12, "London calls", entity="Q84")])
    assert evaluate([moved], [london("a")]).is_end_to_end
    assert not evaluate([london("a")], [london("a")]).is_end_to_end


def test_a_metric_that_there_is_not_is_an_error_with_a_suggestion():
    with pytest.raises(UnknownNameError, match="Did you mean 'inkb_micro_f1'"):
        evaluate([london("a")], [london("a")])["inkb_micro_f"]


def test_rows_have_the_suite_the_system_and_the_speed(linker):
    rows = linker.evaluate([london("a")], seed=3).rows("places/test", "mine")
    assert {(row.suite, row.system) for row in rows} == {("places/test", "mine")}
    assert rows[-1].metric == "mentions_per_second"
    assert rows[0].settings["n_candidates"] == linker.config.n_candidates


def test_two_runs_are_compared_by_what_both_have():
    gold = [london(str(n)) for n in range(6)]
    good = evaluate([guessed(str(n), "Q84", "Q90") for n in range(6)], gold, at=(1, 2))
    bad = evaluate([guessed(str(n), "Q90", "Q84") for n in range(6)], gold)
    a, b = comparable(good, bad)
    assert a.at == b.at == (1,)
    verdicts = {each.name: each.verdict for each in a.compare(b)}
    assert verdicts["accuracy"] == verdicts["recall@1"] == "better" and "recall@2" not in verdicts


@pytest.mark.parametrize(
    ("gold", "words"),
    [
        ([london("a"), london("a")], "news: has the document 'a' twice"),
        ([Document("a", "London")], "news: has no gold"),
        ([Document("a", "London", mentions=(Mention(0, 6, "London"),))], "news: has no gold"),
    ],
)
def test_gold_that_cannot_be_scored_is_an_error_that_names_it(linker, gold, words):
    with pytest.raises(DataError, match=words):
        deixis.evaluate(linker, gold, names=("news", ""))


@pytest.mark.parametrize(
    ("spans", "n"), [([(0, 4), (4, 8)], 0), ([(0, 8), (4, 8)], 1), ([(0, 9), (1, 2), (3, 4)], 2), ([(0, 4), (0, 4)], 1)]
)
def test_mentions_that_share_text_overlap(spans, n):
    assert n_overlapping([Mention(start, end, "x") for start, end in spans]) == n
