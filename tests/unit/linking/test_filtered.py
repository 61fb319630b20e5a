"""A linker that may link to some entities only."""

import numpy as np
import pytest

from deixis.errors import ConfigError, UnknownNameError
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.linker import Linker
from deixis.linking.options import LinkOptions
from deixis.linking.plan import LinkPlan
from deixis.linking.stages.decide import has_exact_names
from deixis.linking.stages.rank import RankedSpans
from deixis.tables import CandidateTable, Ranking, Spans
from deixis.types import Document, Mention

RECORDS = [
    {"id": "paris-fr", "title": "Paris", "types": ["city"], "descriptions": {"en": "capital of France on the Seine"}},
    {"id": "paris-troy", "title": "Paris", "types": ["person"], "descriptions": {"en": "prince of Troy, took Helen"}},
    {"id": "helen", "title": "Helen", "types": ["person"], "descriptions": {"de": "Frau des Menelaos"}},
    {"id": "troy", "title": "Troy", "types": ["city"], "aliases": ["Ilion"], "descriptions": {"de": "Stadt"}},
    {"id": "helena", "title": "Helena", "types": ["city"], "descriptions": {"en": "city in Montana"}},
] + [{"id": f"p{n}", "title": f"Paris {n}", "types": ["person"]} for n in range(300)]
TEXT = "To save Troy, Paris had to give Helen back."


@pytest.fixture(scope="module")
def linker():
    return Linker.build(KnowledgeBase.from_records(RECORDS), n_threads=1)


def links(document):
    return [(mention.text, mention.entity) for mention in document.mentions]


def test_links_go_to_entities_of_the_type_only(linker):
    assert links(linker.link(TEXT)) == [("Troy", "troy"), ("Paris", "paris-troy"), ("Helen", "helen")]
    assert links(linker.link(TEXT, types="city")) == [("Troy", "troy"), ("Paris", "paris-fr")]
    assert links(linker.link(TEXT, types=["person"])) == [("Paris", "paris-troy"), ("Helen", "helen")]


def test_a_subset_and_languages_filter_too(linker):
    assert links(linker.link(TEXT, ids=["paris-fr", "helen"])) == [("Paris", "paris-fr"), ("Helen", "helen")]
    assert links(linker.link(TEXT, languages="de", ids=["paris-fr", "troy", "helen"])) == [
        ("Troy", "troy"),
        ("Helen", "helen"),
    ]


def test_given_mentions_are_kept_and_get_all_candidates_that_exist(linker):
    given = Document("d", "Helen", mentions=(Mention(0, 5, "Helen"),))
    linked = linker.link(given, types="city")
    assert len(linked.mentions) == 1
    assert {candidate.id for candidate in linked.mentions[0].candidates} == {"paris-fr", "troy", "helena"}


def test_many_that_are_not_allowed_do_not_crowd_out_the_one_that_is(linker):
    given = Document("d", "Paris", mentions=(Mention(0, 5, "Paris"),))
    for wanted in ("p299", "p0", "p123"):
        linked = linker.link(given, ids=wanted)
        assert [candidate.id for candidate in linked.mentions[0].candidates] == [wanted]


def test_batches_and_streams_are_filtered_alike(linker):
    one = linker.link(TEXT, types="city")
    assert [links(each) for each in linker.link_many([TEXT, TEXT], types="city")] == [links(one)] * 2
    assert [links(each) for each in linker.link_many([TEXT], batch_size=1, types="city")] == [links(one)]


def test_a_wrong_filter_is_told_before_anything_is_read(linker):
    with pytest.raises(UnknownNameError, match="Did you mean 'city'"):
        linker.link_many(iter(()), types="citty")
    with pytest.raises(ConfigError, match="list of ids is empty"):
        linker.link(TEXT, ids=[])


def test_a_mask_is_made_once_for_a_linker(linker):
    first, again = (LinkPlan.of(linker.model, LinkOptions(types="person"), detects=True).mask for _ in range(2))
    assert first is again and int(np.sum(first)) == 302
    assert not first.flags.writeable


def test_no_filter_changes_nothing(linker):
    assert linker.link(TEXT, types=["city", "person"]) == linker.link(TEXT)


def test_a_candidate_that_is_only_alike_does_not_have_the_name(linker):
    def named(text, *ids):
        document = Document("d", text, mentions=(Mention(0, len(text), text),))
        spans, rows = Spans.given([document]), np.array([linker.kb.row_of(each) for each in ids], dtype=np.int64)
        ranking = Ranking(np.array([0, len(rows)]), rows, np.full(len(rows), 0.5))
        nothing = CandidateTable(np.zeros(2, dtype=np.int64), np.empty(0, dtype=np.int64), {})
        ranked = RankedSpans(spans, spans.in_context([document]), nothing, ranking, ranking, np.ones(len(spans)))
        plan = LinkPlan.of(linker.model, LinkOptions(), detects=True)
        assert not has_exact_names(plan, ranked, np.zeros(1, dtype=bool)).any()  # only those that are asked about
        return bool(has_exact_names(plan, ranked, np.ones(1, dtype=bool))[0])

    assert named("ILION", "helena", "troy") and named("paris", "paris-fr")
    assert not named("Helen", "helena") and not named("Helen")
    assert named("Troy", *(f"p{n}" for n in range(9)), "troy")
    assert not named("Troy", *(f"p{n}" for n in range(10)), "troy")  # too far down to count
