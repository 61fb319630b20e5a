import pytest

from deixis.features.acronyms import acronym_of_mention, acronyms


@pytest.mark.parametrize(
    ("name", "acronym"),
    [
        ("United Nations", "UN"), ("Department of the Interior", "DI"), ("congestive heart failure", "CHF"),
        ("association of the blind", "AB"), ("Paris", ""), ("", ""), ("Route 66 3", ""), ("北京 大学", ""),
        ("Союз Советских Социалистических Республик", "СССР"), ("A B C D E F G H I J", ""),
    ],
)  # fmt: skip
def test_an_acronym_has_the_initials_that_count(name, acronym):
    assert list(acronyms([name])) == [acronym]


@pytest.mark.parametrize(
    ("mention", "acronym"),
    [
        ("UN", "UN"),
        ("U.N.", "UN"),
        ("U. N.", "UN"),
        ("u.n.", ""),
        ("Un", ""),
        ("A", ""),
        ("UN's", ""),
        ("B2B", ""),
        ("", ""),
    ],
)
def test_only_capitals_are_read_as_an_acronym(mention, acronym):
    assert acronym_of_mention(mention) == acronym
