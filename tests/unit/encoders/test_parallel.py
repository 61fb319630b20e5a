"""Encoders fitted to names in several languages: what they learn, and what is stored of them."""

import numpy as np
import pytest

from deixis.candidates.source import SourceInputs
from deixis.candidates.sources.name_vectors import NameVectorConfig, NameVectorSource
from deixis.encoders.config import EncoderConfig, ParallelConfig
from deixis.encoders.parallel import ParallelEncoder
from deixis.encoders.parallel_fit import fit_parallel, ridge
from deixis.errors import StoreError
from deixis.features.tfidf import TfidfVectorizer
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.neural.opening import open_folder
from deixis.store.model_folder import save_model
from deixis.store.strings import StringTable
from deixis.types import MentionInContext
from tests.professions import HELD_OUT, NAMES, english_records

SMALL = ParallelConfig(n_dims=64)


@pytest.fixture(scope="module")
def encoder():
    names = [name for pair in NAMES for name in pair]
    entities = np.repeat(np.arange(len(NAMES)), 2)
    return fit_parallel(StringTable.from_strings(names), entities, np.arange(len(names)) % 2 == 1, SMALL, n_threads=1)


def nearest(encoder, german, english):
    return english[int((encoder.encode(english) @ encoder.encode([german])[0]).argmax())]


def test_a_name_is_nearest_to_its_translation_although_no_pair_with_it_was_in_the_list(encoder):
    english = [each for _, each in NAMES] + [each for _, each in HELD_OUT]
    assert [nearest(encoder, german, english) for german, _ in HELD_OUT] == [each for _, each in HELD_OUT]


def test_ridge_solves_the_normal_equations():
    rows = TfidfVectorizer().fit(["a b", "b c", "c d", "d a", "b"]).transform(["a b", "b c", "c d", "d a", "b"])
    targets = np.random.default_rng(0).standard_normal((5, 3)).astype(np.float32)
    dense = rows.toarray().astype(np.float64)
    exact = np.linalg.solve(dense.T @ dense + 2 * np.eye(dense.shape[1]), dense.T @ targets)
    solved = ridge(rows, rows.T.tocsr(), targets, alpha=2.0)
    assert np.linalg.norm(solved - exact) < 0.06 * np.linalg.norm(exact)


def test_a_dimension_has_the_same_solution_whatever_is_solved_beside_it():
    rows = TfidfVectorizer().fit(["a b", "b c", "c d", "a", "b"]).transform(["a b", "b c", "c d", "a", "b"])
    targets = np.random.default_rng(0).standard_normal((5, 8)).astype(np.float32)
    targets[:, 3] = 0
    together = ridge(rows, rows.T.tocsr(), targets, alpha=1.0)
    alone = np.hstack([ridge(rows, rows.T.tocsr(), targets[:, [dim]], alpha=1.0) for dim in range(8)])
    np.testing.assert_allclose(together, alone, atol=1e-6)
    assert not together[:, 3].any()


def test_two_fits_give_the_same_bytes(encoder):
    names = [name for pair in NAMES for name in pair]
    is_english = np.arange(len(names)) % 2 == 1
    again = fit_parallel(
        StringTable.from_strings(names), np.repeat(np.arange(len(NAMES)), 2), is_english, SMALL, n_threads=2
    )
    assert again.features_by_dims.tobytes() == encoder.features_by_dims.tobytes()


def test_a_text_has_the_same_vector_alone_and_among_others(encoder):
    texts = [german for german, _ in NAMES]
    np.testing.assert_array_equal(encoder.encode(texts)[5], encoder.encode(texts[5:6])[0])
    assert encoder.encode([]).shape == (0, 64)
    assert not encoder.encode(["", "?"]).any()


def test_a_folder_holds_the_whole_encoder(encoder, tmp_path):
    encoder.save(tmp_path / "across")
    opened = open_folder(tmp_path / "across")
    np.testing.assert_array_equal(opened.encode(["Zahnarzt"]), encoder.encode(["Zahnarzt"]))


def test_a_folder_of_another_model_is_refused(tmp_path):
    save_model(tmp_path / "model", "linker", {}, {"x": np.zeros(1)})
    with pytest.raises(StoreError, match="kind 'linker'"):
        open_folder(tmp_path / "model")


def test_a_map_of_the_wrong_length_is_damage(encoder):
    arrays = encoder.to_arrays("encoder")
    with pytest.raises(StoreError, match="encoder.map"):
        ParallelEncoder.from_arrays(arrays | {"encoder.map": encoder.features_by_dims[:-1].copy()}, "encoder")


def test_names_are_found_across_languages_when_the_folder_of_the_encoder_is_gone(encoder, tmp_path):
    folder = tmp_path / "across"
    encoder.save(folder)
    inputs = SourceInputs(KnowledgeBase.from_records(english_records()), n_threads=1)
    config = NameVectorConfig(encoder=EncoderConfig(name=str(folder)))
    arrays = NameVectorSource.build(inputs, config).to_arrays("names")
    folder.rename(tmp_path / "gone")
    source = NameVectorSource.from_arrays(arrays, "names", inputs, config)
    german, english = HELD_OUT[0]
    candidates = source.generate([MentionInContext(german, german, 0, len(german))], k=1)
    assert candidates[0][0].id == english
