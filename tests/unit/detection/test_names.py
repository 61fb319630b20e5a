"""Every name at every place: written as on the list up to case, number, possessive, hyphens and diacritics."""

import numpy as np
import pytest

from deixis.detection.dictionary import DictionaryConfig
from deixis.detection.names import NameMatcher, is_findable
from deixis.detection.spans import Sign
from deixis.errors import DataError, StoreError
from deixis.store.strings import StringTable

LONG_LINE = "They had been looking for the same thing for years in "


def found(names: list[str], text: str, **config: int) -> list[str]:
    spans = NameMatcher.build(names, DictionaryConfig(**config)).spans([text], 1)
    return [text[start:end] for start, end in zip(spans.starts, spans.ends, strict=True)]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("Lung cancer", "lung cancer"),
        ("lung cancer", "LUNG CANCER"),
        ("Lung cancer", "Lung Cancer"),
        ("WHO", "who"),
        ("iPhone", "IPHONE"),
    ],
)
def test_case_does_not_matter(name: str, text: str) -> None:
    assert found([name], f"it is {text} again") == [text]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("tumour", "tumours"),
        ("Tumours", "tumour"),
        ("allergy", "allergies"),
        ("Allergies", "allergy"),
        ("abscess", "abscesses"),
        ("church", "churches"),
        ("box", "boxes"),
        ("heart attack", "heart attacks"),
        ("Heart attacks", "heart attack"),
        ("Diseases of the lung", "disease of the lungs"),
    ],
)
def test_singular_and_plural_are_one_name(name: str, text: str) -> None:
    assert found([name], f"of {text} we know") == [text]


@pytest.mark.parametrize("pair", [("gas", "ga"), ("basis", "basi"), ("virus", "viru"), ("glass", "glas")])
def test_an_s_that_is_no_ending_is_kept(pair: tuple[str, str]) -> None:
    name, other = pair
    assert found([name], f"a {other} here") == []


@pytest.mark.parametrize("apostrophe", ["'", "’"])
def test_a_possessive_is_no_part_of_a_name_unless_the_list_has_it_at_its_end(apostrophe: str) -> None:
    assert found(["Troy"], f"Troy{apostrophe}s walls") == ["Troy"]
    assert found(["McDonald's"], f"at McDonald{apostrophe}s today") == [f"McDonald{apostrophe}s"]
    assert found(["McDonald's"], "Old McDonald had a farm") == ["McDonald"]
    assert found(["Parkinson's disease"], f"Parkinson{apostrophe}s disease") == [f"Parkinson{apostrophe}s disease"]
    assert found(["Parkinson's disease"], "Parkinson disease") == ["Parkinson disease"]
    assert found(["Parkinson disease"], f"Parkinson{apostrophe}s diseases") == [f"Parkinson{apostrophe}s diseases"]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("beta-blocker", "beta blockers"),
        ("beta blocker", "beta-blocker"),
        ("Non-Hodgkin lymphoma", "non\u2011Hodgkin lymphoma"),
        ("Baden-Württemberg", "Baden–Württemberg"),
        ("AC/DC", "AC DC"),
        ("O'Neill", "O’Neill"),
    ],
)
def test_hyphens_slashes_and_apostrophes_between_words_do_not_matter(name: str, text: str) -> None:
    assert found([name], f"the {text} of it") == [text]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("Zürich", "Zurich"),
        ("Zurich", "Zürich"),
        ("Zürich", "Zu\u0308rich"),
        ("Łódź", "Lodz"),
        ("Lodz", "ŁÓDŹ"),
        ("İstanbul", "Istanbul"),
        ("Istanbul", "İstanbul"),
        ("Tromsø", "Tromso"),
        ("Straße", "STRASSE"),
        ("Strasse", "Straße"),
        ("Αθήνα", "ΑΘΗΝΑ"),
        ("Санкт-Петербург", "САНКТ-ПЕТЕРБУРГ"),
        ("Москва", "москва"),
        ("Peking", "Ｐｅｋｉｎｇ"),
    ],
)
def test_diacritics_and_forms_of_letters_do_not_matter(name: str, text: str) -> None:
    assert found([name], f"in {text} again") == [text]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("東京", "私は東京に住んでいる"),
        ("กรุงเทพ", "ไปกรุงเทพแล้ว"),
        ("القاهرة", "في القاهرة اليوم"),
        ("Москва", "в Москва-Сити"),
    ],
)
def test_names_in_scripts_without_spaces_begin_anywhere_and_others_at_words(name: str, text: str) -> None:
    assert found([name], text) == [name]


