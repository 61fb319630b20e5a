"""From text to links: what is found, what is decided, and what is left alone."""

import functools
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from deixis.detection.config import FindingConfig
from deixis.errors import ConfigError, DataError
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.linking.config import LinkerConfig
from deixis.linking.finding_learning import answers_in
from deixis.linking.linker import Linker
from deixis.linking.portions import MENTIONS_AT_ONCE
from deixis.ranking.ranker import FusionConfig
from deixis.types import Document, Mention

KB = KnowledgeBase.from_records(
    [
        {"id": "paris", "title": "Paris", "description": "capital of France on the Seine"},
        {"id": "troy", "title": "Troy", "description": "ancient city besieged by the Greeks"},
        {"id": "new-troy", "title": "New Troy", "description": "a village in Michigan"},
        {"id": "may", "title": "May", "description": "the fifth month of the year"},
        {"id": "germany", "title": "Germany", "description": "country of the Germans in Europe"},
        {"id": "tokyo", "title": "東京", "description": "capital of Japan"},
    ]
)
TOWNS = {"Paris": "paris", "Troy": "troy", "New Troy": "new-troy", "Germans": "germany"}


def annotated(number: int) -> Document:
    """A document in which towns are mentions, and May and Ann are not."""
    town, other = (list(TOWNS)[(number * step + step) % len(TOWNS)] for step in (1, 3))
    text = f"Then Ann saw {town} in the rain. May said that {other} stood by the river number {number}."
    mentions = []
    for name, start in ((town, text.index(town)), (other, text.index(other, text.index("said")))):
        mentions.append(Mention(start, start + len(name), name, TOWNS[name]))
    return Document(f"d{number}", text, mentions=tuple(mentions))


@functools.cache
def plain() -> Linker:
    return Linker.build(KB, n_threads=1)


@functools.cache
def taught() -> Linker:
    config = LinkerConfig(ranking=FusionConfig(min_mentions=5), held_out_share=0.3)
    return Linker.build(KB, [annotated(number) for number in range(60)], config, n_threads=1)


def found(document: Document) -> list[tuple[str, str | None]]:
    return [(mention.text, mention.entity) for mention in document.mentions]


def test_without_documents_a_short_list_goes_by_the_rules_of_its_dictionary() -> None:
    assert plain().finding.scorer.is_by_rules
    text = "In New Troy it may rain, in May too."
    assert found(plain().link(text)) == [("New Troy", "new-troy"), ("May", "may")]


def test_documents_teach_which_names_are_mentions() -> None:
    linker = taught()
    assert not linker.finding.scorer.is_by_rules and linker.finding.calibration is not None
    links = [
        pair for pair in found(linker.link("Then Ann saw Troy in the rain. May said that Paris stood.")) if pair[1]
    ]
    assert links == [("Troy", "troy"), ("Paris", "paris")]


def test_names_that_only_documents_use_are_found() -> None:
    document = taught().link("Then Ann saw Germans in the rain.")
    assert ("Germans", "germany") in found(document)


def test_mentions_do_not_overlap_unless_asked() -> None:
    text = "Then Ann saw New Troy in the rain."
    apart = taught().link(text).mentions
    assert all(before.end <= after.start for before, after in zip(apart, apart[1:], strict=False))
    kept = taught()._with(finding=taught().finding.ruled(plain().config.nil)).link(text, overlaps="keep").mentions
    assert {"New Troy"} <= {mention.text for mention in kept}
    assert {mention.text for mention in apart} <= {mention.text for mention in kept}
    with pytest.raises(ConfigError, match="'drop' or 'keep'"):
        plain().link(text, overlaps="all")  # type: ignore[call-overload]


def test_names_inside_names_are_kept_on_request() -> None:
    recognize = lambda texts: [[(3, 11), (7, 11)] for _ in texts]  # noqa: E731
    text = "In New Troy."
    assert found(plain().link(text, recognize=recognize)) == [("New Troy", "new-troy")]
    assert found(plain().link(text, recognize=recognize, overlaps="keep")) == [
        ("New Troy", "new-troy"),
        ("Troy", "troy"),
    ]


