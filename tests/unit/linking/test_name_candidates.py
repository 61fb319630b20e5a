"""What is kept of a name is what a search for it would give, for this model and no other."""

import threading

import numpy as np
import pytest

from deixis.candidates.name_cache import NameCache, NameCandidates
from deixis.kb.demo import read_demo
from deixis.kb.edits import EntityEdits
from deixis.linker import Linker
from deixis.linking import name_candidates
from deixis.linking.name_candidates import candidates_by_name, in_kb_names
from deixis.types import Document, MentionInContext

TEXTS = ("Paris fled to Troy.", "Mercury is near, and Paris is far.", "An apple in Paris; Apple in Troy!", "")


@pytest.fixture(scope="module")
def linker():
    return Linker.build(read_demo(), n_threads=1)


@pytest.fixture
def cache(monkeypatch):
    own = NameCache()
    monkeypatch.setattr(name_candidates, "CACHE", own)
    return own


def mention(name, before="", lang=None):
    return MentionInContext(name, before + name, len(before), len(before) + len(name), lang)


def of_size(n):
    return NameCandidates(np.zeros(n, np.int32), np.zeros((2, n), np.float32), np.zeros(n))


@pytest.mark.parametrize("has_filter", [False, True])
def test_the_table_is_the_one_that_all_mentions_together_give(linker, cache, has_filter):
    model = linker.model
    names = ["Paris", "Troy", "Paris", "nothing like it", "Mercury", "Troy"]
    mentions = [mention(name, "To " * number) for number, name in enumerate(names)]
    mask = np.arange(len(model.kb)) % 2 == 0 if has_filter else None
    expected = model.sources.propose(mentions, mask)
    for _ in range(2):  # the second time from what was kept
        table, sums = candidates_by_name(model.sources, model.ranker, mentions, mask)
        assert table.starts.tolist() == expected.starts.tolist()
        assert table.rows.tolist() == expected.rows.tolist()
        assert set(table.signals) == set(expected.signals) and len(table.signals) == len(expected.signals)
        for source, scores in expected.signals.items():
            assert table.signals[source].tolist() == scores.tolist()
        assert sums.tolist() == model.ranker.name_sums(mentions, expected).tolist()
    assert (cache.n_bytes == 0) == has_filter  # what a filter leaves is not kept


def test_a_mention_stands_for_the_same_name_whether_it_was_kept_or_not(linker, cache):
    model = linker.model
    written = [("Ajaxs", ""), ("ajaxs", ""), ("Ajaxs", "He saw "), ("x" * 999, ""), ("", "")]
    mentions = [mention(name, before) for name, before in written]
    expected = model.sources.with_kb_names(mentions)
    assert [each.text for each in expected[:3]] == ["Ajax", "Ajax", "Ajaxs"]
    for _ in range(2):
        assert in_kb_names(model.sources, model.ranker, mentions) == expected
    cache.clear()
    assert in_kb_names(model.sources, model.ranker, mentions[2:3]) == expected[2:3]


def test_of_mentions_written_alike_one_is_looked_up(linker, cache, monkeypatch):
    sources, looked_up = linker.model.sources, []
    kb_names = type(sources).kb_names

    def counted(self, mentions):
        looked_up.extend(each.text for each in mentions)
        return kb_names(self, mentions)

    monkeypatch.setattr(type(sources), "kb_names", counted)
    mentions = [mention(name, "To " * number) for number, name in enumerate(["ajaxs", "troy", "ajaxs", "troy"])]
    names = [each.text for each in in_kb_names(sources, linker.model.ranker, mentions)]
    assert names == [each.text for each in sources.with_kb_names(mentions)]
    assert looked_up == ["ajaxs", "troy", *(each.text for each in mentions)]


def test_links_do_not_depend_on_what_was_linked_before(linker, cache):
    alone = []
    for number, text in enumerate(TEXTS):
        cache.clear()
        alone.append(linker.link(Document(str(number), text)))
        assert (cache.n_bytes > 0) == bool(text)
    documents = [Document(str(number), text) for number, text in enumerate(TEXTS)]
    for _ in range(2):
        assert list(linker.link_many(documents)) == alone


def test_a_changed_model_searches_anew_and_the_one_before_keeps_its_answers(linker, cache):
    before = linker.link(TEXTS[0])
    changed = linker.with_edits(EntityEdits.of([], removed=[before.mentions[-1].entity]))
    assert changed.link(TEXTS[0]) != before
    assert linker.link(TEXTS[0]) == before
    assert linker.with_edits(EntityEdits.of([])).link(TEXTS[0]) == before


def test_the_candidates_of_an_edited_model_are_kept_too(linker, cache):
    changed = linker.with_edits(EntityEdits.of([{"id": "new", "title": "Aurora Headlamp"}]))
    first = changed.link(f"{TEXTS[0]} The Aurora Headlamp.")
    assert cache.n_bytes > 0 and not changed.model.sources.read_context
    assert first.mentions[-1].entity == "new"
    assert changed.link(f"{TEXTS[0]} The Aurora Headlamp.") == first


def test_languages_have_candidates_of_their_own(linker, cache):
    model = linker.model
    candidates_by_name(model.sources, model.ranker, [mention("Paris"), mention("Paris", lang="fr"), mention("Paris")])
    assert len(cache._candidates) == 2


def test_names_used_longest_ago_are_dropped_first_and_the_size_is_kept_to():
    cache = NameCache(3 * of_size(10).n_bytes)
    names = [(0, name, None) for name in "abcd"]
    cache.put({name: of_size(10) for name in names[:3]})
    assert list(cache.get(names[:1])) == names[:1]
    cache.put({names[3]: of_size(10)})
    assert list(cache.get(names)) == [names[0], names[2], names[3]]
    cache.put({names[0]: of_size(12)})  # in place of a smaller one
    assert cache.n_bytes <= cache.max_bytes and names[0] in cache.get(names)
    cache.put({(0, "too large", None): of_size(10_000)})
    assert cache.n_bytes == 0 and not cache.get(names)


def test_any_number_of_threads_may_use_it():
    cache = NameCache(50 * of_size(5).n_bytes)

    def use(first):
        for number in range(first, first + 400):
            cache.put({(0, str(number % 90), None): of_size(number % 7)})
            cache.get([(0, str(number % 31), None)])

    threads = [threading.Thread(target=use, args=(start,)) for start in range(0, 400, 100)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert 0 < cache.n_bytes <= cache.max_bytes
    assert cache.n_bytes == sum(own.n_bytes for own in cache._candidates.values())
