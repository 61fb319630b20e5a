"""The parts of `deixis eval` that can be looked at one by one."""

import itertools
from dataclasses import replace

import click
import pytest

from deixis.cli.evaluating import evaluate_file, n_overlapping
from deixis.cli.evaluation_plan import Asked
from deixis.cli.evaluation_rows import mean_rows
from deixis.cli.known_entities import KnownEntities
from deixis.cli.measuring import LinkerUnderTest, PredictionsUnderTest, Speed
from deixis.errors import DataError
from deixis.evaluation.rows import ResultRow
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.linker import Linker
from deixis.linking.config import LinkerConfig
from deixis.types import Document, Mention

KB = KnowledgeBase.from_records(
    [
        {"id": "Q90", "title": "Paris", "description": "capital of France", "alt_ids": ["paris"]},
        {"id": "Q84", "title": "London", "types": ["city"], "count": 7},
    ]
)


@pytest.fixture(scope="module")
def linker():
    return Linker.build(KB)


def london(name):
    return Document(name, "London calls Paris", mentions=(Mention(0, 6, "London", entity="Q84"),))


def endless():
    return (london(str(number)) for number in itertools.count())


def test_what_is_known_comes_from_the_knowledge_base():
    known = KnownEntities.of(KB, "places")
    assert (known.resolve("paris"), known.resolve("Q1")) == ("Q90", None)
    assert (known.count_of("Q84"), known.types_of("Q84"), known.types_of("Q1")) == (7, ("city",), ())
    assert known.name_of("Q90") == ("Paris", "capital of France")
    assert known.name_of("Q1") == ("", "")
    assert "places (2 entities)" in known.in_kb


def test_without_counts_or_types_nobody_is_asked_for_them():
    known = KnownEntities.of(KnowledgeBase.from_records([{"id": "1", "title": "One"}]), "small")
    assert known.count_of is None and known.types_of is None


def test_a_linker_answers_before_the_gold_has_ended(linker):
    answers = LinkerUnderTest(linker).answers(endless(), "gold", Speed())
    first = next(answers)
    assert first.gold.id == first.predicted.id == "0"
    assert first.predicted.mentions[0].entity == "Q84"


def test_a_linker_is_not_shown_the_gold(linker):
    wrong = london("a").with_mentions([Mention(0, 6, "London", entity="Q90", score=1.0)])
    (answer,) = LinkerUnderTest(linker).answers([wrong], "gold", Speed())
    assert answer.predicted.mentions[0].entity == "Q84"


def test_a_deeper_look_leaves_the_linkers_own_candidates_first():
    kb = KnowledgeBase.from_records([{"id": f"Q{n}", "title": f"London {n}"} for n in range(30)])
    gold = Document("a", "London and London 7", mentions=(Mention(0, 6, "London"), Mention(11, 19, "London 7")))
    tested = LinkerUnderTest(Linker.build(kb, config=LinkerConfig(n_candidates=3)), depth=10)
    (answer,) = tested.answers([gold], "gold", Speed())
    for mention, longer in zip(answer.predicted.mentions, answer.ranked.mentions, strict=True):
        assert (longer.entity, longer.score, longer.candidates[:3]) == (
            mention.entity,
            mention.score,
            mention.candidates,
        )
        assert len({candidate.id for candidate in longer.candidates}) == len(longer.candidates) == 10
    (answer,) = replace(tested, depth=3).answers([gold], "gold", Speed())
    assert answer.ranked is None


def test_end_to_end_a_linker_is_not_shown_the_mentions_either(linker):
    (answer,) = LinkerUnderTest(linker, is_end_to_end=True).answers([london("a")], "gold", Speed())
    assert [mention.text for mention in answer.predicted.mentions] == ["London", "Paris"]


def test_a_file_of_predictions_is_read_along_the_gold(tmp_path):
    path = tmp_path / "guess.jsonl"
    path.write_text("".join(f'{{"id": "{n}", "text": "London calls Paris"}}\n' for n in range(5)), encoding="utf-8")
    answers = PredictionsUnderTest(str(path)).answers(endless(), "gold", Speed())
    assert [next(answers).predicted.id for _ in range(5)] == list("01234")


def test_a_linker_refuses_a_document_that_comes_twice_and_names_the_file(linker):
    with pytest.raises(DataError, match=r"gold.jsonl: has the document 'a' twice"):
        list(LinkerUnderTest(linker).answers([london("a"), london("a")], "gold.jsonl", Speed()))


def test_speed_counts_what_was_linked(linker):
    speed = Speed()
    assert speed.per_second is None
    list(LinkerUnderTest(linker).answers([london("a"), london("b")], "gold", speed))
    assert speed.n_mentions == 2 and speed.per_second > 0


def test_a_run_knows_whether_spans_are_its_own(linker, tmp_path):
    path = tmp_path / "gold.jsonl"
    line = '{"text": "London calls Paris", "mentions": [{"start": 0, "end": 6, "entity": "Q84"}]}'
    path.write_text(line, encoding="utf-8")
    known = KnownEntities.of(KB, "places")
    given = evaluate_file(LinkerUnderTest(linker), str(path), None, known)
    found = evaluate_file(LinkerUnderTest(linker, is_end_to_end=True), str(path), None, known)
    assert not given.has_own_spans and found.has_own_spans


@pytest.mark.parametrize(
    ("spans", "n"), [([(0, 4), (4, 8)], 0), ([(0, 8), (4, 8)], 1), ([(0, 9), (1, 2), (3, 4)], 2), ([(0, 4), (0, 4)], 1)]
)
def test_mentions_that_share_text_overlap(spans, n):
    assert n_overlapping([Mention(start, end, "x") for start, end in spans]) == n


def test_the_mean_is_only_of_what_every_dataset_has():
    rows = [ResultRow("a", "accuracy", "x", 0.4, "share"), ResultRow("b", "accuracy", "x", 0.8, "share")]
    rows += [ResultRow("a", "nil_f1", "x", 0.4, "share"), ResultRow("a", "mentions_per_second", "x", 9.0, "1/s")]
    assert [(row.metric, row.value) for row in mean_rows(rows, "mean", "x")] == [("accuracy", pytest.approx(0.6))]


def test_suites_are_named_after_model_and_data():
    asked = Asked(("models/wiki", "aida/testa.jsonl.gz"))
    assert (asked.model, asked.data, asked.suites) == ("models/wiki", ("aida/testa.jsonl.gz",), ["wiki/aida-testa"])
    assert Asked(("gold.jsonl",), predictions=("runs/mine.jsonl",)).suites[0].startswith("mine/")
    assert Asked(("m", "a/x.jsonl", "b/x.jsonl"), suite="mine").suites == ["mine/a-x", "mine/b-x"]
    assert Asked(("m", "a/x.jsonl", "a/x.conll"), suite="mine").suites == ["mine/a-x", "mine/a-x-2"]


def test_a_file_name_that_is_no_utf8_makes_a_suite_name_that_can_be_written():
    (name,) = Asked(("m\udcff", "a\udcff/x\udcff.jsonl")).suites
    assert name == "m\ufffd/a\ufffd-x\ufffd"


def test_stdin_is_read_once_only():
    with pytest.raises(click.UsageError, match="only be read once"):
        Asked(("-",), predictions=("-",)).check()
