"""A model knows which documents it has learned from."""

import numpy as np

from deixis.documents.corrections import Correction
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.linker import Linker
from deixis.linking.config import LinkerConfig
from deixis.linking.seen_documents import SeenDocuments
from deixis.ranking.default_weights import RankerConfig
from deixis.training.examples import fit_weights
from deixis.types import Document, Mention

KB = KnowledgeBase.from_records([{"id": "a", "title": "Paris", "description": "city"}, {"id": "b", "title": "Troy"}])


def document(number):
    return Document(str(number), f"Paris {number}", mentions=(Mention(0, 5, "Paris", "a"),))


def test_documents_are_known_by_their_text_whatever_their_id_spacing_or_mentions():
    seen = SeenDocuments.of([document(1), document(2)])
    assert seen.holds([Document("other", " Paris\n1"), document(2), document(3)]).tolist() == [True, True, False]
    known, new = seen.split([document(3), document(1), document(4)])
    assert [each.id for each in known] == ["1"] and [each.id for each in new] == ["3", "4"]


def test_sets_join_and_count_a_document_once():
    both = SeenDocuments.of([document(1), document(1)]) | SeenDocuments.of([document(1), document(2)])
    assert len(both) == 2 and both.holds([document(1), document(2)]).all()
    assert len(SeenDocuments()) == 0 and not SeenDocuments().holds([document(1)]).any()


def test_odd_text_is_no_trouble():
    odd = [Document("a", "\ud800 half a pair"), Document("b", ""), Document("c", "\0")]
    assert SeenDocuments.of(odd).holds(odd).all()


def test_a_built_linker_has_seen_all_its_documents_also_those_held_out_for_its_weights(tmp_path):
    documents = [document(number) for number in range(10)]
    config = LinkerConfig(held_out_share=0.5, ranking=RankerConfig(min_mentions=1))
    linker = Linker.build(KB, documents, config)
    linker.save(tmp_path / "model")
    for each in (linker, Linker.load(tmp_path / "model")):
        assert each.model.seen.holds(documents).all() and not each.model.seen.holds([document(11)]).any()


def test_weights_are_learned_from_documents_that_are_seen_then():
    linker = Linker.build(KB)
    assert len(linker.model.seen) == 0
    fitted = Linker(fit_weights(linker.model, iter([document(1)])))
    assert fitted.model.seen.holds([document(1)]).all() and len(linker.model.seen) == 0
    assert len(fitted.calibrate([document(2), document(3)]).model.seen) == 1


def test_texts_that_were_corrected_count_as_seen_until_the_corrections_are_dropped():
    linker = Linker.build(KB)
    corrected = linker.correct([Correction("Paris 1", 0, 5, "gold", "a")])
    assert corrected.model.all_seen.holds([document(1)]).all() and len(corrected.model.seen) == 0
    assert len(corrected.without_corrections().model.all_seen) == 0


def test_a_model_that_notes_nothing_has_seen_nothing():
    assert len(SeenDocuments.from_arrays(SeenDocuments().to_arrays("seen"), "seen")) == 0
    arrays = SeenDocuments.of([document(1)]).to_arrays("seen")
    assert arrays["seen.hashes"].dtype == np.uint64
    assert SeenDocuments.from_arrays(arrays, "seen").holds([document(1)]).all()
