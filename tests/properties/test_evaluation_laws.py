"""Laws that hold for the figures of any corpus."""

from dataclasses import replace

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from deixis.evaluation.linking.judge import Judge
from deixis.evaluation.linking.outcomes import Outcome
from deixis.evaluation.linking.tally import Tally
from deixis.types import Candidate, Document, Mention

LENGTH = 12
TEXT = "abcdefghijkl"
NAMES = ["A", "B", "C", "A|B", "OUT"]
WRONG = "W"  # in the knowledge base, and nobody's gold
quick = settings(max_examples=50, deadline=None)


def resolve(name):
    return name if name in ("A", "B", "C", WRONG) else None


@st.composite
def mentions(draw, names, is_gold):
    """A mention anywhere in the text: overlapping, nested and repeated spans are all welcome."""
    start = draw(st.integers(0, LENGTH - 1))
    end = draw(st.integers(start + 1, LENGTH))
    entity = draw(st.sampled_from([*names, None]))
    listed = () if is_gold else tuple(Candidate(n, 0.5) for n in draw(st.lists(st.sampled_from("ABC"), max_size=3)))
    score = None if is_gold else draw(st.sampled_from([None, 0.0, 0.5, 1.0]))
    is_nil = entity is None and draw(st.booleans())
    return Mention(start, end, TEXT[start:end], entity, score, is_nil=is_nil, candidates=listed)


@st.composite
def corpora(draw):
    pairs = []
    for number in range(draw(st.integers(1, 4))):
        gold = draw(st.lists(mentions(NAMES, True), max_size=5))
        guesses = draw(st.lists(mentions(["A", "B", "C"], False), max_size=5))
        document = Document(str(number), TEXT, draw(st.sampled_from([None, "en", "de"])), tuple(gold))
        pairs.append((document, document.with_mentions(guesses)))
    assume(any(mention.is_decided for document, _ in pairs for mention in document.mentions))
    return pairs


def tallied(pairs):
    tally = Tally(resolve, count_of=lambda name: len(name), types_of=lambda name: [name.lower()])
    for gold, predicted in pairs:
        tally.add(gold, predicted)
    return tally


def values(pairs):
    return {metric.name: metric.value for metric in tallied(pairs).metrics(n_draws=1)}


@given(corpora(), st.randoms(use_true_random=False))
@quick
def test_the_order_of_documents_changes_nothing(pairs, random):
    """Neither figures nor intervals nor examples."""
    shuffled = random.sample(pairs, len(pairs))
    first, second = tallied(pairs), tallied(shuffled)
    for one, other in zip(first.metrics(n_draws=20), second.metrics(n_draws=20), strict=True):
        assert (one.name, one.n) == (other.name, other.n)
        assert one.value == pytest.approx(other.value)
        assert (one.interval.low, one.interval.high) == pytest.approx((other.interval.low, other.interval.high))
    assert first.examples == second.examples
    assert (first.outcomes, first.type_confusion) == (second.outcomes, second.type_confusion)


@given(corpora(), st.randoms(use_true_random=False))
@quick
def test_the_order_of_predictions_within_a_document_changes_no_count(pairs, random):
    """Predictions of one span with different lists of candidates aside: there the first one is the answer."""
    for gold, predicted in pairs:
        assume(len({(m.start, m.end) for m in predicted.mentions}) == len(predicted.mentions))
        shuffled = predicted.with_mentions(random.sample(predicted.mentions, len(predicted.mentions)))
        judge = Judge(resolve)
        assert judge.judge(gold, predicted).counts == judge.judge(gold, shuffled).counts


@given(corpora())
@quick
def test_predictions_that_copy_gold_are_perfect(pairs):
    def copied(gold):
        """The gold as a linker to this knowledge base would say it: what it cannot know is NIL."""
        known = {"A|B": "A", "OUT": None}
        said = (replace(m, entity=known.get(m.entity, m.entity)) for m in gold.mentions if m.is_decided)
        return [replace(m, is_nil=m.entity is None) for m in said]

    # Of two gold mentions on one span that both accept A, a copy that says A twice can answer only one.
    assume(all(len({(m.start, m.end) for m in gold.mentions}) == len(gold.mentions) for gold, _ in pairs))
    found = values([(gold, gold.with_mentions(copied(gold))) for gold, _ in pairs])
    for name, value in found.items():
        if name not in ("upper_bound", "kilt_accuracy", "kilt_rprecision", "kilt_recall@5"):
            assert value == 1.0, name
    if "upper_bound" in found:
        assert found["kilt_accuracy"] == found["upper_bound"]


@given(corpora(), st.data())
@quick
def test_a_wrong_link_more_never_raises_precision_or_recall(pairs, data):
    before = values(pairs)
    place = data.draw(st.integers(0, len(pairs) - 1))
    gold, predicted = pairs[place]
    start = data.draw(st.integers(0, LENGTH - 1))
    wrong = Mention(start, start + 1, TEXT[start], WRONG)
    after = values([*pairs[:place], (gold, predicted.with_mentions([*predicted.mentions, wrong])), *pairs[place + 1 :]])
    for name, value in before.items():
        if name.startswith("inkb"):
            assert after[name] <= value + 1e-12, name


@given(corpora())
@quick
def test_f1_lies_between_precision_and_recall(pairs):
    found = values(pairs)
    for name in found:
        if name.endswith(("_f1", "_f1_weak")) and "macro" not in name:
            both = sorted(found[name.replace("_f1", part)] for part in ("_precision", "_recall"))
            assert both[0] - 1e-12 <= found[name] <= both[1] + 1e-12, name


@given(corpora())
@quick
def test_weak_figures_are_never_below_strong_ones(pairs):
    found = values(pairs)
    for name in found:
        if name.endswith("_weak"):
            assert found[name] >= found[name.removesuffix("_weak")] - 1e-12, name


@given(corpora())
@quick
def test_recall_grows_with_k_and_everything_is_a_share(pairs):
    found = values(pairs)
    recalls = [found[f"recall@{k}"] for k in (1, 5, 10, 20, 100) if "recall@1" in found]
    assert recalls == sorted(recalls)
    assert all(0.0 <= value <= 1.0 for value in found.values())


@given(corpora())
@quick
def test_every_gold_mention_and_every_spurious_prediction_has_one_outcome(pairs):
    for gold, predicted in pairs:
        outcome = Judge(resolve).judge(gold, predicted)
        counts = outcome.counts
        of_gold = [mention.outcome for mention in outcome.mentions]
        assert len(of_gold) == counts.n_spans
        assert not {Outcome.SPURIOUS, Outcome.SPURIOUS_NIL} & set(of_gold)
        assert of_gold.count(Outcome.RIGHT) == counts.n_right
        n_answers = counts.n_same_span + of_gold.count(Outcome.WRONG_SPAN)
        assert n_answers + len(outcome.spurious) == counts.n_predicted_spans
