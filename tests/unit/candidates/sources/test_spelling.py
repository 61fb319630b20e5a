import numpy as np
import pytest

from deixis.candidates.sources.spelling import StringCandidates, StringConfig
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


def found(generator, *texts, k=10, allowed=None):
    mentions = [MentionInContext(text, text, 0, len(text)) for text in texts]
    lists = generator.generate(mentions, k, allowed)
    return [[(candidate.id, round(candidate.score, 3)) for candidate in listed] for listed in lists]


def test_a_mention_that_is_a_name_has_its_entities_alone_the_more_popular_first(kb):
    assert found(StringCandidates.build(kb), "PARIS") == [[("texas", 1.0), ("paris", 1.0)]]


def test_similar_names_too_if_one_always_searches(kb):
    generator = StringCandidates.build(kb, config=StringConfig(searches_always=True))
    assert found(generator, "Paris") == [[("texas", 1.0), ("paris", 1.0), ("parish", 0.909)]]


def test_other_spellings_and_endings_find_the_name(kb):
    generator = StringCandidates.build(kb)
    assert found(generator, "Istanbul'daki", "Konstantinopel")[0][0] == ("istanbul", 0.8)
    assert found(generator, "Konstantinopel")[0][0][0] == "istanbul"


def test_a_single_word_finds_names_that_have_one_like_it(kb):
    generator = StringCandidates.build(kb)
    assert found(generator, "Kuehbauer") == [[("football", 0.847)]]  # 0.9 times 16 of 17
    assert found(generator, "Smith") == [[("smith2", 0.9), ("smith1", 0.9)]]
    assert found(StringCandidates.build(kb, config=StringConfig(word_weight=0.0)), "Kuehbauer") == [
        [("football", 0.64)]
    ]


def test_words_that_too_many_entities_share_are_not_compared(kb):
    generator = StringCandidates.build(kb, config=StringConfig(max_shared=1))
    assert found(generator, "Smith", "Kuehbauer") == [[("smith2", 0.667), ("smith1", 0.667)], [("football", 0.847)]]


def test_what_is_not_similar_enough_is_not_found(kb):
    generator = StringCandidates.build(kb, config=StringConfig(min_similarity=0.95))
    assert found(generator, "Istanbuls", "Parisss", "Istanbul") == [[], [], [("istanbul", 1.0)]]


def test_with_the_entities_of_its_name_forbidden_a_mention_is_like_any_other(kb):
    allowed = np.array([row["id"] not in ("paris", "texas") for row in RECORDS])
    assert found(StringCandidates.build(kb), "Paris", allowed=allowed) == [[("parish", 0.909)]]


def test_annotated_mentions_are_names_too(kb):
    document = Document("d", "Kostantiniyye", mentions=(Mention(0, 13, "Kostantiniyye", entity="istanbul"),))
    assert found(StringCandidates.build(kb, [document]), "Kostantiniyye") == [[("istanbul", 1.0)]]


def test_the_forms_of_names_decide_what_is_the_same(kb):
    cased = StringCandidates.build(kb, config=StringConfig(NameFormsConfig(ignores_case=False), word_weight=0.0))
    assert found(cased, "PARIS", "Paris") == [[], [("texas", 1.0), ("paris", 1.0)]]


def test_empty_mentions_and_blanks_find_nothing(kb):
    assert found(StringCandidates.build(kb), "", "  ", "\u200b") == [[], [], []]


@pytest.mark.parametrize(
    "settings", [{"min_similarity": -0.1}, {"min_similarity": 1.5}, {"word_weight": 2.0}, {"max_shared": 0}]
)
def test_settings_outside_their_range_are_refused(settings):
    with pytest.raises(ConfigError, match="must"):
        StringConfig(**settings)
