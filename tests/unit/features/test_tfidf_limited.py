import numpy as np

from deixis.features.tfidf import TfidfConfig, TfidfVectorizer

TEXTS = ["new york city", "old york town", "new shoes of york", "the city of light", "town and city"] * 4
TEXTS += ["york"] * 30
CHOSEN = TfidfConfig(ngrams_max=2, max_df=0.8)


def test_the_columns_in_most_texts_are_kept_in_their_order():
    whole = TfidfVectorizer(CHOSEN).fit(TEXTS)
    limited = whole.limited(7)
    chosen = np.sort(np.argsort(whole.idf, kind="stable")[:7])
    assert limited.n_features == 7
    assert limited.feature_names() == [whole.feature_names()[column] for column in chosen]


def test_rows_are_those_of_the_kept_columns_scaled_to_length_one():
    whole = TfidfVectorizer(CHOSEN).fit(TEXTS)
    columns = np.sort(np.argsort(whole.idf, kind="stable")[:7])
    expected = whole.transform(TEXTS).toarray()[:, columns].astype(np.float64)
    lengths = np.linalg.norm(expected, axis=1, keepdims=True)
    expected = np.divide(expected, lengths, out=np.zeros_like(expected), where=lengths > 0)
    assert np.allclose(whole.limited(7).transform(TEXTS).toarray(), expected, atol=1e-6)


def test_words_too_frequent_stay_dropped():
    whole = TfidfVectorizer(TfidfConfig(ngrams_max=1, max_df=0.5)).fit(TEXTS)
    assert "york" not in whole.feature_names() and "york" not in whole.limited(3).feature_names()


def test_characters_all_stay():
    whole = TfidfVectorizer(TfidfConfig(ngrams_max=1, char_ngrams_min=3, char_ngrams_max=3)).fit(TEXTS)
    n_words = len(TfidfVectorizer(TfidfConfig(ngrams_max=1)).fit(TEXTS).feature_names())
    limited = whole.limited(2)
    assert limited.n_features == 2 + whole.n_features - n_words
    assert limited.feature_names()[2:] == whole.feature_names()[n_words:]


def test_fewer_columns_than_allowed_are_all_kept():
    whole = TfidfVectorizer(CHOSEN).fit(TEXTS)
    assert whole.limited(whole.n_features) is whole


def test_what_is_stored_gives_the_same_rows():
    limited = TfidfVectorizer(CHOSEN).fit(TEXTS).limited(7)
    again = TfidfVectorizer.from_arrays(limited.to_arrays("x"), "x", CHOSEN)
    assert (again.transform(TEXTS) != limited.transform(TEXTS)).nnz == 0
