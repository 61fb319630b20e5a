import numpy as np
import pytest
from scipy import sparse

from deixis.errors import StoreError
from deixis.features.entity_words import STOP_WORD_WEIGHT, EntityWords, shares_of
from deixis.features.word_rows import Pairs
from deixis.store.strings import StringTable

TITLES = ["Paris", "Paris, Texas", "Troy", "!!!"]
ALIASES = {"City of Light": 0, "Ilion": 2, "Wilusa": 2}
TEXTS = ["capital of France on the Seine", "town in Texas", "", "band from Sacramento, from Sacramento"]
EVERY = Pairs(np.array([0, 4]), np.arange(4))


def build(titles=TITLES, aliases=ALIASES, texts=TEXTS, more_words=()):
    names = StringTable.from_strings([*titles, *aliases])
    rows = np.array([*range(len(titles)), *aliases.values()])
    return EntityWords.build(names, rows, StringTable.from_strings(texts), more_words, n_threads=1)


WORDS = build()


def sets(rows):
    names = WORDS.vectorizer.feature_names()
    return [{names[column] for column in rows.indices[a:b]} for a, b in zip(rows.indptr, rows.indptr[1:], strict=False)]


def test_the_words_of_each_entity_are_kept_once():
    assert sets(WORDS.texts.columns(1)) == [{"paris"}, {"paris", "texas"}, {"troy"}, set()]
    assert sets(WORDS.names.columns())[0] == {"paris", "city", "of", "light"}
    assert sets(WORDS.names.columns())[2] == {"troy", "ilion", "wilusa"}
    assert sets(WORDS.texts.columns(0))[2:] == [set(), {"band", "from", "sacramento"}]


def test_a_word_of_a_query_counts_once_with_its_idf_and_stop_words_a_tenth():
    once, thrice = WORDS.queries(["Texas", "Texas texas TEXAS"])
    assert once.data.tolist() == thrice.data.tolist()
    idf = dict(zip(WORDS.vectorizer.feature_names(), WORDS.vectorizer.idf.tolist(), strict=True))
    assert idf["of"] == pytest.approx(STOP_WORD_WEIGHT * np.log(12 / 3) + STOP_WORD_WEIGHT, rel=1e-5)
    assert WORDS.queries(["nothing known"]).nnz == 0


def test_shares_are_of_the_weight_of_the_querys_known_words():
    idf = dict(zip(WORDS.vectorizer.feature_names(), WORDS.vectorizer.idf.tolist(), strict=True))
    query = WORDS.queries(["Paris Ilion unheard"])
    named = WORDS.share_named(query, EVERY)
    paris = idf["paris"] / (idf["paris"] + idf["ilion"])
    assert named.tolist() == pytest.approx([paris, paris, 1 - paris, 0])
    assert WORDS.share_described(WORDS.queries(["in Texas"]), EVERY).tolist() == pytest.approx([0, 1, 0, 0])


def test_the_share_of_a_title_is_of_its_own_words():
    assert WORDS.title_share(WORDS.queries(["a day in Texas"]), EVERY)[[0, 2, 3]].tolist() == [0, 0, 0]
    assert WORDS.title_share(WORDS.queries(["a day in Texas"]), EVERY)[1] == pytest.approx(0.5)
    assert WORDS.title_share(WORDS.queries(["Texas, not Paris"]), EVERY).tolist() == pytest.approx([1, 1, 0, 0])


def test_similarity_is_the_cosine_of_idf_vectors_and_short_descriptions_gain_nothing():
    words = build(["a", "b", "c"], {}, ["red green blue", "red green blue yellow", "red"])
    query = words.queries(["red green"])
    idf = dict(zip(words.vectorizer.feature_names(), words.vectorizer.idf.astype(np.float64).tolist(), strict=True))
    length = [np.sqrt(sum(idf[word] ** 2 for word in text.split())) for text in
              ("red green blue", "red green blue yellow", "red")]  # fmt: skip
    typical = np.percentile(length, 80)
    both, red = idf["red"] ** 2 + idf["green"] ** 2, idf["red"] ** 2
    expected = [both, both, red] / np.sqrt(both) / np.maximum(length, typical)
    found = words.similarity(query, Pairs(np.array([0, 3]), np.arange(3)))
    np.testing.assert_allclose(found, expected, rtol=1e-5)
    assert found.max() <= 1


def test_words_of_labels_count_as_words_of_the_description():
    labels = StringTable.from_strings(["city", "rock band"])
    entities_by_labels = sparse.csr_matrix(np.array([[1, 0], [1, 0], [0, 0], [0, 1]], dtype=np.float32))
    words = build(texts=["", "town", "", "city of the band"], more_words=[(entities_by_labels, labels)])
    described = words.share_described(words.queries(["city"]), EVERY)
    assert described.tolist() == pytest.approx([1, 1, 0, 1])
    band = words.share_described(words.queries(["band"]), EVERY)
    assert band.tolist() == pytest.approx([0, 0, 0, 1])


def test_a_batch_is_its_singles_on_one_thread_and_many():
    texts = ["Paris Texas", "", "the Seine in France", "Troy Ilion", "zzz"] * 20
    pairs = Pairs(np.arange(0, 401, 4), np.tile(np.arange(4), 100))
    for ask in ("similarity", "share_named", "share_described", "title_share", "overlap"):
        one, many = (getattr(WORDS, ask)(WORDS.queries(texts, n), pairs, n) for n in (1, 3))
        assert one.tobytes() == many.tobytes()
        singles = [getattr(WORDS, ask)(WORDS.queries([text]), EVERY) for text in texts]
        assert np.concatenate(singles).tobytes() == one.tobytes()


