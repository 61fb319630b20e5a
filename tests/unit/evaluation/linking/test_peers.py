"""The same figures from scikit-learn and ranx, where they have them."""

import numpy as np
import pytest

from deixis.evaluation.linking.tally import Tally
from deixis.types import Candidate, Document, Mention

N_DOCUMENTS, N_WORDS = 40, 12
TEXT = " ".join("word" for _ in range(N_WORDS))
ENTITIES = [f"E{n}" for n in range(6)]


@pytest.fixture(scope="module")
def corpus():
    """Documents of twelve words, each with an entity, NIL (None) or no mention (0), in gold and in the predictions."""
    random = np.random.default_rng(5)
    choices = [*ENTITIES, None, 0]

    def words():
        return [[choices[n] for n in row] for row in random.integers(len(choices), size=(N_DOCUMENTS, N_WORDS))]

    gold, guessed = words(), words()
    is_copied = random.random((N_DOCUMENTS, N_WORDS)) < 0.5
    predicted = [
        [own if copied else other for own, other, copied in zip(*rows, strict=True)]
        for rows in zip(gold, guessed, is_copied, strict=True)
    ]
    return gold, predicted


def document(number, row, candidates_of=None):
    mentions = [
        Mention(5 * n, 5 * n + 4, "word", entity, 0.5, is_nil=entity is None, candidates=lists)
        for n, entity in enumerate(row)
        if entity != 0
        for lists in [() if candidates_of is None else candidates_of(number, n)]
    ]
    return Document(str(number), TEXT, mentions=tuple(mentions))


def values(gold, predicted, at=(1, 5)):
    tally = Tally(resolve=None)
    for number, (truth, guess) in enumerate(zip(gold, predicted, strict=True)):
        tally.add(document(number, truth), document(number, guess))
    return {metric.name: metric.value for metric in tally.metrics(at)}


@pytest.mark.parametrize(("prefix", "labels"), [("inkb_micro", ENTITIES), ("nil", ["NIL"])], ids=["entities", "NIL"])
def test_micro_figures_are_those_of_scikit_learn_over_the_labels_that_count(corpus, prefix, labels):
    """One label per word: micro averaging over the entities, leaving 'no mention' out, is InKB; over NIL it is NIL."""
    metrics = pytest.importorskip("sklearn.metrics")
    truth, guess = ([str(word or "NIL") if word != 0 else "O" for row in rows for word in row] for rows in corpus)
    theirs = metrics.precision_recall_fscore_support(truth, guess, labels=labels, average="micro", zero_division=0)
    ours = values(*corpus)
    assert [ours[f"{prefix}_{name}"] for name in ("precision", "recall", "f1")] == pytest.approx(theirs[:3])


def test_macro_figures_are_those_of_scikit_learn_document_by_document(corpus):
    metrics = pytest.importorskip("sklearn.metrics")
    each = []
    for rows in zip(*corpus, strict=True):
        truth, guess = ([str(word or "NIL") if word != 0 else "O" for word in row] for row in rows)
        each.append(
            metrics.precision_recall_fscore_support(truth, guess, labels=ENTITIES, average="micro", zero_division=0)[:3]
        )
    ours = values(*corpus)
    found = [ours[f"inkb_macro_{name}"] for name in ("precision", "recall", "f1")]
    assert found == pytest.approx(np.mean(np.array(each), axis=0))


def test_span_figures_are_those_of_scikit_learn_on_indicators(corpus):
    metrics = pytest.importorskip("sklearn.metrics")
    truth, guess = ([int(word != 0) for row in rows for word in row] for rows in corpus)
    theirs = metrics.precision_recall_fscore_support(truth, guess, average="binary")
    ours = values(*corpus)
    assert [ours[f"span_{name}"] for name in ("precision", "recall", "f1")] == pytest.approx(theirs[:3])


def test_recall_at_k_and_mrr_are_those_of_ranx(ranx_scores):
    random = np.random.default_rng(2)
    names = [f"E{n}" for n in range(30)]
    asked, lists = {}, {}
    tally = Tally(resolve=None)
    for number in range(N_DOCUMENTS):
        gold_row = [names[n] for n in random.integers(30, size=N_WORDS)]
        ranked = [[names[n] for n in random.permutation(30)[:12]] for _ in range(N_WORDS)]

        def listed(_, word, ranked=ranked):
            return tuple(Candidate(name, 1.0 / (place + 1)) for place, name in enumerate(ranked[word]))

        tally.add(document(number, gold_row), document(number, [row[0] for row in ranked], listed))
        for word, (entity, row) in enumerate(zip(gold_row, ranked, strict=True)):
            asked[f"{number}-{word}"] = {entity: 1}
            lists[f"{number}-{word}"] = {name: 1.0 / (place + 1) for place, name in enumerate(row)}
    theirs = ranx_scores(asked, lists, ["recall@1", "recall@5", "recall@10", "mrr"])
    ours = {metric.name: metric.value for metric in tally.metrics((1, 5, 10))}
    assert {name: ours[name] for name in theirs} == pytest.approx(theirs)
