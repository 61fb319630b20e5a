import numpy as np
import pytest

from deixis.candidates.source import SourceInputs
from deixis.candidates.sources.alias import AliasConfig, AliasSource
from deixis.candidates.weighted_names import name_weights
from deixis.errors import ConfigError
from deixis.features.name_forms import NameFormsConfig
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.nearest.alias_table import KeyEntries, KeyTable
from deixis.store.strings import StringTable
from deixis.types import Document, Mention, MentionInContext
from tests.timing import cpu_seconds


def mention(text, lang=None):
    return MentionInContext(text, text, 0, len(text), lang)


def seen(text, entity, times=1, lang=None):
    return [Document("d", text, lang, (Mention(0, len(text), text, entity),))] * times


def ids(source, text, lang=None, k=10, **options):
    return [candidate.id for candidate in source.generate([mention(text, lang)], k, **options)[0]]


def priors(source, text, lang=None):
    found = source.generate([mention(text, lang)], 100)[0]
    return {candidate.id: pytest.approx(candidate.score, abs=1e-6) for candidate in found}


CITIES = KnowledgeBase.from_records([
    {"id": "fr", "title": "Paris", "aliases": [{"text": "Parigi", "lang": "it"}], "count": 8},
    {"id": "tx", "title": "Paris", "count": 2},
    {"id": "un", "title": "United Nations", "aliases": [{"text": "Un", "lang": "fr"}]},
    {"id": "one", "title": "one", "aliases": [{"text": "un", "lang": "fr"}, {"text": "Parigi", "lang": "sc"}]},
])  # fmt: skip


def test_a_name_means_what_it_was_counted_to_mean():
    kb = KnowledgeBase.from_records([{"id": "a", "title": "X", "count": 5}, {"id": "b", "title": "X", "count": 0}])
    plain = AliasConfig(title_weight=1.0, close_share=0.0)
    assert priors(AliasSource.build(SourceInputs(kb), plain), "X") == {"a": 6 / 7, "b": 1 / 7}
    taught = AliasSource.build(
        SourceInputs(kb, seen("x", "b", 3)), AliasConfig(title_weight=1.0, close_share=0.0, kb_strength=1.0)
    )
    # Three mentions raise what the entity counts in all, and its share under this name.
    assert priors(taught, "X") == {"a": (6 / 10) / 4, "b": (3 + 4 / 10) / 4}


def test_annotated_mentions_outweigh_the_knowledge_base_and_bring_new_names():
    assert ids(AliasSource.build(SourceInputs(CITIES)), "Paris") == ["fr", "tx"]
    taught = AliasSource.build(
        SourceInputs(CITIES, [*seen("Paris", "tx"), *seen("Big P", "tx", 2), *seen("Big P", "fr")])
    )
    assert ids(taught, "Paris") == ["tx", "fr"]
    assert ids(taught, "BIG P") == ["tx", "fr"] and ids(taught, "Small P") == []


def test_what_a_count_has_left_is_spread_over_names_without_one():
    aliases = ["x", "y", {"text": "z", "count": 40}]
    kb = KnowledgeBase.from_records(
        [{"id": "a", "title": "t", "aliases": aliases, "count": 80}, {"id": "b", "title": "u"}]
    )
    titles, others = name_weights(kb, kb.counts, title_weight=2.0)
    assert titles.tolist() == [22, 2] and others.tolist() == [11, 11, 40]


def test_names_in_the_mentions_own_case_come_first():
    source = AliasSource.build(SourceInputs(CITIES))
    assert ids(source, "un")[0] == "one" and ids(source, "Un")[0] == "un"
    assert set(ids(source, "uN")) == {"un", "one"}


def test_an_exact_name_outranks_one_that_only_shares_its_lemma():
    kb = KnowledgeBase.from_records([{"id": "many", "title": "Häuser", "count": 9}, {"id": "one", "title": "Haus"}])
    config = AliasConfig(forms=NameFormsConfig(lemmatizes=True, lang="de"))
    assert ids(AliasSource.build(SourceInputs(kb), config), "haus") == ["one", "many"]
    assert ids(AliasSource.build(SourceInputs(kb), config), "Hauses") == ["many", "one"]


