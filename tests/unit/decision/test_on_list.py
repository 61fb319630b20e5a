"""How likely a mention means anything on the list: promises for lists of one and two rows."""

import numpy as np
import pytest

from deixis.decision.on_list import EVIDENCE, on_list_evidence, on_list_probabilities, on_list_weights
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.linker import Linker
from deixis.tables import BestCandidates
from deixis.types import Document, Mention

JAGUARS = [
    {
        "id": "jaguar_cat",
        "title": "Jaguar",
        "aliases": ["Panthera onca"],
        "description": "a large cat of the rainforests of America",
    },
    {
        "id": "jaguar_car",
        "title": "Jaguar Cars",
        "aliases": ["Jaguar"],
        "description": "a maker of luxury cars of Coventry, a part of the corporation Tata",
    },
]


@pytest.fixture(scope="module")
def linker():
    return Linker.build(KnowledgeBase.from_records(JAGUARS), n_threads=1)


def named(linker, *names):
    return linker.link_names(names)


@pytest.mark.parametrize("name", ["university of Oslo", "Zorblatt", "Xyzzyx Corporation", "the", "Norsk Hydro", "東京"])
def test_a_name_of_nothing_on_a_list_of_two_rows_is_nil_and_unknown(linker, name):
    (mention,) = named(linker, name)
    assert mention.entity is None and mention.is_nil and mention.nil_reason == "unknown"
    assert sum(candidate.score for candidate in mention.candidates) < 0.25


@pytest.mark.parametrize(
    ("name", "entity"), [("Jaguar Cars", "jaguar_car"), ("panthera onca", "jaguar_cat"), ("JAGUAR CARS", "jaguar_car")]
)
def test_an_exact_name_of_one_entity_alone_is_nearly_certain(linker, name, entity):
    (mention,) = named(linker, name)
    assert mention.entity == entity and mention.score >= 0.8 and mention.nil_reason is None
    assert mention.entity_score == mention.score and mention.mention_score is None


def test_a_name_that_several_have_is_ambiguous_rather_than_unknown(linker):
    mention = next(
        linker.link_many([Document("d", "Jaguar", mentions=(Mention(0, 6, "Jaguar"),))], threshold=0.9)
    ).mentions[0]
    assert mention.entity is None and mention.nil_reason == "ambiguous"


@pytest.mark.parametrize(
    "name", ["Jaguar", "jaguars", "cat", "JC", "Jaguar Carz", "a\u0301", "ﬁ", "\u200b", "🐆", "İ", "x" * 500]
)
def test_scores_of_all_candidates_add_to_one_at_most(linker, name):
    (mention,) = named(linker, name)
    scores = [candidate.score for candidate in mention.candidates]
    assert all(0 <= score <= 1 for score in scores) and sum(scores) <= 1 and scores == sorted(scores, reverse=True)


def test_a_list_of_one_entity_knows_its_name_and_no_other():
    alone = Linker.build(KnowledgeBase.from_records([{"id": "oslo", "title": "Oslo"}]), n_threads=1)
    oslo, bergen, nothing = named(alone, "Oslo", "Bergen", "")
    assert oslo.entity == "oslo" and oslo.score >= 0.8
    assert (bergen.entity, bergen.nil_reason) == (None, "unknown") and nothing.entity is None


def test_a_name_in_a_script_without_spaces_is_as_certain_as_another():
    kb = KnowledgeBase.from_records([{"id": "tokyo", "title": "東京"}, {"id": "todai", "title": "東京大学"}])
    tokyo, todai, kyoto = named(Linker.build(kb, n_threads=1), "東京", "東京大学", "大阪府")
    assert (tokyo.entity, todai.entity, kyoto.entity) == ("tokyo", "todai", None)
    assert min(tokyo.score, todai.score) >= 0.7


def test_scores_do_not_depend_on_the_number_of_threads():
    kb = KnowledgeBase.from_records([*JAGUARS, {"id": "oslo", "title": "Oslo", "description": "capital of Norway"}])
    names = ["Jaguar", "Oslo", "university of Oslo", "jaguar cat", "Panthera", "", "JC"] * 40
    one, two = (named(Linker.build(kb, n_threads=n), *names) for n in (1, 2))
    assert one == two


def test_how_many_candidates_are_shown_changes_no_score(linker):
    document = Document("d", "Jaguar", mentions=(Mention(0, 6, "Jaguar"),))
    few, many = (linker.link(document, top_k=k).mentions[0] for k in (1, 9))
    assert few.score == many.score and few.entity == many.entity


def best(n=1, **changed):
    """A best candidate that is known by nothing, but for what is changed."""
    zeros = np.zeros(n, dtype=np.float32)
    values = {"rows": np.zeros(n, dtype=np.int64), "alias": zeros, "title": zeros, "label_tree": zeros}
    values |= {"leads": np.zeros(n), "described": zeros, "known": np.zeros(n), "n_known": np.zeros(n, dtype=np.int64)}
    return BestCandidates(**(values | changed), max_idf=5.0)


def evidence(mention, names, **changed):
    rows = on_list_evidence([mention], best(**changed), lambda row: names, 1000, is_described=True)
    return dict(zip(EVIDENCE, rows[0].tolist(), strict=True))


def test_without_a_candidate_nothing_is_on_the_list():
    rows = on_list_evidence(["Oslo"], best(rows=np.array([-1])), list, 1000, is_described=False)
    assert not rows.any() and on_list_probabilities(rows).tolist() == [0.0]
    assert len(on_list_probabilities(on_list_evidence([], best(0), list, 0, is_described=False))) == 0


def test_words_that_the_list_does_not_know_count_against_a_description():
    known = {"known": np.array([0.1]), "n_known": np.array([1]), "described": np.array([0.1], dtype=np.float32)}
    assert evidence("of", [], **known)["fully_described"] == 1
    assert evidence("university of Oslo", [], **known)["described"] < 0.05


def test_initials_of_a_name_are_no_exact_name_even_where_they_were_seen_as_an_alias():
    told = evidence("U.N.", ["United Nations"], alias=np.ones(1, dtype=np.float32))
    assert (told["acronym"], told["exact"]) == (1, 0)
    assert (
        evidence("Norsk", ["Norsk Hydro"])["size_part"] == evidence("Norsk Hydro", ["Norsk Hydro"])["size_exact"] == 0
    )


def test_diacritics_and_case_make_no_difference_to_names():
    assert evidence("LODZ", ["Łódź"])["exact"] == 1
    assert 0 < evidence("Lodzer", ["Łódź"])["similarity"] < 1 and evidence("Lodzer", ["Łódź"])["shared_words"] == 1


def test_weights_come_with_the_package_one_for_each_number():
    assert len(on_list_weights()) == len(EVIDENCE) == 17
    assert on_list_weights()[list(EVIDENCE).index("exact")] > 0
