"""The dictionary against a plain search over token lists."""

from hypothesis import given, settings
from hypothesis import strategies as st

from deixis.detection.dictionary import DictionaryConfig, DictionaryDetector
from deixis.detection.names import NameMatcher, is_findable
from deixis.features.tokens import tokenize
from deixis.store.strings import StringTable

words = st.sampled_from(["bak", "cetu", "difo", "fomu", "guba", "züba", "東", "京"])
phrases = st.lists(words, min_size=1, max_size=4).map(" ".join)


def plain_search(names, text):
    """Longest match from left to right, by comparing token lists."""
    wanted = {tuple(token.text for token in tokenize(name)) for name in names}
    tokens = tokenize(text)
    at, spans = 0, []
    while at < len(tokens):
        ends = [
            n for n in range(1, 5) if tuple(t.text for t in tokens[at : at + n]) in wanted and at + n <= len(tokens)
        ]
        if ends:
            spans.append((tokens[at].start, tokens[at + ends[-1] - 1].end))
        at += ends[-1] if ends else 1
    return spans


@settings(max_examples=60, deadline=None)
@given(st.lists(phrases, max_size=12), st.lists(words, max_size=30).map(" ".join))
def test_finds_what_a_plain_search_finds(names, text):
    config = DictionaryConfig(min_chars=1, min_chars_unspaced=1)
    assert DictionaryDetector.build(names, config=config).detect([text])[0] == plain_search(names, text)


@settings(max_examples=60, deadline=None)
@given(st.text(st.sampled_from("aBß1²東カe\u0301\u200d.+ (),-"), max_size=16))
def test_a_name_is_findable_if_a_matcher_takes_it_in(name):
    alone = NameMatcher.build([name])
    assert is_findable(name) == bool((alone.numbers(StringTable.from_strings([name])) >= 0).all())
    if len(alone.spans([name])):
        assert is_findable(name)