def test_acronyms_are_found_by_mentions_in_capitals_alone():
    assert ids(AliasSource.build(SourceInputs(CITIES)), "U.N.")[0] == "un"
    kb = KnowledgeBase.from_records([{"id": "un", "title": "United Nations"}])
    source = AliasSource.build(SourceInputs(kb))
    assert ids(source, "UN") == ids(source, "U. N.") == ["un"] and ids(source, "un") == []
    assert ids(AliasSource.build(SourceInputs(kb), AliasConfig(acronym_weight=0.0)), "UN") == []


def test_one_language_knows_its_own_names_and_those_of_none():
    every, own = (AliasSource.build(SourceInputs(CITIES), AliasConfig(all_languages=flag)) for flag in (True, False))
    assert set(ids(every, "Parigi", "it")) == {"fr", "one"}
    assert ids(own, "Parigi", "it") == ids(own, "Parigi", "it-CH") == ["fr"]
    assert ids(own, "Parigi", "sc") == ["one"] and ids(own, "Parigi", "de") == []
    assert set(ids(own, "Paris", "de")) == {"fr", "tx"}  # titles have no language
    assert set(ids(own, "Parigi")) == {"fr", "one"}  # nor has this mention
    assert priors(own, "Parigi", "it") == {"fr": 1.0}


def test_mentions_learned_in_one_language_stay_there_if_asked():
    taught = AliasSource.build(SourceInputs(CITIES, seen("Pariisi", "fr", lang="fi")), AliasConfig(all_languages=False))
    assert ids(taught, "PARIISI", "fi") == ["fr"] and ids(taught, "Pariisi", "et") == []


def test_turkish_capitals_meet_names_without_a_language():
    kb = KnowledgeBase.from_records([{"id": "i", "title": "İzmir"}, {"id": "d", "title": "Diyarbakır"}])
    source = AliasSource.build(SourceInputs(kb))
    for lang in ("tr", None):
        assert ids(source, "IZMIR", lang) == ids(source, "izmir", lang) == ids(source, "İZMİR", lang) == ["i"]
        assert ids(source, "DİYARBAKIR", lang) == ["d"]


def test_at_most_so_many_entities_are_kept_for_an_alias():
    kb = KnowledgeBase.from_records([{"id": str(n), "title": "Springfield", "count": n} for n in range(30)])
    source = AliasSource.build(SourceInputs(kb), AliasConfig(max_entities=3))
    assert ids(source, "springfield", k=30) == ["29", "28", "27"]


def test_settings_out_of_range_are_refused():
    for wrong in (
        {"max_entities": -1},
        {"title_weight": 0},
        {"kb_strength": 0},
        {"close_share": 2},
        {"acronym_weight": -1},
    ):
        with pytest.raises(ConfigError, match=next(iter(wrong))):
            AliasConfig(**wrong)


def test_a_table_is_opened_without_reading_it(tmp_path):
    n = 200_000
    names = StringTable.from_strings(f"name {i}" for i in range(n))
    kb = KnowledgeBase.from_records([{"id": "x", "title": "X"}])
    entries = [np.zeros(n, dtype) for dtype in ("i4", "i2", "u4", "f4", "f4")]
    table = KeyTable.build(names, KeyEntries(np.arange(n), *entries), n_rows=1)
    arrays = AliasSource(kb, table, (), AliasConfig()).to_arrays("t")
    for name, array in arrays.items():
        np.save(tmp_path / f"{name}.npy", array)

    def opened():
        mapped = {name: np.load(tmp_path / f"{name}.npy", mmap_mode="r") for name in arrays}
        return AliasSource.from_arrays(mapped, "t", SourceInputs(kb), AliasConfig())

    assert cpu_seconds(opened, enough=0.05) < 0.05
    assert ids(opened(), "name 77") == ["x"]
