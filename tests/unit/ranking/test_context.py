import pytest

from deixis.errors import ConfigError
from deixis.features.name_set import NameSet
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.ranking.context import ContextRanker, ContextRankerConfig, folded, surroundings
from deixis.types import Candidate, MentionInContext

KB = KnowledgeBase.from_records(
    [
        {"id": "city", "title": "Paris", "aliases": ["Lutetia"], "description": "capital of France on the Seine"},
        {"id": "prince", "title": "Paris", "aliases": ["Alexander"], "description": "prince of Troy who took Helen"},
        {"id": "texas", "title": "Paris, Texas", "aliases": ["Paris"], "count": 26000},
        {"id": "bare", "title": "Nowhere"},
    ]
)
EVEN = [Candidate("bare", 0.5), Candidate("texas", 0.5), Candidate("prince", 0.5), Candidate("city", 0.5)]


def ranked(mention: str, text: str, candidates=EVEN, **weights) -> list[str]:
    config = ContextRankerConfig(**weights)
    start = text.index(mention)
    seen = MentionInContext(mention, text, start, start + len(mention))
    return [candidate.id for candidate in ContextRanker.build(KB, config).rank([seen], [candidates])[0]]


def test_context_tells_namesakes_apart():
    assert ranked("Paris", "Paris took Helen away from Sparta")[0] == "prince"
    assert ranked("Paris", "bridges over the Seine in Paris")[0] == "city"


def test_a_title_counts_more_than_an_alias_and_an_alias_more_than_another_name():
    assert ranked("Paris", "Paris", context_weight=0, prior_weight=0) == ["prince", "city", "texas", "bare"]
    assert ranked("lutetia", "lutetia", context_weight=0, prior_weight=0)[0] == "city"


def test_words_that_hold_sentences_together_hardly_count():
    kb = KnowledgeBase.from_records([
        {"id": "cat", "title": "Jaguar", "description": "big spotted cat of the American rainforest"},
        {"id": "car", "title": "Jaguar", "description": "British maker of luxury cars, from Coventry"},
    ])  # fmt: skip
    mention = MentionInContext("Jaguar", "The Jaguar left the garage.", 4, 10)
    even = [[Candidate("car", 0.5), Candidate("cat", 0.5)]]
    first, second = ContextRanker.build(kb).rank([mention], even)[0]
    assert first.score < 2 * second.score
    first, second = ContextRanker.build(kb, ContextRankerConfig(stop_word_weight=1)).rank([mention], even)[0]
    assert (first.id, second.id) == ("cat", "car")
    assert first.score > 4 * second.score


def test_a_name_that_fits_outweighs_a_short_description_that_sounds_like_the_text():
    kb = KnowledgeBase.from_records([
        {"id": "tokyo", "title": "東京", "description": "日本の首都"},
        {"id": "beijing", "title": "北京", "description": "中国的首都"},
        {"id": "pizza", "title": "Pizza", "description": "Italian flat bread"},
    ])  # fmt: skip
    text = "昨日東京でピザを食べた Pizza 我在北京"
    for name, expected in [("Pizza", "pizza"), ("北京", "beijing"), ("東京", "tokyo")]:
        mention = MentionInContext(name, text, text.index(name), text.index(name) + len(name))
        candidates = [Candidate("tokyo", 0.3), Candidate("beijing", 0.3), Candidate("pizza", 0.3)]
        assert ContextRanker.build(kb).rank([mention], [candidates])[0][0].id == expected


def test_popularity_breaks_ties():
    weights = {"title_weight": 0.0, "alias_weight": 0.0, "context_weight": 0.0}
    assert ranked("Paris", "Paris", prior_weight=0.0, **weights) == [candidate.id for candidate in EVEN]
    assert ranked("Paris", "Paris", prior_weight=0.5, **weights)[0] == "texas"


def test_without_any_weight_the_generators_order_stands():
    uneven = [Candidate("bare", 0.9), Candidate("city", 0.4), Candidate("prince", 0.3), Candidate("texas", 0.0)]
    none = dict.fromkeys(["title_weight", "alias_weight", "context_weight", "prior_weight"], 0.0)
    assert ranked("Paris", "Paris took Helen", uneven, **none) == ["bare", "city", "prince", "texas"]


def test_scores_share_out_the_root_of_the_best_name_score():
    mention = MentionInContext("Paris", "Paris took Helen", 0, 5)
    scores = [c.score for c in ContextRanker.build(KB).rank([mention], [EVEN])[0]]
    assert sum(scores) == pytest.approx(0.5**0.5)
    assert [c.score for c in ContextRanker.build(KB).rank([mention], [EVEN[:1]])[0]] == pytest.approx([0.5**0.5])


def test_a_window_of_nothing_leaves_context_out():
    near = ranked("Paris", "Helen Paris Troy", window=0, prior_weight=0, alias_weight=0, title_weight=0)
    assert near == [candidate.id for candidate in EVEN]


def test_a_knowledge_base_without_descriptions_can_be_ranked():
    kb = KnowledgeBase.from_records([{"id": "a", "title": "Paris"}, {"id": "b", "title": "Troy"}])
    mention = MentionInContext("Troy", "Troy fell", 0, 4)
    found = ContextRanker.build(kb).rank([mention], [[Candidate("a", 0.5), Candidate("b", 0.5)]])
    assert [candidate.id for candidate in found[0]] == ["b", "a"]


def test_equivalent_ids_are_known_too():
    kb = KnowledgeBase.from_records([{"id": "a", "title": "Paris", "alt_ids": ["Q90"]}])
    mention = MentionInContext("Paris", "Paris", 0, 5)
    assert ContextRanker.build(kb).rank([mention], [[Candidate("Q90", 0.5)]])[0][0].id == "Q90"


def test_the_mention_itself_is_not_context():
    assert surroundings(MentionInContext("Paris", "In Paris, Paris is in", 3, 8), 100) == "In  ,   is in"
    assert surroundings(MentionInContext("", "In Paris", 3, 3), 100) == "In Paris"


@pytest.mark.parametrize(
    ("one", "other"),
    [("PARIS", "paris"), ("Straße", "STRASSE"), ("Ｐａｒｉｓ", "Paris"), ("New\u00a0 York", "new york")],
)
def test_names_are_folded_alike(one, other):
    assert folded(one) == folded(other)


@pytest.mark.parametrize("name", ["title_weight", "alias_weight", "context_weight", "prior_weight", "window"])
def test_weights_below_0_and_beyond_all_bounds_are_refused(name):
    for value in (-1, float("nan"), float("inf")):
        with pytest.raises(ConfigError, match=name):
            ContextRankerConfig(**{name: value})


def test_a_name_seen_in_annotated_text_is_left_to_the_generator():
    listed = [Candidate("bare", 0.6), Candidate("city", 0.4)]
    mention = MentionInContext("Paris", "PARIS", 0, 5)
    taught = ContextRanker.build(KB, learned=NameSet.of(["PARIS"]))
    assert [c.id for c in ContextRanker.build(KB, learned=NameSet.of(["Troy"])).rank([mention], [listed])[0]][
        0
    ] == "city"
    assert [c.id for c in taught.rank([mention], [listed])[0]][0] == "bare"
    again = ContextRanker.from_arrays(taught.to_arrays("r"), "r", KB, taught.config)
    assert again.rank([mention], [listed]) == taught.rank([mention], [listed])
