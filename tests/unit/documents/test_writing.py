"""Documents out: the shape that other programs read."""

import io
import json

from deixis.documents.formats.native_out import document_to_dict
from deixis.documents.writing import write_documents
from deixis.types import Candidate, Document, Mention


def test_a_linked_mention_has_every_field_of_the_native_shape():
    candidates = (Candidate("Q167646", 0.93, "Paris (mythology)"), Candidate("Q90", 0.05))
    mention = Mention(14, 19, "Paris", entity="Q167646", score=0.93, candidates=candidates)
    document = Document("d1", "To save Troy, Paris had to be sacrificed.", lang="en", mentions=(mention,))
    assert document_to_dict(document) == {
        "id": "d1",
        "text": "To save Troy, Paris had to be sacrificed.",
        "lang": "en",
        "mentions": [
            {
                "start": 14,
                "end": 19,
                "text": "Paris",
                "entity": "Q167646",
                "score": 0.93,
                "nil": False,
                "mention_score": None,
                "entity_score": None,
                "nil_reason": None,
                "candidates": [
                    {"id": "Q167646", "title": "Paris (mythology)", "score": 0.93},
                    {"id": "Q90", "score": 0.05},
                ],
            }
        ],
    }


def test_nil_is_written_as_null_and_an_undecided_mention_without_an_entity():
    document = Document("d", "Paris Troy", mentions=(Mention(0, 5, "Paris", is_nil=True), Mention(6, 10, "Troy")))
    nil, undecided = document_to_dict(document)["mentions"]
    assert (nil["entity"], nil["nil"]) == (None, True)
    assert "entity" not in undecided
    assert "nil" not in undecided


def test_scores_keep_six_digits():
    document = Document("d", "Paris", mentions=(Mention(0, 5, "Paris", entity="Q1", score=0.9300000071525574),))
    assert document_to_dict(document)["mentions"][0]["score"] == 0.93


def test_every_document_is_one_line_of_readable_utf8():
    stream = io.StringIO()
    assert write_documents([Document("1", "Zürich\nParis\u2028"), Document("2", "東京")], stream) == 2
    lines = stream.getvalue().split("\n")
    assert [json.loads(line)["id"] for line in lines[:-1]] == ["1", "2"]
    assert "東京" in lines[1]
