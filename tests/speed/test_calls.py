"""One mention needs few calls: what a call of Python costs is paid by each mention alone, whatever the machine."""

import sys
from collections.abc import Callable

import numpy as np
import pytest

from deixis.kb.demo import read_demo
from deixis.linker import Linker
from deixis.linking.name_candidates import candidates_by_name, in_kb_names
from deixis.linking.options import LinkOptions
from deixis.linking.plan import LinkPlans
from deixis.linking.stages.detect import detect
from deixis.types import Document, Mention
from deixis.xmr.model import LabelTreeRanker

TEXT = "To save Troy (the city), Paris had to be sacrificed; Helen of Sparta (HS) was not."
PARIS = Document("one", TEXT, mentions=(Mention(25, 30, "Paris"),))


@pytest.fixture(scope="module")
def linker() -> Linker:
    return Linker.build(read_demo(), n_threads=1)


def n_calls(work: Callable[[], object]) -> int:
    """Calls of functions, those of Python and compiled ones."""
    count = 0

    def counted(_frame: object, event: str, _argument: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    work()  # what is made once is made now
    before = sys.getprofile()
    sys.setprofile(counted)
    try:
        work()
    finally:
        sys.setprofile(before)
    return count


def candidates_of(linker: Linker, document: Document) -> object:
    """Stages 1 and 2."""
    plans = LinkPlans.of(linker.model, LinkOptions())
    ((plan, numbers),) = plans.for_each_kind([document])
    spans = detect(plan, [document], numbers, None)
    mentions = in_kb_names(plan.sources, linker.model.ranker, spans.in_context([document]))
    return candidates_by_name(plan.sources, linker.model.ranker, mentions, plan.mask)


def detect_raw(linker: Linker, document: Document) -> object:
    return detect(LinkPlans.of(linker.model, LinkOptions()).raw, [document], [0], None)


def test_a_mention_whose_name_is_kept_is_looked_up(linker: Linker) -> None:
    assert n_calls(lambda: candidates_of(linker, PARIS)) <= 190


def test_a_new_name_is_searched_with_few_calls(linker: Linker) -> None:
    mentions = PARIS.mentions_in_context()
    sources, ranker = linker.model.sources, linker.model.ranker
    table = sources.propose(mentions)
    assert n_calls(lambda: sources.kb_names(mentions)) <= 45
    assert n_calls(lambda: sources.propose(mentions)) <= 285
    assert n_calls(lambda: ranker.name_sums(mentions, table)) <= 210


def test_more_spans_of_a_text_need_hardly_more_calls(linker: Linker) -> None:
    once, often = (Document("raw", TEXT * n) for n in (1, 5))
    alone, together = (n_calls(lambda each=each: detect_raw(linker, each)) for each in (once, often))
    assert alone <= 800 and together < 2.5 * alone


def test_a_single_row_of_the_label_tree_is_one_native_call_in_a_few_of_python() -> None:
    one = np.eye(3, dtype=np.float32)
    ranker = LabelTreeRanker().fit(one, one)
    columns, values = np.array([1], dtype=np.int32), np.ones(1, dtype=np.float32)
    assert n_calls(lambda: ranker.rank_row(columns, values, 2)) <= 7
