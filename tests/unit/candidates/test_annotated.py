import pytest

from deixis.candidates.annotated import known_mentions
from deixis.errors import DataError
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.types import Document, Mention

KB = KnowledgeBase.from_records([{"id": "a", "title": "A"}, {"id": "b", "title": "B", "alt_ids": ["bb"]}])


def test_only_mentions_with_a_known_entity_are_given():
    spans = [("a", [0]), ("bb", [1]), ("zz|bb", [1]), ("b|a", [1, 0]), ("a+b|bb", [0, 1]), ("zz", None), (None, None)]
    mentions = tuple(Mention(0, 1, "x", entity=entity) for entity, _ in spans)
    found = list(known_mentions(KB, [Document("d", "x", lang="de", mentions=mentions)]))
    assert [rows for _, rows in found] == [rows for _, rows in spans if rows is not None]
    assert {(mention.text, mention.lang) for mention, _ in found} == {("x", "de")}


@pytest.mark.parametrize("wrong", [3, ["text"]])
def test_anything_but_documents_is_refused(wrong):
    with pytest.raises(DataError, match="come as Documents"):
        list(known_mentions(KB, wrong))