def test_names_begin_and_end_at_words_in_scripts_with_spaces() -> None:
    assert found(["art", "king"], "smart artist, king kingdom, art") == ["king", "art"]


@pytest.mark.parametrize("between", [", ", "; ", ": ", " (", ") ", ". ", "! ", "? ", "\n", "\n\n", "。", " – or, "])
def test_no_name_crosses_punctuation_or_the_end_of_a_line_that_it_has_not(between: str) -> None:
    assert found(["lung cancer"], f"his lung{between}cancer") == []
    assert found(["東京"], f"東{between.strip(' ')}京") == []


def test_a_line_that_was_broken_for_its_length_does_not_end_a_name() -> None:
    assert found(["New York"], f"{LONG_LINE}New\nYork and more") == ["New\nYork"]
    assert found(["New York"], f"{LONG_LINE}New\r\nYork and more") == ["New\r\nYork"]
    assert found(["New York"], f"{LONG_LINE}New\n\nYork and more") == []


def test_a_name_with_a_comma_is_found_with_its_comma_or_turned_round() -> None:
    assert found(["Smith, John"], "Smith, John and John Smith, Smith John") == ["Smith, John", "John Smith"]
    assert found(["Cancer, Breast"], "lung cancer; breast cancers") == ["breast cancers"]
    assert found(["Cancer, Breast"], "lung cancer; breast") == []


@pytest.mark.parametrize(
    ("name", "text"),
    [("tumor", "tumours"), ("Haemophilia", "hemophilia"), ("edema", "oedema"), ("sulfate", "sulphate")],
)
def test_british_and_american_spelling_are_one_name(name: str, text: str) -> None:
    assert found([name], f"of {text} we know") == [text]


def test_short_words_are_not_respelled() -> None:
    assert found(["shoe", "does", "hour"], "she had a toe for an hor") == []


@pytest.mark.parametrize("text", ["jaguarr", "jagaur", "jguar", "jaguer"])
def test_a_long_word_may_be_one_letter_away_from_a_name(text: str) -> None:
    matcher = NameMatcher.build(["jaguar"])
    spans = matcher.spans([f"a {text} here"])
    assert found(["jaguar"], f"a {text} here") == ([text] if len(text) > 5 else [])
    assert spans.has(Sign.MISSPELT).all()


def test_a_word_of_the_language_is_not_taken_for_a_misspelt_name() -> None:
    assert found(["Bridga"], "over the bridge") == []


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("St. Louis", "in St. Louis now", "St. Louis"),
        ("St. Louis", "in St Louis now", "St Louis"),
        ("St Louis", "in St. Louis now", "St. Louis"),
        ("U.S.", "the U.S. and", "U.S."),
        ("U.S.", "the U.S and", "U.S"),
        ("Ag(I)", "of Ag(I), too", "Ag(I)"),
    ],
)
def test_dots_of_short_words_and_a_closing_bracket_belong_to_the_name(name: str, text: str, expected: str) -> None:
    assert found([name], text) == [expected]


def test_the_end_of_a_sentence_is_no_dot_of_a_name() -> None:
    assert found(["Troy Paris"], "They left Troy. Paris stayed.") == []


def test_a_title_is_looked_for_without_the_bracket_that_tells_it_from_others() -> None:
    assert found(["Mercury (planet)"], "Mercury is hot; mercury (planet)") == ["Mercury", "mercury"]


