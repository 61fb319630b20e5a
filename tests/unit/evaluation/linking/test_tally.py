"""Figures of small corpora that can be worked out on paper."""

import pytest

from deixis.errors import DataError
from deixis.evaluation.linking.outcomes import Outcome
from deixis.evaluation.linking.tally import Tally
from deixis.types import Candidate, Document, Mention

TEXT = "aa bb cc dd ee"
PLACES = {name: (start, start + 2) for name, start in zip("abcde", range(0, 15, 3), strict=True)}


def marked(where, entity, *candidates, score=None):
    """The word at `where` ('a' is the first), linked to `entity`; None is NIL."""
    start, end = PLACES[where]
    listed = tuple(Candidate(name, 0.5) for name in candidates)
    return Mention(start, end, TEXT[start:end], entity, score, is_nil=entity is None, candidates=listed)


def document(name, *mentions, lang=None):
    return Document(name, TEXT, lang, tuple(mentions))


def tallied(pairs, resolve=None, **options):
    tally = Tally(resolve, **options)
    for gold, predicted in pairs:
        tally.add(gold, predicted)
    return tally


def values(tally, at=(1, 5)):
    return {metric.name: metric.value for metric in tally.metrics(at)}


FIRST = (
    document("1", marked("a", "A"), marked("b", "B"), marked("c", "C"), marked("d", None)),
    document("1", marked("a", "A", "A"), marked("b", "X", "X", "B"), marked("d", "Y", "Y"), marked("e", "Z", "Z")),
)
SECOND = (document("2", marked("a", "A")), document("2", marked("a", "A", "A")))
EMPTY = (document("3"), document("3"))
ONLY_PREDICTED = (document("4"), document("4", marked("a", "A", "A")))
ONLY_GOLD = (document("5", marked("a", "A")), document("5"))


def test_inkb_micro_figures_by_hand():
    """Document 1: right 1 of 4 links (X, Y, Z are wrong) and of 3 gold in the KB; document 2: 1 of 1 and of 1."""
    found = values(tallied([FIRST, SECOND]))
    assert found["inkb_micro_precision"] == pytest.approx(2 / 5)
    assert found["inkb_micro_recall"] == pytest.approx(2 / 4)
    assert found["inkb_micro_f1"] == pytest.approx(2 * 0.4 * 0.5 / 0.9)
    assert found["accuracy"] == found["inkb_micro_recall"]


def test_inkb_macro_figures_by_hand():
    """Document 1: P 1/4, R 1/3, F1 2/7; document 2: all 1. The F1 is the mean of the documents' own."""
    found = values(tallied([FIRST, SECOND]))
    assert found["inkb_macro_precision"] == pytest.approx((1 / 4 + 1) / 2)
    assert found["inkb_macro_recall"] == pytest.approx((1 / 3 + 1) / 2)
    assert found["inkb_macro_f1"] == pytest.approx((2 / 7 + 1) / 2)


@pytest.mark.parametrize(
    ("pair", "each"), [(EMPTY, 1.0), (ONLY_PREDICTED, 0.0), (ONLY_GOLD, 0.0)], ids=["empty", "predicted", "gold"]
)
def test_empty_documents_count_as_gerbil_counts_them(pair, each):
    """Nothing to find and nothing found is perfect; one of the two empty is 0 for precision, recall and F1 alike."""
    found = values(tallied([SECOND, pair]))
    for name in ("precision", "recall", "f1"):
        assert found[f"inkb_macro_{name}"] == pytest.approx((1 + each) / 2)


def test_a_link_on_gold_nil_is_wrong_for_inkb_but_not_for_gsinkb():
    """GSInKB asks only about gold in the knowledge base: links A and X, of which A is right."""
    found = values(tallied([FIRST]))
    assert found["inkb_micro_precision"] == pytest.approx(1 / 4)
    assert found["gsinkb_micro_precision"] == pytest.approx(1 / 2)
    assert found["gsinkb_micro_recall"] == pytest.approx(1 / 3)


def test_recall_and_mrr_are_over_gold_in_the_knowledge_base():
    """Ranks: A 1, B 2, C never (it was missed); NIL is not asked for."""
    found = values(tallied([FIRST]))
    assert found["recall@1"] == pytest.approx(1 / 3)
    assert found["recall@5"] == pytest.approx(2 / 3)
    assert found["mrr"] == pytest.approx((1 + 1 / 2) / 3)


def test_gold_outside_the_knowledge_base_lowers_the_upper_bound_and_wants_nil():
    gold = document("1", marked("a", "A"), marked("b", "OUT"), marked("c", "OUT"), marked("d", None))
    guess = document("1", marked("a", "A"), marked("b", None), marked("c", "X"), marked("d", None), marked("e", None))
    found = values(tallied([(gold, guess)], resolve=lambda name: name if name != "OUT" else None))
    assert found["upper_bound"] == pytest.approx(1 / 3)
    assert found["accuracy"] == 1.0
    assert found["nil_precision"] == pytest.approx(2 / 3)
    assert found["nil_recall"] == pytest.approx(2 / 3)
    assert found["accuracy_with_nil"] == pytest.approx(3 / 4)
    assert found["inkb_micro_precision"] == pytest.approx(1 / 2)


