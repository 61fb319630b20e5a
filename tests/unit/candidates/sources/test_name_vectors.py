import numpy as np
import pytest

from deixis.candidates.source import SourceInputs
from deixis.candidates.sources.name_vectors import NameVectorConfig, NameVectorSource
from deixis.config import config_from_dict, config_to_dict
from deixis.encoders.config import EncoderConfig
from deixis.encoders.registry import register_encoder
from deixis.errors import ConfigError, StoreError, UnknownNameError
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.types import Document, Mention, MentionInContext

KB = KnowledgeBase.from_records(
    [
        {"id": "paris", "title": "Paris", "aliases": ["City of Light", {"text": "Parigi", "lang": "it"}]},
        {
            "id": "pisa",
            "title": "Pisa",
            "aliases": [{"text": "Pise", "lang": "fr"}, {"text": "Parigipisa", "lang": "de"}],
        },
        {"id": "gp", "title": "physician", "aliases": ["medical doctor"]},
        {"id": "fruit", "title": "banana"},
    ]
)
MEANING = {"physician": [1, 0, 0], "medical doctor": [1, 0.1, 0], "doctor": [1, 0.2, 0], "banana": [0, 1, 0]}


def mention(text: str, lang: str | None = None) -> MentionInContext:
    return MentionInContext(text, text, 0, len(text), lang)


def ids(source: NameVectorSource, text: str, lang: str | None = None, k: int = 9) -> list[str]:
    return [candidate.id for candidate in source.generate([mention(text, lang)], k)[0]]


def by_meaning(texts: list[str]) -> np.ndarray:
    return np.array([MEANING.get(text, [0, 0, 1]) for text in texts], dtype=np.float64)


def test_every_alias_has_a_vector_and_the_best_one_counts():
    source = NameVectorSource.build(SourceInputs(KB))
    assert len(source.index.groups) == 9
    assert ids(source, "city of lights")[0] == "paris" and ids(source, "Medical Doctors")[0] == "gp"


def test_the_label_baseline_has_one_vector_per_entity():
    source = NameVectorSource.build(SourceInputs(KB), NameVectorConfig(titles_only=True))
    assert len(source.index.groups) == len(KB)
    assert "gp" not in ids(source, "medical doctor", k=1)


def test_annotated_mentions_are_names_too():
    text = "The Frog Capital"
    documents = [Document("d", text, mentions=(Mention(0, len(text), text, entity="paris"),))]
    assert ids(NameVectorSource.build(SourceInputs(KB, documents)), "frog capital", k=1) == ["paris"]
    assert len(
        NameVectorSource.build(SourceInputs(KB, documents), NameVectorConfig(titles_only=True)).index.groups
    ) == len(KB)


def test_in_one_language_only_its_own_names_and_those_of_none_count():
    everyone = NameVectorSource.build(SourceInputs(KB))
    own = NameVectorSource.build(SourceInputs(KB), NameVectorConfig(all_languages=False))
    scores = {c.id: c.score for c in own.generate([mention("Parigi", "de-AT")], k=9)[0]}
    assert scores["pisa"] > scores.get("paris", 0.0)  # the Italian name of Paris does not count in German
    for lang in ("it", None):
        assert ids(own, "Parigi", lang, k=1) == ["paris"] == ids(everyone, "Parigi", "de", k=1)
    batch = [mention("Parigi", lang) for lang in ("it", "de", None, "it", "xx")]
    assert own.generate(batch, k=3) == [own.generate([one], k=3)[0] for one in batch]
    again = NameVectorSource.from_arrays(own.to_arrays("x"), "x", SourceInputs(KB), own.config)
    assert again.generate(batch, k=3) == own.generate(batch, k=3)


def test_a_users_encoder_finds_what_letters_do_not():
    register_encoder("meaning", by_meaning)
    config = NameVectorConfig(encoder=EncoderConfig(name="meaning"))
    source = NameVectorSource.build(SourceInputs(KB), config)
    assert ids(source, "doctor")[0] == "gp"
    again = NameVectorSource.from_arrays(source.to_arrays("x"), "x", SourceInputs(KB), config)
    assert again.generate([mention("doctor")], k=4) == source.generate([mention("doctor")], k=4)


def test_walking_the_graph_gives_the_same_scores():
    records = [{"id": f"p{n}", "title": f"Person {n * 7919} of {n % 50}"} for n in range(3000)]
    kb = KnowledgeBase.from_records(records)
    exact, graph = (
        NameVectorSource.build(SourceInputs(kb), NameVectorConfig(index=kind)) for kind in ("exact", "graph")
    )
    asked = [mention(f"Person {n * 7919}") for n in range(0, 3000, 100)]
    found, expected = graph.generate(asked, k=5), exact.generate(asked, k=5)
    assert np.mean([a[0] == b[0] for a, b in zip(found, expected, strict=True)]) >= 0.9
    allowed = np.arange(3000) % 2 == 1
    assert graph.generate(asked, k=5, mask=allowed) == exact.generate(asked, k=5, mask=allowed)


def test_settings_survive_being_written_down():
    config = NameVectorConfig(encoder=EncoderConfig(n_dims=64), index="graph", titles_only=True)
    assert config_from_dict(NameVectorConfig, config_to_dict(config)) == config


def test_what_cannot_be_is_refused():
    with pytest.raises(ConfigError, match="must be one of 'exact', 'graph'"):
        NameVectorConfig(index="tree")
    with pytest.raises(UnknownNameError, match="text encoder"):
        NameVectorSource.build(SourceInputs(KB), NameVectorConfig(encoder=EncoderConfig(name="elmo")))
    with pytest.raises(ConfigError, match="no entities"):
        NameVectorSource.build(SourceInputs(KnowledgeBase.from_records([])))
    source = NameVectorSource.build(SourceInputs(KB))
    with pytest.raises(StoreError):
        more = KnowledgeBase.from_records([*KB.entities(), {"id": "new", "title": "New"}])
        NameVectorSource.from_arrays(source.to_arrays("x"), "x", SourceInputs(more), source.config)
