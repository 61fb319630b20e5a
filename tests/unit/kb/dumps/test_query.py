"""What is taken from a dump, as text on the command line."""

import pytest

from deixis.errors import ConfigError
from deixis.kb.dumps.query import DumpQuery
from deixis.kb.knowledge_base import KnowledgeBase
from tests.list_files import LISTS, THINGS


def test_without_a_query_everything_is_taken():
    query = DumpQuery.of(None)
    assert query == DumpQuery() and query.has_language("xx") and query.has_types([]) and query.min_count == 0


def test_several_values_are_separated_by_commas():
    query = DumpQuery.of(" languages=en, de ,types=Q5,-Q6, count = 3")
    assert query == DumpQuery(frozenset({"en", "de"}), frozenset({"Q5"}), frozenset({"Q6"}), 3)
    assert query.has_types(["Q5"]) and not query.has_types(["Q5", "Q6"]) and not query.has_types(["Q7"])


@pytest.mark.parametrize(
    "text", ["en", "lang=en", "count=many", "count=1,2", "count=-1", "types=Q5,types=Q6", "count=", "a=b=c"]
)
def test_anything_else_is_an_error_with_an_example(text):
    with pytest.raises(ConfigError, match="languages=en,de,types=Q5,Q515,count=10"):
        DumpQuery.of(text)


@pytest.mark.parametrize("name", ["cirrussearch", "wikipedia", "kilt-pages"])
def test_pages_have_no_types_to_choose_by(name, tmp_path):
    path = LISTS[name].file(THINGS, tmp_path)
    with pytest.raises(ConfigError, match="no types"):
        KnowledgeBase.read(path, query="types=Q5")


def test_a_query_is_refused_for_other_lists(tmp_path):
    path = LISTS["jsonl"].file(THINGS, tmp_path)
    with pytest.raises(ConfigError, match="for SQLite databases and dumps"):
        KnowledgeBase.read(path, query="count=5")
