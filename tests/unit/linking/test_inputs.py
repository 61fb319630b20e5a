"""Columns of names: one answer for each, whatever kind of list they come in."""

import functools

import pytest

from deixis.errors import DataError, UnknownNameError
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.linker import Linker
from deixis.types import Document, Mention

KB = KnowledgeBase.from_records(
    [
        {"id": "paris_city", "title": "Paris", "types": ["city"], "description": "capital of France on the Seine"},
        {"id": "paris_trojan", "title": "Paris", "types": ["hero"], "description": "prince of Troy who took Helen"},
        {"id": "troy", "title": "Troy", "types": ["city"], "description": "ancient city besieged by the Greeks"},
    ]
)


@functools.cache
def linker():
    return Linker.build(KB, n_threads=1)


def ids(*arguments, **filters):
    return [mention.entity for mention in linker().link_names(*arguments, **filters)]


def test_names_are_linked_in_their_order():
    assert ids(["Troy", "Xyzzyx", "troy", "Troy"]) == ["troy", None, "troy", "troy"]


def test_a_text_about_the_name_decides_between_namesakes():
    assert ids(["Paris", "Paris"], ["a prince; he took Helen", "the capital on the Seine"]) == [
        "paris_trojan",
        "paris_city",
    ]


def test_the_answer_is_that_of_a_document_with_the_name_as_its_mention():
    (mention,) = linker().link_names(["Paris"], ["of Troy"])
    document = Document("0", "Paris\nof Troy", mentions=(Mention(0, 5, "Paris"),))
    assert (mention,) == linker().link(document).mentions


def test_a_name_is_linked_whole_and_nothing_is_looked_for_in_texts_about_it():
    (mention,) = linker().link_names(["the city of Troy"], ["Paris and Troy and Paris"])
    assert mention.text == "the city of Troy"


@pytest.mark.parametrize("missing", [None, float("nan"), "", "  "])
def test_missing_names_mean_nothing(missing):
    troy, nothing, paris = linker().link_names(["Troy", missing, "Paris"])
    assert (troy.entity, nothing.entity, paris.text) == ("troy", None, "Paris")
    assert nothing.is_nil and nothing.candidates == ()


def test_columns_of_pandas_and_polars_are_lists_of_names():
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    polars = pytest.importorskip("polars", reason="Polars is not installed")
    table = {"name": ["Troy", None], "note": [None, "x"]}
    for frame in (pandas.DataFrame(table), pandas.DataFrame(table, dtype="string"), polars.DataFrame(table)):
        assert ids(frame["name"], frame["note"]) == ["troy", None]


def test_columns_of_arrow_are_lists_of_names_and_of_texts():
    arrow = pytest.importorskip("pyarrow", reason="Arrow is not installed")
    names = arrow.array(["Troy", None])
    table = arrow.table({"name": names, "note": [None, "x"]})
    for column in (names, names.dictionary_encode(), names.cast("large_string"), table["name"]):
        assert ids(column, table["note"]) == ["troy", None]
    (document,) = linker().link_many(arrow.array(["To save Troy, they sailed."]))
    assert [mention.entity for mention in document.mentions] == ["troy"]
    with pytest.raises(DataError, match="name number 0 .* got int: 5"):
        ids(arrow.array([5]))


@pytest.mark.parametrize(
    ("library", "kind"),
    [("pandas", "DataFrame"), ("polars", "DataFrame"), ("polars", "LazyFrame"), ("pyarrow", "table")],
)
def test_a_whole_table_is_refused_not_taken_for_the_names_of_its_columns(library, kind):
    module = pytest.importorskip(library, reason=f"{library} is not installed")
    table = getattr(module, kind)({"Troy": ["Paris"], "Paris": ["Troy"]})
    for ask in (
        linker().link_names,
        linker().link,
        linker().link_many,
        lambda each: linker().link_names(["a"], each),
    ):
        with pytest.raises(DataError, match=r'a whole table .* Pass one of its columns, such as table\["name"\]'):
            ask(table)


def test_filters_are_those_of_link():
    assert ids(["Paris"], types="hero") == ["paris_trojan"]
    with pytest.raises(UnknownNameError):
        ids(["Paris"], types="heroes")


def test_no_names_have_no_answers():
    assert ids([]) == ids([None])[:0] == []


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["Troy"], "Put it in a list"),
        ([["Troy"], "a city"], "Put it in a list"),
        ([["Troy", 5]], "name number 1 .* got int: 5"),
        ([["Troy"], [5]], "context number 0"),
        ([["Troy", "Paris"], ["a"]], "There are 1 contexts, but more names"),
        ([["Troy"], ["a", "b"]], "There are 1 names, but more contexts"),
    ],
)
def test_what_is_no_column_of_names_is_an_error_that_says_so(arguments, message):
    with pytest.raises(DataError, match=message):
        linker().link_names(*arguments)