def test_digits_and_single_characters_are_not_looked_for() -> None:
    assert found(["1984", "X", "水", "11 9", "X-1"], "1984 X 水 11 9 X-1") == ["X-1"]
    assert found(["水", "X"], "水 X", min_chars=1, min_chars_unspaced=1) == ["水", "X"]


def test_names_of_more_words_than_asked_are_left_out() -> None:
    long_name = " ".join(f"word{number}" for number in range(500))
    assert found(["heart attack risk", "Rome", long_name], f"heart attack risk, Rome {long_name}", max_tokens=2) == [
        "Rome"
    ]
    assert found([long_name], f"See {long_name}!", max_tokens=500) == [long_name]


def test_names_inside_names_are_found_too() -> None:
    names = ["New York", "New York City", "York", "City"]
    assert found(names, "in New York City") == ["New York", "New York City", "York", "City"]


def test_a_longer_name_that_breaks_off_leaves_the_shorter_one() -> None:
    assert found(["New York", "New York City Opera"], "New York City of Light") == ["New York"]


def test_runs_of_capitalized_words_are_spans_with_all_their_parts() -> None:
    text = "when Ann Lee Smith of Ohio left. She, Ann, Lee"
    spans = NameMatcher.build(["Troy"]).spans([text], max_run=3)
    assert [text[start:end] for start, end in zip(spans.starts, spans.ends, strict=True)] == [
        "Ann", "Ann Lee", "Ann Lee Smith", "Lee", "Lee Smith", "Smith", "Smith of Ohio", "Ohio", "She", "Ann", "Lee",
    ]  # fmt: skip
    assert (spans.names == -1).all()


def test_spans_are_code_points_of_the_text() -> None:
    text = "😀 ＰＡＲＩＳ, Zu\u0308rich 👩‍👩‍👧 Paris"
    spans = NameMatcher.build(["Paris", "Zürich"]).spans([text])
    assert list(spans.positions()) == [(0, 2, 7), (0, 9, 16), (0, 23, 28)]


def test_many_texts_give_the_same_on_one_thread_and_four() -> None:
    matcher = NameMatcher.build(["Paris", "New York"])
    texts = [f"{'x ' * number}Paris, New Yorks and PARIS" for number in range(100)] + ["", "Paris"]
    one, four = (matcher.spans(texts, n_threads, max_run=3) for n_threads in (1, 4))
    assert all((getattr(one, name) == getattr(four, name)).all() for name in one.__dataclass_fields__)
    assert one.texts[-1] == 101


def test_no_names_and_no_texts_find_nothing() -> None:
    assert found([], "any text") == []
    matcher = NameMatcher.build(["Troy"])
    assert len(matcher.spans([])) == 0 and len(matcher.spans(["", " \n", "…"], max_run=4)) == 0
    with pytest.raises(DataError, match="Put it into a list"):
        matcher.spans("Troy")


def test_names_that_are_compared_alike_share_their_number() -> None:
    matcher = NameMatcher.build(["Beta-blocker", "Zürich", "Zürich (canton)", "Smith, John"])
    names = ["beta blockers", "BETA BLOCKER", "Zurich", "Zürich (canton)", "Smith, John", "Smith John", "nothing"]
    blockers, capitals, zurich, canton, comma, other, nothing = matcher.numbers(
        StringTable.from_strings(names)
    ).tolist()
    assert blockers == capitals >= 0 and zurich == canton >= 0 and comma >= 0
    assert other == nothing == -1
    spans = matcher.spans(["a beta-blocker"])
    assert spans.names.tolist() == [blockers]


def test_names_know_how_many_longer_names_hold_them() -> None:
    names = StringTable.from_strings(["York", "New York", "New York City", "City"])
    matcher = NameMatcher.build(names)
    assert matcher.n_longer(names)[matcher.numbers(names)].tolist() == [2, 1, 0, 1]


