import pytest

from deixis.errors import DataError
from deixis.features.name_forms import NameForms, NameFormsConfig
from deixis.store.strings import StringTable
from deixis.types import base_language

LOOSE = NameFormsConfig(ignores_punctuation=True, ignores_diacritics=True)


def key(name, lang=None, **switches):
    return NameForms(NameFormsConfig(**switches)).key(name, lang)


def test_case_and_spaces_do_not_count_unless_asked():
    assert key(" New\u00a0 York ") == key("NEW YORK") == "new york"
    assert key("New  York", ignores_case=False) == "New York"
    assert key("STRASSE") == key("Straße") and key("ΟΔΟΣ") == key("οδος")


@pytest.mark.parametrize("lang", [None, "tr", "az-Latn", "en"])
def test_the_four_letters_i_are_one_whatever_the_language(lang):
    for cased in ("İSTANBUL", "İstanbul", "istanbul", "Istanbul", "I\u0307stanbul", "ıstanbul"):
        assert key(cased, lang) == "istanbul"


def test_a_mark_joins_the_i_that_a_dotted_capital_becomes():
    assert key("İ\u0300") == key("ı\u0300") == "ì"


def test_a_name_without_a_language_meets_a_turkish_mention():
    names = NameForms().keys(["DİYARBAKIR", "Diyarbakır", "ISPARTA", "Isparta"], ["tr", "", "tr", None])
    assert names[0] == names[1] and names[2] == names[3]


def test_with_the_dotless_i_kept_apart_the_language_says_what_a_capital_is():
    assert key("KIR", "tr", keeps_dotless_i=True) == key("kır", "tr", keeps_dotless_i=True) == "kır"
    assert key("KİR", "tr", keeps_dotless_i=True) == "kir"
    assert key("KIR", "de", keeps_dotless_i=True) == key("KIR", keeps_dotless_i=True) == "kir"
    assert key("İzmir", keeps_dotless_i=True) == "izmir"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("U.N.", "UN"), ("U. N.", "UN"), ("J. R. R. Tolkien", "JRR Tolkien"), ("O’Neill", "O'Neill"),
        ("Jean-Paul", "Jean Paul"), ("St. Louis", "St Louis"), ("ジョン・スミス", "ジョン スミス"), ("Yahoo!", "Yahoo"),
    ],
)  # fmt: skip
def test_punctuation_does_not_count_when_ignored(one, other):
    assert key(one, ignores_punctuation=True) == key(other, ignores_punctuation=True)
    assert key(one) != key(other)


@pytest.mark.parametrize("pair", [("C++", "C"), ("C#", "C"), ("AT&T", "AT T"), ("3.5", "35"), ("v1.2", "v12")])
def test_signs_that_tell_names_apart_stay(pair):
    assert key(pair[0], ignores_punctuation=True) != key(pair[1], ignores_punctuation=True)


def test_a_name_of_punctuation_alone_keeps_it():
    assert key("!!!", ignores_punctuation=True) == "!!!" and key("  ") == key("") == ""


@pytest.mark.parametrize(
    ("marked", "plain"),
    [
        ("Łódź", "Lodz"), ("Malmø", "Malmo"), ("Đà Nẵng", "Da Nang"), ("Straße", "Strasse"), ("Ærø", "Aero"),
        ("Αθήνα", "Αθηνα"), ("Королёв", "Королев"), ("Москва\u0301", "Москва"), ("مُحَمَّد", "محمد"), ("أحمد", "احمد"),
        ("שָׁלוֹם", "שלום"), ("Azərbaycan", "Azerbaycan"), ("مـحـمـد", "محمد"),
    ],
)  # fmt: skip
def test_diacritics_do_not_count_when_ignored(marked, plain):
    assert key(marked, ignores_diacritics=True) == key(plain)
    assert key(marked, ignores_diacritics=True, ignores_case=False) == key(plain, ignores_case=False)


@pytest.mark.parametrize(
    "pair", [("й", "и"), ("ї", "і"), ("ѓ", "г"), ("が", "か"), ("की", "क"), ("กำ", "ก"), ("한", "하")]
)
def test_marks_that_are_letters_stay(pair):
    assert key(pair[0], ignores_diacritics=True) != key(pair[1], ignores_diacritics=True)


def test_endings_go_by_language():
    assert key("İstanbul'da", "tr", drops_endings=True) == key("İstanbul’un", "tr", drops_endings=True) == "istanbul"
    assert key("Türkiye'nin", "tr", drops_endings=True) == "türkiye"
    assert key("ISPARTA'DADIR", "tr", drops_endings=True) == key("ISPARTA'YI", "tr", drops_endings=True) == "isparta"
    assert key("'da", "tr", drops_endings=True) == "'da" and key("O'Neill's", "en", drops_endings=True) == "o'neill"
    assert key("the Beatles'", "en", drops_endings=True) == "the beatles"
    assert key("Kur'an", "tr", drops_endings=True) == "kur'an"
    assert key("Obama's", "en-US", drops_endings=True) == "obama"
    assert key("l'eau", "fr", drops_endings=True) == "l'eau" and key("Obama's", drops_endings=True) == "obama's"


def test_lemmas_go_by_language_and_an_unknown_one_changes_nothing():
    lemmas = NameForms(NameFormsConfig(lemmatizes=True))
    names = ["Städten 2", "Städten 2", "Städten 2", "Städten 2"]
    assert list(lemmas.keys(names, ["de", "de-AT", "xx", None])) == ["stadt 2", "stadt 2", "städten 2", "städten 2"]
    assert NameForms(NameFormsConfig(lemmatizes=True, lang="de")).key("Städten") == "stadt"


def test_a_lemma_does_not_hang_on_case_where_case_is_ignored():
    german = NameForms(NameFormsConfig(lemmatizes=True, lang="de"))
    assert {german.key(name) for name in ("Haus", "haus", "HÄUSER", "häuser")} == {"haus"}
    assert {german.key(name) for name in ("Alte Oper", "alte Opern", "ALTEN OPER")} == {"alt oper"}
    turkish = NameForms(NameFormsConfig(lemmatizes=True, lang="tr"))
    assert turkish.key("İSTANBUL'DA") == turkish.key("İstanbul") == "istanbul"


def test_scripts_meet_in_latin_letters():
    for name, latin in [
        ("Москва", "moskva"),
        ("Αθήνα", "athina"),
        ("北京", "beijing"),
        ("서울", "seoul"),
        ("かな", "kana"),
    ]:
        assert key(name, transliterates=True) == latin
    assert key("Kraków", transliterates=True) == "krakow"


def test_a_batch_is_its_singles_on_any_number_of_threads():
    names = ["U.N.", "İzmir", "", "Łódź", "北京"] * 5000
    forms = NameForms(LOOSE)
    keys = forms.keys(names, n_threads=3)
    assert list(keys) == [forms.key(name) for name in names[:5]] * 5000
    assert forms.keys(StringTable.from_strings(names), n_threads=1).data.tobytes() == keys.data.tobytes()


def test_as_many_languages_as_names_or_one_are_asked_for():
    with pytest.raises(DataError, match="2 names have 1 languages"):
        NameForms().keys(["a", "b"], ["en"])
    assert len(NameForms().keys([], [])) == 0


def test_regions_and_scripts_of_a_language_do_not_count():
    assert [base_language(lang) for lang in ("en-GB", "az_Latn", "TR", "")] == ["en", "az", "tr", ""]