def test_a_link_to_what_the_knowledge_base_lacks_is_no_inkb_prediction():
    """InKB leaves out whatever is not in the KB on both sides: of the links A, OUT (as annotated) and OUT only A is."""
    gold = document("1", marked("a", "A"), marked("b", "OUT"), marked("c", "C"))
    guess = document("1", marked("a", "A"), marked("b", "OUT"), marked("c", "OUT"), marked("d", "OUT"))
    found = values(tallied([(gold, guess)], resolve=lambda name: name if name != "OUT" else None))
    assert (found["inkb_micro_precision"], found["inkb_macro_precision"]) == (1.0, 1.0)
    assert found["inkb_micro_recall"] == found["accuracy"] == pytest.approx(1 / 2)
    assert found["gsinkb_micro_precision"] == pytest.approx(1 / 2)  # of what was linked on A and C
    assert (found["nil_recall"], found["span_precision"]) == (0.0, pytest.approx(3 / 4))


def test_kilt_asks_for_every_linked_gold_mention_in_the_knowledge_base_or_not():
    gold = document("1", marked("a", "A"), marked("b", "B"), marked("c", "OUT"), marked("d", None))
    guess = document(
        "1",
        marked("a", "A", "A"),
        marked("b", "X", "X", "1", "2", "3", "B"),
        marked("c", "Y", "Y", "Z"),
        marked("d", "A"),
    )
    found = values(tallied([(gold, guess)], resolve=lambda name: name if name != "OUT" else None))
    assert found["kilt_accuracy"] == pytest.approx(1 / 3)
    assert found["kilt_rprecision"] == pytest.approx(1 / 3)
    assert found["kilt_recall@5"] == pytest.approx(2 / 3)


def test_overlapping_spans_count_for_weak_figures_only():
    """Gold 'aa bb' A and 'cc' C; predicted 'bb' A and 'cc' X: one weakly right, one span exact, two overlapping."""
    gold = document("1", Mention(0, 5, "aa bb", "A"), marked("c", "C"))
    found = values(tallied([(gold, document("1", marked("b", "A"), marked("c", "X")))]))
    assert (found["inkb_micro_f1"], found["inkb_micro_f1_weak"]) == (0.0, 0.5)
    assert (found["inkb_macro_f1"], found["inkb_macro_f1_weak"]) == (0.0, 0.5)
    assert (found["span_f1"], found["span_f1_weak"]) == (0.5, 1.0)


def test_figures_about_nothing_are_left_out_and_not_zero():
    found = values(tallied([SECOND]))
    assert "nil_f1" not in found
    assert "ece" not in found
    assert not any(name.startswith("lang_macro") for name in found)


def test_nil_answers_without_gold_nil_are_zeros():
    found = values(tallied([(SECOND[0], document("2", marked("a", "A"), marked("b", None)))]))
    assert (found["nil_precision"], found["nil_recall"], found["nil_f1"]) == (0.0, 0.0, 0.0)


def test_counts_say_of_how_many_things_a_figure_tells():
    n = {metric.name: metric.n for metric in tallied([FIRST, SECOND, EMPTY]).metrics([1])}
    assert (n["inkb_micro_precision"], n["inkb_micro_recall"], n["inkb_micro_f1"]) == (5, 4, 4)
    assert (n["inkb_macro_f1"], n["accuracy_with_nil"], n["upper_bound"], n["span_precision"]) == (3, 5, 4, 5)


def test_every_interval_holds_its_value():
    pairs = [(document(f"{n}{gold.id}", *gold.mentions), guess) for n in range(20) for gold, guess in (FIRST, SECOND)]
    for metric in tallied(pairs).metrics():
        assert metric.interval.low <= metric.value <= metric.interval.high, metric.name


def test_languages_count_alike_in_their_average():
    """English 2 of 4, German 1 of 1: together 3 of 5, on average 0.75."""
    english = document("1", *(marked(where, "A") for where in "abcd"), lang="en")
    german = document("2", marked("a", "A"), lang="de")
    tally = tallied([(english, document("1", marked("a", "A"), marked("b", "A"))), (german, german)])
    found = values(tally)
    assert (found["accuracy"], found["lang_macro_accuracy"]) == (0.6, 0.75)
    each = {lang: {m.name: m.value for m in metrics} for lang, metrics in tally.by_language().items()}
    assert (each["de"]["accuracy"], each["en"]["accuracy"]) == (1.0, 0.5)
    assert {m.name: m.n for m in tally.metrics()}["lang_macro_accuracy"] == 2


def test_documents_that_do_not_say_their_language_are_undetermined():
    assert list(tallied([SECOND]).by_language()) == ["und"]


