"""Which names teach an encoder across languages, what is measured, and which lists are refused."""

import numpy as np
import pytest

from deixis.candidates.config import SourcesConfig
from deixis.candidates.sources.name_vectors import NameVectorConfig
from deixis.encoders.config import EncoderConfig, ParallelConfig
from deixis.errors import DataError, UnknownNameError
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.linking.config import LinkerConfig
from deixis.ranking.default_weights import RankerConfig
from deixis.training.build import ACROSS_LANGUAGES, build_model
from deixis.training.name_encoder import ParallelNames, fit_name_encoder
from tests.professions import HELD_OUT, NAMES, records

SMALL = ParallelConfig(n_dims=64)


@pytest.fixture(scope="module")
def kb():
    return KnowledgeBase.from_records(records())


def test_the_target_is_the_language_with_the_most_names(kb):
    fitted = fit_name_encoder(kb, SMALL, held_out=0, n_threads=1)
    assert fitted.target == "en"
    assert fitted.counts == {"en": len(NAMES) + len(HELD_OUT), "de": len(NAMES)}
    assert fitted.n_parallel == len(NAMES)
    assert fitted.recalls == {}


def test_held_out_entities_are_found_by_names_in_the_other_language(kb):
    fitted = fit_name_encoder(kb, SMALL, held_out=0.2, n_threads=1)
    assert set(fitted.recalls) == {"de"}
    assert fitted.recalls["de"] > 0.9


def test_measuring_first_does_not_change_the_encoder(kb):
    measured, other = (fit_name_encoder(kb, SMALL, held_out=share, n_threads=1) for share in (0.2, 0))
    np.testing.assert_array_equal(measured.encoder.features_by_dims, other.encoder.features_by_dims)


def test_a_title_without_a_language_is_a_name_of_its_own():
    kb = KnowledgeBase.from_records([{"id": "1", "title": "vet", "aliases": [{"text": "Tierarzt", "lang": "de-AT"}]}])
    names = ParallelNames.collect(kb)
    assert names.counts() == {"de": 1, "": 1}
    assert names.parallel_rows().tolist() == [0]


def test_only_the_languages_that_are_named_teach():
    aliases = [{"text": "Tierarzt", "lang": "de"}, {"text": "veterinario", "lang": "it"}, {"text": "vet", "lang": "en"}]
    kb = KnowledgeBase.from_records([{"id": "1", "title": "vet", "aliases": aliases}])
    assert ParallelNames.collect(kb, ["de", "en"]).counts() == {"de": 1, "en": 1}


def test_a_language_that_the_list_has_not_is_an_error(kb):
    with pytest.raises(UnknownNameError, match="No language of names named 'fr'. Known: de, en."):
        fit_name_encoder(kb, languages=["fr", "en"])
    with pytest.raises(UnknownNameError, match="'fr'"):
        fit_name_encoder(kb, target="fr")


def test_a_list_in_one_language_is_refused():
    one = [record | {"aliases": record["aliases"][:1]} for record in records()]
    with pytest.raises(DataError, match="all in the language 'en'.*two or more"):
        fit_name_encoder(KnowledgeBase.from_records(one))


def test_a_list_without_languages_is_refused():
    with pytest.raises(DataError, match="have no language"):
        fit_name_encoder(KnowledgeBase.from_records([{"id": "1", "title": "vet", "aliases": ["Tierarzt"]}]))


def test_too_few_entities_in_two_languages_are_refused():
    few = records()[:5] + records()[-len(HELD_OUT) :]
    with pytest.raises(DataError, match=f"Only 5 of {5 + len(HELD_OUT)} entities.*at least 50.*en 12, de 5"):
        fit_name_encoder(KnowledgeBase.from_records(few))


def name_vectors_weight(kb, encoder, weights="default"):
    source = NameVectorConfig(encoder=EncoderConfig(name=str(encoder)))
    candidates = SourcesConfig().with_source("name_vectors", source)
    config = LinkerConfig(candidates=candidates, ranking=RankerConfig(weights=weights))
    return build_model(kb, config=config, n_threads=1).ranker.weights["name_vectors"]


def test_vectors_of_names_weigh_more_by_an_encoder_across_languages(kb, tmp_path):
    fit_name_encoder(kb, SMALL, held_out=0, n_threads=1).encoder.save(tmp_path / "across")
    assert name_vectors_weight(kb, "chars") < 1
    assert name_vectors_weight(kb, tmp_path / "across") == ACROSS_LANGUAGES
    assert name_vectors_weight(kb, tmp_path / "across", weights="tree") == 0
