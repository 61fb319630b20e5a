"""Laws of filters: a filtered ranking is the whole one without what is not allowed, and never shorter than can be."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deixis.candidates.source import SourceInputs
from deixis.candidates.sources.label_tree import LabelTreeSourceConfig
from deixis.candidates.sources.names import NameConfig
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.linker import Linker
from deixis.nearest.sparse_index import BlockIndexConfig
from deixis.types import MentionInContext
from deixis.xmr.beam_search import BeamConfig
from deixis.xmr.label_tree import TreeConfig
from deixis.xmr.model import LabelTreeConfig

WORDS = ["Paris", "New", "York", "Troy", "Springfield", "Saint", "北京", "Île", "Lake", "Port", "Nord", "Ост"]
RECORDS = [
    {"id": f"e{a}-{b}", "title": f"{first} {second}" if a != b else first, "types": [f"t{(a + b) % 5}"]}
    for a, first in enumerate(WORDS)
    for b, second in enumerate(WORDS)
]
N = len(RECORDS)
# Every node of the tree and every block of names, or as few of both as can be.
WHOLE, NARROW = (
    {
        "label_tree": LabelTreeSourceConfig(
            ranker=LabelTreeConfig(tree=TreeConfig(branching=3, max_leaf_size=4), beam=BeamConfig(width=width))
        ),
        "names": NameConfig(index=BlockIndexConfig(block_size=4, max_blocks=max_blocks)),
    }
    for width, max_blocks in ((10_000, 4096), (1, 1))
)

quick = settings(max_examples=40, deadline=None)
texts = st.lists(st.sampled_from([*WORDS, "Yorks", "troi", "zzz", "!"]), min_size=1, max_size=3).map(" ".join)
masks = st.tuples(st.integers(0, 2**32), st.sampled_from([0.01, 0.1, 0.5, 1.0])).map(
    lambda drawn: np.random.default_rng(drawn[0]).random(N) < drawn[1]
)


@pytest.fixture(scope="module")
def kb():
    return KnowledgeBase.from_records(RECORDS)


@pytest.fixture(scope="module", params=sorted(WHOLE))
def name(request):
    return request.param


@pytest.fixture(scope="module")
def whole(kb, name):
    return SourceInputs(kb, configs=WHOLE, n_threads=1).source(name)


@pytest.fixture(scope="module")
def narrow(kb, name):
    return SourceInputs(kb, configs=NARROW, n_threads=1).source(name)


@pytest.fixture(scope="module")
def linker(kb):
    return Linker.build(kb, n_threads=1)


def asked(text):
    return [MentionInContext(text, text, 0, len(text))]


@quick
@given(text=texts, allowed=masks)
def test_with_nothing_cut_short_a_filter_only_leaves_out(whole, text, allowed):
    everything, found = whole.search(asked(text), N), whole.search(asked(text), N, allowed)
    is_kept = allowed[everything.indices]
    assert found.indices.tolist() == everything.indices[is_kept].tolist()
    assert found.data.tobytes() == everything.data[is_kept].tobytes()


@quick
@given(text=texts, allowed=masks, k=st.sampled_from([1, 3, 60]))
def test_however_narrow_the_search_a_filter_gives_what_exists(whole, narrow, text, allowed, k):
    n_there = int(allowed[whole.search(asked(text), N).indices].sum())
    found = narrow.search(asked(text), k, allowed)
    assert len(set(found.indices.tolist())) == found.nnz == min(k, n_there)
    assert allowed[found.indices].all()


@quick
@given(text=texts, allowed=masks.filter(np.any))
def test_every_candidate_and_link_of_a_filtered_linker_is_allowed(linker, text, allowed):
    ids = linker.kb.ids.strings(np.flatnonzero(allowed))
    for mention in linker.link(text, ids=ids).mentions:
        assert {candidate.id for candidate in mention.candidates} <= set(ids)
        assert mention.entity is None or mention.entity in ids
        assert len(mention.candidates) == min(linker.config.n_candidates, len(ids))
