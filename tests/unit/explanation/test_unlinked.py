"""Unlinked mentions become groups, and groups new entities."""

import json
import re

import pytest

from deixis.detection.unlinked_groups import MAX_CONTEXTS, UnlinkedGroups
from deixis.detection.unlinked_names import unlinked_names
from deixis.errors import ConfigError
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.linker import Linker
from deixis.types import Document, Mention

PRODUCTS = ["Aurora Desk Lamp", "Falcon Webcam", "Glide Mouse", "Jade Keyboard", "Kestrel Headset"]
MAILS = [
    "The Zephyr Air Purifier came with an Aurora Desk Lamp. We sent a new Zephyr yesterday.",
    "Two Vortex Blenders leak, and the Jade Keyboard too. Is the vortex blender in stock?",
    "The Polar Ice Maker 3000 (PIM) is broken. The PIM was on sale.",
    "I ordered a Glide Mous. The Glide Mous is fine. Thanks for the Vortex Blender.",
]


@pytest.fixture(scope="module")
def linker():
    return Linker.build(KnowledgeBase.from_records({"id": f"P{n}", "title": name} for n, name in enumerate(PRODUCTS)))


def document(text, *names, number=0, entity=None, reason="unknown"):
    """A linked document in which every occurrence of these names is a mention, the longest first."""
    longest_first = sorted(names, key=len, reverse=True)
    mentions = tuple(
        Mention(*match.span(), match[0], entity, None, entity is None, nil_reason=None if entity else reason)
        for match in re.finditer("|".join(map(re.escape, longest_first)), text)
    )
    return Document(str(number), text, mentions=mentions)


def groups(*documents, min_count=1):
    counted = UnlinkedGroups()
    for each in documents:
        counted.add(each)
    return list(counted.groups(min_count))


def test_a_newcomer_sees_the_products_that_the_list_lacks(linker):
    entities = {entity.title: entity for entity in linker.unlinked(MAILS)}
    assert list(entities) == ["Vortex Blender", "Polar Ice Maker 3000", "Glide Mous", "Zephyr Air Purifier"]
    assert entities["Polar Ice Maker 3000"].aliases == ("PIM",) and entities["Zephyr Air Purifier"].aliases == (
        "Zephyr",
    )
    assert (entities["Vortex Blender"].n_mentions, entities["Vortex Blender"].n_documents) == (3, 2)
    assert [near.id for near in entities["Glide Mous"].near] == ["P2"] and not entities["Vortex Blender"].near
    assert entities["Zephyr Air Purifier"].id == "zephyr-air-purifier"
    assert all(entity.title in example.text or entity.title.lower() in example.text.lower()
               for entity in entities.values() for example in entity.examples)  # fmt: skip


def test_the_new_entities_can_be_added_and_are_linked_then(linker):
    records = [json.loads(json.dumps(entity.to_record())) for entity in linker.unlinked(MAILS)]
    after = Linker.build(linker.kb.with_entities(records))
    linked = {mention.entity for mail in MAILS for mention in after.link(mail).mentions}
    assert {"vortex-blender", "zephyr-air-purifier", "polar-ice-maker-3000"} <= linked
    assert not {"Vortex Blender", "Zephyr Air Purifier"} & {entity.title for entity in after.unlinked(MAILS)}


def test_documents_linked_before_give_the_same(linker):
    assert linker.unlinked(linker.link(MAILS), is_linked=True) == linker.unlinked(MAILS)


def test_top_and_min_count_limit_what_comes(linker):
    assert [entity.title for entity in linker.unlinked(MAILS, min_count=3, top=1)] == ["Vortex Blender"]
    with pytest.raises(ConfigError, match="min_count must be a whole number of at least 1, got 0"):
        linker.unlinked(MAILS, min_count=0)


@pytest.mark.parametrize("texts", [[], [""], [None, "  \n"], ["nothing unknown"], ["Aurora Desk Lamp"]])
def test_nothing_unlinked_is_an_empty_list(linker, texts):
    assert linker.unlinked(texts, min_count=1) == []


def test_mentions_that_a_document_brings_are_used_and_no_others(linker):
    text = "the qxz device and the Vortex Blender"
    given = Document("d", text, mentions=(Mention(4, 7, "qxz"),))
    assert [entity.title for entity in linker.unlinked([given], min_count=1)] == ["qxz"]


def test_ambiguous_mentions_are_no_new_entities():
    assert groups(document("Acme and Acme", "Acme", reason="ambiguous")) == []
    assert groups(document("Acme and Acme", "Acme"))[0].n_mentions == 2


def test_a_company_has_one_group_whatever_its_form():
    (group,) = groups(
        document("Acme Corp grows. Acme sells.", "Acme Corp", "Acme", number=1),
        document("ACME CORPORATION and Acme Corp.", "ACME CORPORATION", "Acme Corp.", number=2),
        document("Acme again", "Acme", number=3),
    )
    assert (group.title, group.n_mentions, group.n_documents) == ("Acme Corp", 5, 3)
    assert "Acme" in group.aliases


def test_accents_plurals_and_a_letter_do_not_make_another_group():
    (group,) = groups(
        document("Björkmann, Bjorkmann, Bjorkman, Björkmanns", "Björkmann", "Bjorkmann", "Bjorkman", number=1)
    )
    assert group.n_mentions >= 3
    assert len(groups(document("Maker 3000 or Maker 2000", "Maker 3000", "Maker 2000"))) == 2


def test_a_short_name_with_two_long_ones_stays_alone():
    text = "John Smith met Mary Smith. Smith left."
    found = {group.title for group in groups(document(text, "John Smith", "Mary Smith", "Smith"))}
    assert found == {"John Smith", "Mary Smith", "Smith"}


def test_a_short_name_that_mostly_stands_alone_is_its_own():
    alone = [document(f"DNA was seen {number}", "DNA", number=number) for number in range(8)]
    found = {
        group.title: group.n_documents
        for group in groups(document("Genomic DNA, then DNA", "Genomic DNA", "DNA"), *alone)
    }
    assert found == {"DNA": 9, "Genomic DNA": 1}


def test_a_short_name_of_something_linked_is_not_new():
    text = "Peter Blackburn spoke. Blackburn left."
    linked = document(text, "Peter Blackburn", entity="Q1").mentions
    unknown = [mention for mention in document(text, "Blackburn").mentions if mention.start > 20]
    assert unlinked_names(Document("d", text, mentions=(*linked, *unknown))) == []


def test_clearly_unlike_contexts_are_two_things():
    planet = "the planet Mercury orbits the sun with craters and no atmosphere on its rocky surface"
    engine = "an outboard motor by Mercury for boats needs fuel oil and a clean propeller shaft"
    texts = [(planet if number % 2 else engine) for number in range(8)]
    found = groups(*(document(text, "Mercury", number=number) for number, text in enumerate(texts)))
    assert [(group.title, group.n_mentions, group.n_documents) for group in found] == [("Mercury", 4, 4)] * 2


def test_ids_are_readable_and_unique():
    kb = KnowledgeBase.from_records([{"id": "vortex-blender", "title": "Other"}])
    texts = ["the Vortex Blender", "Łódź Żółw Works and Łódź Żółw Works"]
    ids = [entity.id for entity in Linker.build(kb).unlinked(texts, min_count=1)]
    assert ids == ["lodz-zolw-works", "vortex-blender-2"]


def test_contexts_are_few_however_many_documents_there_are():
    (group,) = groups(*(document(f"Acme number {number}", "Acme", number=number) for number in range(100)))
    assert (group.n_mentions, group.n_documents, len(group.contexts)) == (100, 100, MAX_CONTEXTS)