@pytest.mark.parametrize("texts", [["", "", "", ""], ["!!!", "", "…", " "]])
def test_without_any_description_nothing_is_like_anything(texts):
    words = build(texts=texts)
    query = words.queries(["Paris", "", "!!!"])
    pairs = Pairs(np.array([0, 4, 8, 12]), np.tile(np.arange(4), 3))
    for ask in (words.similarity, words.share_described):
        assert ask(query, pairs).tolist() == [0] * 12
    assert np.isfinite(words.scales).all()


def test_one_entity_without_a_word_is_enough():
    words = build(["!!!"], {}, [""])
    query = words.queries(["!!!", "x"])
    assert words.vectorizer.n_features == 0
    assert words.similarity(query, Pairs(np.array([0, 1, 2]), np.zeros(2, int))).tolist() == [0, 0]


def test_shares_of_nothing_are_nothing():
    assert not len(shares_of(sparse.csr_matrix((2, 3), dtype=np.float32)).data)


def test_what_is_stored_says_the_same_and_is_stored_again_the_same():
    arrays = WORDS.to_arrays("w")
    again = EntityWords.from_arrays(arrays, "w", n_entities=4)
    assert {n: a.tobytes() for n, a in again.to_arrays("w").items()} == {n: a.tobytes() for n, a in arrays.items()}
    for ask in ("similarity", "share_named", "share_described", "title_share"):
        query = WORDS.queries(["Paris Texas, capital of the Seine"])
        assert np.array_equal(getattr(again, ask)(query, EVERY), getattr(WORDS, ask)(query, EVERY))


def test_words_out_of_range_fit_no_query_and_read_nothing_beyond():
    """A damaged model may have any number for a word: the core compares words and never looks them up."""
    for wrong in (0xFFFF, 0xF000, 10_000):
        arrays = WORDS.to_arrays("w")
        for name in ("texts", "names"):
            arrays[f"w.{name}.words"] = np.full_like(arrays[f"w.{name}.words"], wrong)
        damaged = EntityWords.from_arrays(arrays, "w", n_entities=4)
        query = damaged.queries(["Paris Texas, capital of the Seine"])
        for ask in (damaged.similarity, damaged.share_named, damaged.share_described, damaged.title_share):
            assert ask(query, EVERY).tolist() == [0, 0, 0, 0]


@pytest.mark.parametrize("name", ["texts", "names"])
def test_bounds_that_do_not_fit_are_refused(name):
    arrays = WORDS.to_arrays("w")
    starts = arrays[f"w.{name}.starts"]
    for wrong in (
        starts + 1, starts[:-1], starts[::-1].copy(), np.append(starts, starts[-1]), starts.astype(np.int32),
        np.append(starts, starts[-1:].repeat(4)), starts[:0],
    ):  # fmt: skip
        with pytest.raises(StoreError):
            EntityWords.from_arrays(arrays | {f"w.{name}.starts": wrong}, "w", n_entities=4)
    with pytest.raises(StoreError):
        EntityWords.from_arrays(arrays | {f"w.{name}.words": arrays[f"w.{name}.words"][:-1]}, "w", n_entities=4)


@pytest.mark.parametrize("kind", [0, 1])
@pytest.mark.parametrize("value", [np.nan, np.inf, -1.0, 1e30])
def test_scales_that_are_no_scales_are_refused(kind, value):
    arrays = WORDS.to_arrays("w")
    scales = arrays["w.scales"].copy()
    scales[2, kind] = value
    with pytest.raises(StoreError, match="scales"):
        EntityWords.from_arrays(arrays | {"w.scales": scales}, "w", n_entities=4)
    with pytest.raises(StoreError, match="scales"):
        EntityWords.from_arrays(arrays | {"w.scales": scales[:-1]}, "w", n_entities=4)


def arrays_of_format_3(words):
    """As they were stored: four bytes a word, titles and scales in arrays of their own."""
    arrays = {name: each for name, each in words.to_arrays("w").items() if name.startswith("w.vectorizer.")}
    rows = {"descriptions": words.texts.columns(0), "titles": words.texts.columns(1), "names": words.names.columns()}
    for name, each in rows.items():
        arrays |= {f"w.{name}.indptr": each.indptr, f"w.{name}.indices": each.indices}
    scales = words.scales.T.copy()
    return arrays | {"w.description_scales": scales[0], "w.title_scales": scales[1]}


def test_words_of_format_3_are_read_and_stored_as_those_of_today():
    again = EntityWords.from_arrays(arrays_of_format_3(WORDS), "w", n_entities=4).to_arrays("w")
    assert {n: a.tobytes() for n, a in again.items()} == {n: a.tobytes() for n, a in WORDS.to_arrays("w").items()}


@pytest.mark.parametrize("name", ["descriptions.indptr", "titles.indices", "names.indptr", "title_scales"])
def test_damaged_words_of_format_3_are_refused(name):
    arrays = arrays_of_format_3(WORDS)
    wrongs = [arrays[f"w.{name}"][:-1], arrays[f"w.{name}"] - 9, arrays[f"w.{name}"].astype(np.float64)]
    for wrong in wrongs:
        with pytest.raises(StoreError):
            EntityWords.from_arrays(arrays | {f"w.{name}": wrong}, "w", n_entities=4)
    del arrays[f"w.{name}"]
    with pytest.raises(StoreError):
        EntityWords.from_arrays(arrays, "w", n_entities=4)