def test_frequency_bins_hold_their_lower_edge_and_not_their_upper():
    seen = {"0": 0, "1": 1, "9": 9, "10": 10, "1000": 1000}
    gold = document("1", *(marked(w, name) for w, name in zip("abcde", seen, strict=True)))
    guess = document("1", marked("a", "0"), marked("c", "9"))
    bins = tallied([(gold, guess)], count_of=seen.get).by_frequency()
    assert [(b.label, b.n) for b in bins] == [
        ("0", 1),
        ("[1, 10)", 2),
        ("[10, 100)", 1),
        ("[100, 1000)", 0),
        ("[1000, inf)", 1),
    ]
    accuracies = [{m.name: m.value for m in b.metrics}.get("accuracy") for b in bins]
    assert accuracies == [1.0, 0.5, 0.0, None, 0.0]


def test_without_counts_there_are_no_frequency_bins():
    assert tallied([SECOND]).by_frequency() == []


def test_an_entity_that_nobody_counted_is_in_no_bin():
    assert sum(b.n for b in tallied([SECOND], count_of=lambda name: None).by_frequency()) == 0


def test_the_recall_curve_rises_to_the_rank_of_the_last_one_found():
    curve = tallied([FIRST]).recall_curve(at=[1, 2, 3])
    assert [(m.name, round(m.value, 3)) for m in curve] == [
        ("recall@1", 0.333),
        ("recall@2", 0.667),
        ("recall@3", 0.667),
    ]


def test_confidences_are_those_of_links_and_spurious_links_are_wrong():
    gold = document("1", marked("a", "A"), marked("b", None))
    guess = document("1", marked("a", "A", score=0.9), marked("b", None, score=0.2), marked("c", "C", score=0.4))
    tally = tallied([(gold, guess)])
    assert tally.confidences.scores.tolist() == [0.9, 0.4]
    assert tally.confidences.is_right.tolist() == [True, False]
    assert values(tally)["brier"] == pytest.approx((0.1**2 + 0.4**2) / 2)


def test_scores_that_are_no_probabilities_have_no_calibration():
    guess = document("2", marked("a", "A", score=17.0))
    assert "brier" not in values(tallied([(SECOND[0], guess)]))


def test_types_are_confused_pair_by_pair():
    types = {"A": ["city"], "B": ["person"], "C": ["city"], "X": ["city"]}
    tally = tallied([FIRST], types_of=lambda name: types.get(name, []))
    assert tally.type_confusion == {("city", "city"): 1, ("person", "city"): 1, ("city", "(missed)"): 1}


def test_outcomes_are_counted_once_each():
    tally = tallied([FIRST, SECOND])
    assert tally.outcomes == {
        Outcome.RIGHT: 2,
        Outcome.MISSED: 1,
        Outcome.LOST_IN_RANKING: 1,
        Outcome.NIL_LINKED: 1,
        Outcome.SPURIOUS: 1,
    }
    assert (tally.n_gold, tally.n_documents, tally.n_longest) == (5, 2, 2)


def test_an_example_shows_the_mistake_in_its_text():
    (example,) = tallied([FIRST]).examples[Outcome.LOST_IN_RANKING]
    assert example.excerpt[example.start : example.end] == "bb"
    assert (example.document, example.gold, example.predicted) == ("1", "B", "X")
    assert [candidate.id for candidate in example.candidates] == ["X", "B"]
    assert Outcome.RIGHT not in tallied([FIRST]).examples


def test_examples_are_few_and_the_same_in_any_order_of_documents():
    pairs = [(document(str(n), marked("a", "A")), document(str(n))) for n in range(50)]
    forwards, backwards = tallied(pairs, n_examples=3), tallied(pairs[::-1], n_examples=3)
    assert len(forwards.examples[Outcome.MISSED]) == 3
    assert forwards.examples == backwards.examples
    assert tallied(pairs, n_examples=0).examples == {}


def test_an_id_that_is_no_utf8_is_an_id_like_others():
    tally = tallied([(document("\ud800", marked("a", "A")), document("\ud800"))])
    assert [example.document for example in tally.examples[Outcome.MISSED]] == ["\ud800"]


def test_the_excerpt_of_a_long_text_is_short_and_its_offsets_hold():
    text = "x" * 5000 + "Troy" + "y" * 5000
    gold = Document("d", text, mentions=(Mention(5000, 5004, "Troy", "A"),))
    guess = gold.with_mentions([Mention(4998, 5004, "xxTroy", "B")])
    (example,) = tallied([(gold, guess)]).examples[Outcome.WRONG_SPAN]
    assert len(example.excerpt) < 200
    assert example.excerpt[example.start : example.end] == "Troy"
    assert example.excerpt[slice(*example.guessed)] == "xxTroy"


def test_no_gold_at_all_is_an_error_and_not_a_zero():
    tally = tallied([ONLY_PREDICTED])
    assert tally.n_gold == 0
    with pytest.raises(DataError, match="There is no gold: none of the 1 documents"):
        tally.metrics()


def test_a_document_that_comes_twice_is_refused():
    with pytest.raises(DataError, match="'2' comes twice"):
        tallied([SECOND, SECOND])


def test_a_prediction_on_another_text_is_refused():
    with pytest.raises(DataError, match="'2' has another text"):
        tallied([(SECOND[0], Document("2", "aa"))])
