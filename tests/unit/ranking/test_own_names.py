"""First sentences on small lists: initials, stated names, peoples, name pages, near words."""

import numpy as np
import pytest

from deixis.kb.knowledge_base import KnowledgeBase
from deixis.linker import Linker
from deixis.ranking.feature import FeatureContext
from deixis.ranking.features import FEATURES
from deixis.ranking.own_names import OwnNames, beginnings
from deixis.types import Document, Mention

RECORDS = [
    {"id": identifier, "title": title, "count": count, "description": description}
    for identifier, title, count, description in [
        ("fda", "Food and Drug Administration", 0, "The Food and Drug Administration (FDA) approves medicines."),
        ("federal", "Fairbanks Daily Argus", 0, "A newspaper of Fairbanks."),
        ("norway", "Norway", 900, "Norway is a country in Europe. Its capital is Oslo."),
        ("norwich", "Norwich", 20, "Norwich is a city in England."),
        ("page", "Norwegian", 0, "Norwegian may refer to:"),
        ("money", "bank", 0, "company that keeps money, lends it and asks for interest rates"),
        ("river", "bank", 0, "land beside a river or a lake"),
        (
            "us",
            "United States",
            900,
            "The United States of America, commonly called the U.S. or America, is a country.",
        ),
        ("army", "United States Army", 300, "The United States Army is the land force of the U.S. armed forces."),
        ("oslo", "Oslo", 90, "Oslo is the capital of Norway."),
    ]
]


@pytest.fixture(scope="module")
def linker():
    return Linker.build(KnowledgeBase.from_records(RECORDS))


def features(linker, text, word, name):
    """The number of a feature for each candidate of a word of the text, by id."""
    start = text.index(word)
    document = Document("d", text, mentions=(Mention(start, start + len(word), word),))
    mentions = list(document.mentions_in_context())
    table = linker.model.sources.propose(mentions)
    column = FEATURES[name](FeatureContext(mentions, table, linker.model.ranker.facts))
    return dict(zip(linker.kb.ids.strings(table.rows), column.tolist(), strict=True))


def meant(linker, text, *words):
    """The entities that stand first for these words of the text, in the order of the text."""
    spans, end = [], 0
    for word in words:
        start = text.index(word, end)
        end = start + len(word)
        spans.append(Mention(start, end, word))
    document = Document("d", text, mentions=tuple(spans))
    mentions = list(document.mentions_in_context())
    ranked = linker.model.ranker.rank(mentions, linker.model.sources.propose(mentions), 1)
    return linker.kb.ids.strings(ranked.indices)


def test_the_initials_of_a_title_mean_it(linker):
    assert features(linker, "The FDA met.", "FDA", "initials")["fda"] == 1
    assert features(linker, "The U.S. won.", "U.S.", "initials")["us"] == 1
    assert features(linker, "a bank", "bank", "initials")["money"] == 0


def test_a_name_that_the_description_states_means_it(linker):
    found = features(linker, "The FDA approved it.", "FDA", "stated")
    assert found["fda"] == 1 and found.get("federal", 0) == 0
    assert features(linker, "In America it rained.", "America", "stated")["us"] == 1


def test_the_people_of_a_place_begin_as_it_does(linker):
    found = features(linker, "A Norwegian ship", "Norwegian", "people")
    assert found["norway"] > found.get("norwich", 0) > 0 and found["page"] == 0
    assert features(linker, "in Norway", "Norway", "people")["norway"] == 0


def test_a_page_of_namesakes_is_no_thing(linker):
    found = features(linker, "A Norwegian ship", "Norwegian", "thing")
    assert found["page"] == 0 and found["norway"] == 1


def test_evidence_of_descriptions_stays_where_a_name_is_only_stated_or_initials(linker):
    assert features(linker, "The U.S. won.", "U.S.", "mention_fully_in_description")["us"] == 1
    assert features(linker, "in Norway", "Norway", "mention_fully_in_description")["norway"] == 0


def test_the_rest_of_a_title_counts_where_the_text_has_it(linker):
    text = "The Drug Administration of Food met."
    assert features(linker, text, "Administration", "title_rest_in_text")["fda"] > 0.9
    assert features(linker, "bank and bank", "bank", "title_rest_in_text")["money"] == 0


def test_words_that_the_list_does_not_know_are_not_described(linker):
    found = features(linker, "the university of Oslo", "university of Oslo", "mention_in_description")
    assert all(share < 0.99 for share in found.values())
    found = features(linker, "Zorblatt Army", "Zorblatt Army", "mention_fully_in_names")
    assert not any(found.values())


def test_only_the_own_sentence_is_near(linker):
    text = "The bank raised its interest rates. We sat on the bank of the river."
    start = text.index("bank of")
    mentions = list(Document("d", text, mentions=(Mention(start, start + 4, "bank"),)).mentions_in_context())
    table = linker.model.sources.propose(mentions)
    column = FEATURES["sentence"](FeatureContext(mentions, table, linker.model.ranker.facts))
    found = dict(zip(linker.kb.ids.strings(table.rows), column.tolist(), strict=True))
    assert found["river"] > 0 and found["money"] == 0


def test_first_sentences_are_read_as_a_reader_would(linker):
    assert meant(linker, "The FDA approved the pill.", "FDA") == ["fda"]
    assert meant(linker, "A Norwegian ship left Oslo.", "Norwegian") == ["norway"]
    assert meant(linker, "The U.S. and its army", "U.S.") == ["us"]
    assert meant(linker, "The bank raised its interest rates.", "bank") == ["money"]
    assert meant(linker, "We sat on the bank of the river.", "bank") == ["river"]


def test_two_namesakes_in_one_text_have_their_own_answers(linker):
    text = "The bank raised its interest rates. We sat on the bank of the river."
    assert meant(linker, text, "bank", "bank") == ["money", "river"]


def test_beginnings_are_of_letters_in_any_script():
    moscow, muscovite, short = beginnings(["Москва", "москвич", "Мос"], 1).tolist()
    assert moscow == muscovite > 0 and short == 0


def test_own_names_are_stored_and_read_again(linker):
    own = linker.model.ranker.facts.own_names
    again = OwnNames.from_arrays(own.to_arrays("o"), "o", n_entities=len(RECORDS))
    for name in ("initials", "is_name_page", "stated_indptr", "stated", "begun_indptr", "begun"):
        assert np.array_equal(getattr(again, name), getattr(own, name))