def test_stored_names_find_the_same(tmp_path) -> None:
    matcher = NameMatcher.build(["New York", "New York City", "McDonald's", "Smith, John"])
    arrays = {}
    for name, array in matcher.to_arrays("d").items():
        np.save(tmp_path / f"{name}.npy", array)
        arrays[name] = np.load(tmp_path / f"{name}.npy", mmap_mode="r")
    loaded = NameMatcher.from_arrays(arrays, "d")
    texts = ["In New York City's McDonald's they saw Smith, John."]
    assert list(loaded.spans(texts).positions()) == list(matcher.spans(texts).positions())
    assert (loaded.spans(texts).signs == matcher.spans(texts).signs).all()


@pytest.mark.parametrize("name", ["tokens.offsets", "tokens.slots", "trie.child_ptr", "trie.labels", "writing"])
def test_damaged_arrays_are_refused_or_harmless(name: str) -> None:
    arrays = NameMatcher.build(["New York", "New York City", "Paris", "Smith, John"]).to_arrays("d")
    with pytest.raises(StoreError, match=r"d\."):
        NameMatcher.from_arrays(arrays | {f"d.{name}": arrays[f"d.{name}"][:0]}, "d")
    noise = np.random.default_rng(0).integers(0, 256, arrays[f"d.{name}"].nbytes, dtype=np.uint8)
    damaged = arrays | {f"d.{name}": noise.view(arrays[f"d.{name}"].dtype)}
    text = "New York City and Paris, Smith, John"
    for _, start, end in NameMatcher.from_arrays(damaged, "d").spans([text]).positions():
        assert 0 <= start < end <= len(text)


@pytest.mark.parametrize(
    "name",
    ["C++", "C#", "!!!", "", "R", "R (language)", "1984", "e\u0301", "水", "²³", "ab " * 13, "ab" + "東" * 12],
)
def test_a_name_that_is_not_findable_is_found_nowhere(name: str) -> None:
    assert not is_findable(name)
    assert found([name, "Troy"], f"{name} and Troy and {name.lower()}.") == ["Troy"]


@pytest.mark.parametrize(
    "name", ["Go", "U.S.", "東京", "Éa", "Apollo 11", "Mercury (planet)", "a b c d e f g h i j k l"]
)
def test_a_findable_name_is_found(name: str) -> None:
    assert is_findable(name)
    assert found([name], f"See {name}!") == [name.removesuffix(" (planet)")]


def test_what_is_findable_follows_the_settings() -> None:
    assert is_findable("R", DictionaryConfig(min_chars=1)) and not is_findable("Go", DictionaryConfig(min_chars=3))
    assert not is_findable("New York", DictionaryConfig(max_tokens=1))


def test_a_word_of_katakana_is_not_split() -> None:
    assert found(["ランス", "パリ", "東京"], "フランスのパリ、東京タワー") == ["パリ", "東京"]


def test_misspelt_names_are_the_same_with_and_without_the_filter_of_words() -> None:
    rng = np.random.default_rng(0)
    letters = np.array(list("abdeorst"))
    names = sorted({"".join(rng.choice(letters, size=rng.integers(5, 12))) for _ in range(400)})
    words = []
    for _ in range(600):
        word, at = list(rng.choice(names)), int(rng.integers(0, 5))
        kind = rng.integers(0, 5)
        if kind == 0:
            del word[at]
        elif kind == 1:
            word.insert(at, str(rng.choice(letters)))
        elif kind == 2:
            word[at] = str(rng.choice(letters))
        elif kind == 3:
            word[at : at + 2] = word[at : at + 2][::-1]
        else:
            word = list(rng.choice(letters, size=8))
        words.append("".join(word))
    matcher = NameMatcher.build(names)
    first, second = (matcher.spans(words, 1) for _ in range(2))  # the second has the filter from its first word on
    alone = [NameMatcher.build(names).spans([word], 1) for word in words[:120]]
    assert first.texts.tolist() == second.texts.tolist() and first.names.tolist() == second.names.tolist()
    assert second.has(Sign.MISSPELT).sum() > 150
    found_alone = [(number, name) for number, spans in enumerate(alone) for name in spans.names.tolist()]
    assert found_alone == [
        (text, name) for text, name in zip(second.texts.tolist(), second.names.tolist(), strict=True) if text < 120
    ]