def test_a_short_list_keeps_names_inside_names_on_request_too() -> None:
    text = "From New Troy to Troy."
    assert found(plain().link(text)) == [("New Troy", "new-troy"), ("Troy", "troy")]
    kept = plain().link(text, overlaps="keep")
    assert found(kept) == [("New Troy", "new-troy"), ("Troy", "troy"), ("Troy", "troy")]


def test_a_recognizer_adds_mentions_and_wrong_ones_are_refused() -> None:
    text = "the germans came to Paris"
    recognize = lambda texts: [[(4, 11)] for _ in texts]  # noqa: E731
    assert [mention.text for mention in plain().link(text, recognize=recognize).mentions] == ["germans", "Paris"]
    with pytest.raises(DataError, match="code points"):
        plain().link(text, recognize=lambda texts: [[(4, 99)] for _ in texts])


@pytest.mark.parametrize("make", [plain, taught])
def test_given_mentions_stay_and_nothing_is_added(make: Callable[[], Linker]) -> None:
    text = "Paris, Troy, x"
    given = Document("d", text, mentions=(Mention(13, 14, "x"), Mention(0, 11, "Paris, Troy"), Mention(7, 11, "Troy")))
    linked = make().link(given)
    assert [(m.start, m.end) for m in linked.mentions] == [(13, 14), (0, 11), (7, 11)]
    assert linked.mentions[2].entity == "troy"


@pytest.mark.parametrize("make", [plain, taught])
def test_empty_texts_and_markup_have_no_mentions(make: Callable[[], Linker]) -> None:
    for text in ("", "  \n", '<a href="Paris">', "http://Paris.example/Troy", "`Troy`"):
        assert make().link(text).mentions == ()


def test_offsets_count_code_points_in_every_script() -> None:
    text = "😀 私は東京に住む。"
    (mention,) = plain().link(text).mentions
    assert (mention.start, mention.end, mention.entity) == (4, 6, "tokyo")


@pytest.mark.parametrize("make", [plain, taught])
def test_a_book_is_linked_in_parts_as_its_chapters_are(make: Callable[[], Linker]) -> None:
    sentence = "Then Ann saw Troy in the rain. "
    n_sentences = MENTIONS_AT_ONCE + 200
    book = make().link(sentence * n_sentences)
    links = [mention for mention in book.mentions if mention.entity == "troy"]
    assert [mention.start for mention in links] == [13 + len(sentence) * number for number in range(n_sentences)]


def test_a_batch_is_linked_as_single_texts_are_on_one_thread_or_two() -> None:
    texts = [annotated(number).text for number in range(12)] + ["", "Paris"]
    together = taught().link(texts)
    assert [document.mentions for document in together] == [taught().link(text).mentions for text in texts]
    two = taught()._with(n_threads=2).link(texts)
    assert [document.mentions for document in together] == [document.mentions for document in two]


def test_a_stored_linker_finds_the_same(tmp_path: Path) -> None:
    taught().save(tmp_path / "model")
    again = Linker.load(tmp_path / "model", n_threads=1)
    text = annotated(3).text + " Troy, PARIS and germans."
    assert again.link(text) == taught().link(text)


def test_a_threshold_may_be_chosen_or_settled_by_held_out_documents() -> None:
    finding = taught().finding
    strict = LinkerConfig().nil.__class__(threshold=0.999)
    assert finding.ruled(strict).nil.threshold == 0.999
    assert finding.ruled(LinkerConfig().nil.__class__(target_precision=0.5)).nil.threshold is not None
    assert finding.calibration is not None
    assert finding.calibration.held_out.is_known.sum() == len(answers_in([annotated(n) for n in range(18)], KB.own_id))


def test_rules_can_be_asked_for_and_settings_are_checked() -> None:
    config = LinkerConfig(finding=FindingConfig(scoring="rules"), held_out_share=0.0)
    linker = Linker.build(KB, [annotated(number) for number in range(30)], config, n_threads=1)
    assert linker.finding.scorer.is_by_rules
    with pytest.raises(ConfigError, match="min_chance"):
        FindingConfig(min_chance=1.0)
    with pytest.raises(ConfigError, match="max_run"):
        FindingConfig(max_run=-1)


def test_scores_are_chances() -> None:
    mentions = taught().link([annotated(number).text for number in range(8)])
    scores = np.array([m.score for document in mentions for m in document.mentions if m.score is not None])
    assert ((scores >= 0) & (scores <= 1)).all() and len(scores) > 8
