import numpy as np
from numpy.testing import assert_array_equal

from deixis.detection.dictionary import DictionaryDetector
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.linking.build_settings import OwnTextConfig
from deixis.linking.popularity import mentioned_entities, popularity_of


def kb_of(**descriptions):
    return KnowledgeBase.from_records(
        [{"id": title, "title": title.replace("_", " "), "description": text} for title, text in descriptions.items()]
    )


def graph_of(kb, **config):
    detector = DictionaryDetector.build(kb.names(), kb.description_texts())
    return mentioned_entities(kb, detector, config=OwnTextConfig(**config)).toarray().tolist()


def popularity(kb, **config):
    detector = DictionaryDetector.build(kb.names(), kb.description_texts())
    return popularity_of(kb, detector, config=OwnTextConfig(**config)).tolist()


def test_a_description_speaks_of_those_it_names():
    assert graph_of(kb_of(Paris="capital of France", France="around Paris", Troy="")) == [
        [0, 1, 0],
        [1, 0, 0],
        [0, 0, 0],
    ]


def test_a_name_counts_once_in_a_description_and_not_in_its_own():
    kb = kb_of(Paris="Paris, Paris in France", France="Paris, and Paris again")
    assert popularity(kb) == [1.0, 1.0]


def test_namesakes_share_a_count_evenly():
    kb = KnowledgeBase.from_records([
        {"id": "city", "title": "Paris"},
        {"id": "prince", "title": "Paris"},
        {"id": "troy", "title": "Troy", "description": "home of Paris"},
    ])  # fmt: skip
    assert popularity(kb) == [0.5, 0.5, 0.0]


def test_two_names_of_one_entity_count_as_one_mention_of_it():
    kb = KnowledgeBase.from_records([
        {"id": "city", "title": "Paris", "aliases": ["City of Light"]},
        {"id": "france", "title": "France", "description": "around Paris, the City of Light"},
    ])  # fmt: skip
    assert popularity(kb) == [1.0, 0.0]


def test_a_description_that_has_its_own_name_speaks_of_no_namesake():
    kb = KnowledgeBase.from_records([
        {"id": "city", "title": "Paris"},
        {"id": "texas", "title": "Paris", "description": "Paris is a town in Texas"},
    ])  # fmt: skip
    assert popularity(kb) == [0.0, 0.0]


def test_a_name_of_too_many_says_nothing(monkeypatch):
    monkeypatch.setattr("deixis.linking.popularity.MAX_NAMESAKES", 4)
    records = [{"id": str(i), "title": "Paris"} for i in range(4)]
    kb = KnowledgeBase.from_records([*records, {"id": "troy", "title": "Troy", "description": "home of Paris"}])
    assert popularity(kb) == [0.25] * 4 + [0.0]
    monkeypatch.setattr("deixis.linking.popularity.MAX_NAMESAKES", 3)
    assert popularity(kb) == [0.0] * 5


def test_common_words_and_one_letter_are_no_names():
    towns = {f"Town_{i}": "It was built by R in the first year. Year of the flood" for i in range(12)}
    assert popularity(kb_of(It="a film", R="a language", Year="a unit", **towns)) == [0.0] * 15


def test_a_name_with_brackets_or_signs_stands_back_behind_the_plain_one():
    kb = KnowledgeBase.from_records([
        {"id": "country", "title": "Canada"},
        {"id": "band", "title": "CANADA!"},
        {"id": "part", "title": "Canada (East)"},
        {"id": "planet", "title": "Mercury (planet)"},
        {"id": "metal", "title": "Mercury (metal)"},
        {"id": "text", "title": "Somewhere", "description": "north of Canada, under Mercury"},
    ])  # fmt: skip
    assert popularity(kb) == [1.0, 0.0, 0.0, 0.5, 0.5, 0.0]


def test_names_inside_names_count_when_asked():
    kb = KnowledgeBase.from_records([
        {"id": "0", "title": "Diabetes"},
        {"id": "1", "title": "Diabetes Mellitus"},
        {"id": "2", "title": "Diabetes Mellitus, Type 2", "aliases": ["Adult Diabetes Mellitus", "Adult Diabetes"]},
    ])  # fmt: skip
    assert popularity(kb) == [0.0, 0.0, 0.0]
    assert popularity(kb, names=True) == [2.0, 1.0, 0.0]


def test_popularity_can_be_switched_off():
    assert popularity(kb_of(Paris="capital of France", France=""), popularity=False) == [0.0, 0.0]


def test_a_list_of_common_words_makes_nobody_popular():
    kb = kb_of(bank="an institution for money", money="what a bank holds", light="what is seen")
    assert graph_of(kb)[0] == [0, 1, 0]
    assert popularity(kb) == [0.0, 0.0, 0.0]


def test_one_thread_and_many_give_the_same_bytes():
    kb = kb_of(**{f"Name{i}": f"near Name{i // 2}, Name{i // 3} and Name{7 * i % 500}" * 40 for i in range(500)})
    detector = DictionaryDetector.build(kb.names(), kb.description_texts())
    alone, many = (mentioned_entities(kb, detector, n_threads) for n_threads in (1, 3))
    for name in ("indptr", "indices", "data"):
        assert getattr(alone, name).tobytes() == getattr(many, name).tobytes()


def test_names_in_texts_are_those_that_are_detected():
    names = ["New York", "York", "Paris (city)", "WHO", "It"]
    kb = KnowledgeBase.from_records([{"id": str(i), "title": name} for i, name in enumerate(names)])
    table, _ = kb.names()
    detector = DictionaryDetector.build(table)
    texts = ["New York, York. It is said", "who knows Paris", "the WHO in Paris, PARIS", ""]
    found = detector.names_in(type(table).from_strings(texts))[:, detector.numbers(table)].toarray()
    assert_array_equal(found, [[1, 1, 0, 0, 0], [0, 0, 1, 0, 0], [0, 0, 1, 1, 0], [0, 0, 0, 0, 0]])
    assert [len(spans) for spans in detector.detect(texts)] == [2, 1, 3, 0]


def test_a_knowledge_base_without_text_speaks_of_nobody():
    assert graph_of(kb_of(Paris="", Troy="")) == [[0, 0], [0, 0]]
    assert mentioned_entities(KnowledgeBase.from_records([]), DictionaryDetector.build([])).shape == (0, 0)


def test_certainty_stays_between_nothing_and_one():
    kb = kb_of(**{f"Name{i}": " ".join(f"Name{j}" for j in range(i)) for i in range(20)})
    detector = DictionaryDetector.build(kb.names())
    data = mentioned_entities(kb, detector).data
    assert len(data) == 190 and np.all((data > 0) & (data <= 1))
