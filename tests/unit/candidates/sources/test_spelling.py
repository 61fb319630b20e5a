import numpy as np
import pytest

from deixis.candidates.source import SourceInputs
from deixis.candidates.sources.spelling import SpellingConfig, SpellingSource
from deixis.errors import ConfigError
from deixis.features.name_forms import NameFormsConfig
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.types import Document, Mention, MentionInContext

RECORDS = [
    {"id": "football", "title": "Dietmar Kühbauer", "count": 2},
    {"id": "istanbul", "title": "İstanbul", "aliases": ["Constantinople"], "count": 90},
    {"id": "paris", "title": "Paris", "count": 5},
    {"id": "texas", "title": "Paris", "count": 50},
    {"id": "parish", "title": "Parish"},
    {"id": "smith1", "title": "John Smith"},
    {"id": "smith2", "title": "Jane Smith", "count": 7},
]


@pytest.fixture(scope="module")
def kb():
    return KnowledgeBase.from_records(RECORDS)


def found(source, *texts, k=10, mask=None):
    mentions = [MentionInContext(text, text, 0, len(text)) for text in texts]
    lists = source.generate(mentions, k, mask)
    return [[(candidate.id, round(candidate.score, 3)) for candidate in listed] for listed in lists]


def test_a_mention_that_is_a_name_has_its_entities_alone_the_more_popular_first(kb):
    assert found(SpellingSource.build(SourceInputs(kb)), "PARIS") == [[("texas", 1.0), ("paris", 1.0)]]


def test_similar_names_too_if_one_always_searches(kb):
    source = SpellingSource.build(SourceInputs(kb), SpellingConfig(searches_always=True))
    assert found(source, "Paris") == [[("texas", 1.0), ("paris", 1.0), ("parish", 0.909)]]


def test_other_spellings_and_endings_find_the_name(kb):
    source = SpellingSource.build(SourceInputs(kb))
    assert found(source, "Istanbul'daki", "Konstantinopel")[0][0] == ("istanbul", 0.8)
    assert found(source, "Konstantinopel")[0][0][0] == "istanbul"


def test_a_single_word_finds_names_that_have_one_like_it(kb):
    source = SpellingSource.build(SourceInputs(kb))
    assert found(source, "Kuehbauer") == [[("football", 0.847)]]  # 0.9 times 16 of 17
    assert found(source, "Smith") == [[("smith2", 0.9), ("smith1", 0.9)]]
    assert found(SpellingSource.build(SourceInputs(kb), SpellingConfig(word_weight=0.0)), "Kuehbauer") == [
        [("football", 0.64)]
    ]


def test_words_that_too_many_entities_share_are_not_compared(kb):
    source = SpellingSource.build(SourceInputs(kb), SpellingConfig(max_shared=1))
    assert found(source, "Smith", "Kuehbauer") == [[("smith2", 0.667), ("smith1", 0.667)], [("football", 0.847)]]


def test_what_is_not_similar_enough_is_not_found(kb):
    source = SpellingSource.build(SourceInputs(kb), SpellingConfig(min_similarity=0.95))
    assert found(source, "Istanbuls", "Parisss", "Istanbul") == [[], [], [("istanbul", 1.0)]]


def test_with_the_entities_of_its_name_forbidden_a_mention_is_like_any_other(kb):
    allowed = np.array([row["id"] not in ("paris", "texas") for row in RECORDS])
    assert found(SpellingSource.build(SourceInputs(kb)), "Paris", mask=allowed) == [[("parish", 0.909)]]


def test_annotated_mentions_are_names_too(kb):
    document = Document("d", "Kostantiniyye", mentions=(Mention(0, 13, "Kostantiniyye", entity="istanbul"),))
    assert found(SpellingSource.build(SourceInputs(kb, [document])), "Kostantiniyye") == [[("istanbul", 1.0)]]


def test_the_forms_of_names_decide_what_is_the_same(kb):
    cased = SpellingSource.build(SourceInputs(kb), SpellingConfig(NameFormsConfig(ignores_case=False), word_weight=0.0))
    assert found(cased, "PARIS", "Paris") == [[], [("texas", 1.0), ("paris", 1.0)]]


def test_empty_mentions_and_blanks_find_nothing(kb):
    assert found(SpellingSource.build(SourceInputs(kb)), "", "  ", "\u200b") == [[], [], []]


@pytest.mark.parametrize(
    "settings", [{"min_similarity": -0.1}, {"min_similarity": 1.5}, {"word_weight": 2.0}, {"max_shared": 0}]
)
def test_settings_outside_their_range_are_refused(settings):
    with pytest.raises(ConfigError, match="must"):
        SpellingConfig(**settings)


def test_fewer_candidates_are_the_first_of_more():
    titles = [f"{first} {last}" for first in ("anna", "hanna", "joanna") for last in ("karenina", "kournikova", "lind")]
    kb = KnowledgeBase.from_records([{"id": title, "title": title} for title in titles])
    source = SpellingSource.build(SourceInputs(kb))
    mentions = [
        MentionInContext(text, text, 0, len(text)) for text in ("kareninna", "ana karenin", "hana lint", "lindt")
    ]
    for few, many in zip(source.generate(mentions, k=2), source.generate(mentions, k=20), strict=True):
        assert few == many[:2]
        assert few
