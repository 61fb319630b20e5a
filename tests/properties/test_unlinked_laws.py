"""Laws of unlinked names: the order of documents changes nothing, and no mention is counted twice or lost."""

from hypothesis import given, settings
from hypothesis import strategies as st

from deixis.detection.unlinked_groups import UnlinkedGroups
from deixis.detection.unlinked_names import unlinked_names, with_unknown_names
from deixis.types import Document

WORDS = ["Acme", "Corp", "Corporation", "Zorland", "Bank of Zorland", "ZB", "(ZB)", "and", "sells", "Ann", "Troy",
         "Ånn", "Blenders", "Blender", "Vortex", "3000", ".", ",", "東京", "\ud800", "\n", "İ",
         "-"]  # fmt: skip
TEXTS = st.lists(st.lists(st.sampled_from(WORDS), max_size=14).map(" ".join), max_size=8)


def documents_of(texts):
    return [with_unknown_names(Document(str(number), text)) for number, text in enumerate(texts)]


def groups(documents):
    counted = UnlinkedGroups()
    for document in documents:
        counted.add(document)
    return list(counted.groups())


@given(TEXTS, st.randoms(use_true_random=False))
@settings(max_examples=150, deadline=None)
def test_the_order_of_documents_does_not_change_groups(texts, random):
    documents = documents_of(texts)
    shuffled = random.sample(documents, len(documents))
    assert groups(documents) == groups(shuffled)


@given(TEXTS)
@settings(max_examples=150, deadline=None)
def test_every_mention_is_in_one_group(texts):
    documents = documents_of(texts)
    assert sum(group.n_mentions for group in groups(documents)) == sum(len(unlinked_names(each)) for each in documents)


@given(TEXTS)
@settings(max_examples=100, deadline=None)
def test_unknown_names_lie_apart_and_in_the_text(texts):
    for document in documents_of(texts):
        ends = [0, *(mention.end for mention in document.mentions)]
        assert all(end <= mention.start < mention.end <= len(document.text) and
                   document.text[mention.start : mention.end] == mention.text
                   for end, mention in zip(ends, document.mentions, strict=False))  # fmt: skip
