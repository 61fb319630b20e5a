"""Laws of the keys of names, whatever the text."""

import unicodedata

from hypothesis import given, settings
from hypothesis import strategies as st

from deixis.features.name_forms import NameForms, NameFormsConfig

TEXTS = st.text(alphabet=st.characters(exclude_categories=("Cs",)), max_size=20)
NAMES = st.one_of(TEXTS, st.text(alphabet="Iiİıß. ’'-éЁйǺ̇が한कि", max_size=12))
FORMS = st.builds(
    NameFormsConfig,
    ignores_case=st.booleans(),
    keeps_dotless_i=st.booleans(),
    ignores_punctuation=st.booleans(),
    ignores_diacritics=st.booleans(),
)


@settings(max_examples=60, deadline=None)
@given(st.lists(NAMES, max_size=6), FORMS)
def test_a_key_has_single_spaces_and_one_form_for_equal_texts(names, config):
    keys = list(NameForms(config).keys(names))
    composed = list(NameForms(config).keys([unicodedata.normalize("NFD", name) for name in names]))
    assert keys == composed
    for key in keys:
        assert key == " ".join(key.split())


@settings(max_examples=60, deadline=None)
@given(NAMES, st.booleans())
def test_a_key_of_a_key_is_the_key(name, ignores_diacritics):
    forms = NameForms(NameFormsConfig(ignores_diacritics=ignores_diacritics))
    assert forms.key(forms.key(name)) == forms.key(name)


@settings(max_examples=60, deadline=None)
@given(NAMES, FORMS)
def test_a_looser_key_follows_from_the_key(name, config):
    plain = NameForms(NameFormsConfig(ignores_case=False))
    forms = NameForms(config)
    assert forms.key(plain.key(name)) == forms.key(name)
