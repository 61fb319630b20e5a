"""Pictures only of what there is something to say about."""

import re

from deixis.evaluation.linking.tally import Tally
from deixis.reports.figures import charts_of
from deixis.types import Candidate, Document, Mention


def tally_of(n=6, *, has_scores=True, n_candidates=3, langs=(None,), types=None, counts=None):
    tally = Tally(
        resolve=lambda name: name,
        types_of=None if types is None else lambda name: [types[int(name[1:]) % len(types)]],
        count_of=None if counts is None else lambda name: counts[int(name[1:]) % len(counts)],
    )
    for number in range(n):
        gold = Document(str(number), "Troy", langs[number % len(langs)], (Mention(0, 4, "Troy", f"Q{number}"),))
        listed = tuple(Candidate(f"Q{number + place}", 0.5 / (1 + place)) for place in range(n_candidates))
        answer = Mention(0, 4, "Troy", f"Q{number}", 0.5 if has_scores else None, candidates=listed)
        tally.add(gold, gold.with_mentions([answer]))
    return tally


def titles_of(charts):
    return [re.search("<title>(.*?)</title>", chart.svg)[1] for chart in charts]


RECALL, RISK, TRUST = "Recall by number of candidates", "Mistakes among the links kept", "Confidence and truth"


def test_lists_and_scores_have_their_pictures():
    assert titles_of(charts_of(tally_of())) == [RECALL, RISK, TRUST]


def test_without_lists_there_is_no_recall_and_without_scores_no_trust():
    assert titles_of(charts_of(tally_of(n_candidates=0))) == [RISK, TRUST]
    assert titles_of(charts_of(tally_of(has_scores=False))) == [RECALL]


def test_without_gold_in_the_knowledge_base_there_is_no_recall():
    tally = Tally(resolve=lambda name: None)
    gold = Document("d", "Troy", mentions=(Mention(0, 4, "Troy", is_nil=True),))
    listed = (Candidate("A", 0.6), Candidate("B", 0.4))
    tally.add(gold, gold.with_mentions([Mention(0, 4, "Troy", "A", score=0.6, candidates=listed)]))
    assert "Recall by number of candidates" not in titles_of(charts_of(tally, tally))


def test_languages_are_drawn_when_there_are_two():
    assert "Languages" in titles_of(charts_of(tally_of(langs=("de", "fr"))))
    assert "Languages" not in titles_of(charts_of(tally_of(langs=("de",))))


def test_types_are_drawn_when_there_are_two():
    assert "Types taken for each other" in titles_of(charts_of(tally_of(types=["city", "person"])))
    assert "Types taken for each other" not in titles_of(charts_of(tally_of(types=["city"])))


def test_of_many_types_the_rare_ones_are_put_together():
    (types,) = [c for c in charts_of(tally_of(40, types=[f"type {n}" for n in range(20)])) if "Types" in c.svg]
    assert "(other) (20)" in types.svg
    assert "type 19" not in types.svg


def test_rare_and_frequent_entities_are_drawn_when_counts_differ():
    title = "Rare and frequent entities"
    assert title in titles_of(charts_of(tally_of(counts=[3, 300])))
    assert title not in titles_of(charts_of(tally_of(counts=[3])))


def test_a_second_run_is_drawn_beside_the_first():
    charts = charts_of(tally_of(), tally_of(), other_name="rival <b>")
    assert all("rival &lt;b&gt;" in chart.svg for chart in charts[:3])


def test_recall_is_drawn_as_far_as_each_run_has_candidates():
    (recall, *_) = charts_of(tally_of(n_candidates=3), tally_of(n_candidates=30), other_name="deep")
    assert "this run: 100.0% at 3" in recall.svg and "this run: 100.0% at 4" not in recall.svg
    assert "deep: 100.0% at 20" in recall.svg


def test_what_a_threshold_buys_is_told_in_numbers():
    tally = Tally(resolve=None)
    for number in range(20):
        gold = Document(str(number), "Troy", mentions=(Mention(0, 4, "Troy", "Q1"),))
        answer = Mention(0, 4, "Troy", "Q1" if number < 10 else "Q2", score=0.9 if number < 10 else 0.2)
        tally.add(gold, gold.with_mentions([answer]))
    (risk,) = [chart for chart in charts_of(tally) if RISK in chart.svg]
    assert "a threshold of 0.90 keeps 50% of links, at most 5% wrong" in risk.caption
