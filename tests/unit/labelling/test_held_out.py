"""How good a labeller is on documents that it has not learned from."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse

from deixis.kb.knowledge_base import KnowledgeBase
from deixis.labelling import labeller
from deixis.labelling.config import LabellerConfig
from deixis.labelling.corpus.documents import LabelledTexts
from deixis.labelling.held_out import build_and_measure
from deixis.labelling.label_filter import named_fraction
from deixis.neural.one_vs_all.config import BagConfig, OneVsAllConfig
from deixis.store.strings import StringTable
from deixis.xmr.label_augmentation import AugmentationConfig
from tests.library import books, library_vocabulary


def test_some_documents_are_held_out_and_measured_on():
    built, (quality,) = build_and_measure(books(1200), library_vocabulary(), LabellerConfig(), n_threads=1)
    assert (quality.engine, quality.n_documents) == ("tree", 60)
    assert 0.3 < quality.first <= 1 and list(quality.precisions) == ["precision@1", "precision@3", "precision@5"]
    assert built.frequencies.n_documents == 1140


@pytest.mark.parametrize(("n_documents", "share"), [(900, 0.05), (1200, 0.0)])
def test_few_documents_are_all_learned_from(n_documents, share):
    config = LabellerConfig(held_out_share=share)
    built, qualities = build_and_measure(books(n_documents), library_vocabulary(), config, n_threads=1)
    assert qualities == [] and built.frequencies.n_documents == n_documents


def test_another_engine_is_compared_with_the_tree():
    pytest.importorskip("torch")
    bag = OneVsAllConfig(bag=BagConfig(n_dims=8), n_epochs=1)
    config = replace(LabellerConfig(), engine="one-vs-all", one_vs_all=bag)
    _, qualities = build_and_measure(books(1200), library_vocabulary(), config, n_threads=1)
    assert [quality.engine for quality in qualities] == ["one-vs-all", "tree"]
    assert "P@1" in str(qualities[1])


def test_whether_texts_are_names_of_labels_is_found_out_once(monkeypatch):
    pytest.importorskip("torch")
    counted = []
    monkeypatch.setattr(labeller, "named_fraction", lambda *given: counted.append(1) or named_fraction(*given))
    bag = OneVsAllConfig(bag=BagConfig(n_dims=8), n_epochs=1)
    config = replace(LabellerConfig(), engine="one-vs-all", one_vs_all=bag)
    _, qualities = build_and_measure(books(1200), library_vocabulary(), config, n_threads=1)
    assert config.augmentation.kind == "auto" and len(qualities) == 2
    assert len(counted) == 1


def test_labels_that_texts_are_called_as_are_left_out_where_texts_turn_out_to_be_names_of_labels():
    names = [f"page{number} word{number % 7}" for number in range(600)]
    pages = KnowledgeBase.from_records([{"id": f"p{number}", "title": name} for number, name in enumerate(names)])
    numbers = np.arange(1200) % 600  # each page goes with the next one
    goes_with = sparse.csr_matrix((np.ones(1200), (np.arange(1200), (numbers + 1) % 600)), shape=(1200, 600))
    texts = StringTable.from_strings(names[number] for number in numbers.tolist())
    ids = StringTable.from_strings(f"d{number}" for number in range(1200))
    documents = LabelledTexts(ids, texts, goes_with)
    _, (found_out,) = build_and_measure(documents, pages, LabellerConfig(), n_threads=1)
    chosen = LabellerConfig(augmentation=AugmentationConfig("soft"))
    _, (plain,) = build_and_measure(documents, pages, chosen, n_threads=1)
    assert found_out.leaves_out_own and not plain.leaves_out_own
    assert found_out.first == 1 and found_out.precisions["precision@3"] == pytest.approx(1 / 3)
    assert plain.first < 0.6  # the same model, whose best label of many pages is the page itself
