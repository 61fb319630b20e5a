import numpy as np
import pytest
from scipy import sparse

from benchmarks.xmc import gandalf_titles, title_sets
from benchmarks.xmc.title_mentions import title_mentions
from benchmarks.xmc.title_scores import Part, best_first, looked_up, where_found
from deixis.evaluation.labels.frequencies import LabelFrequencies
from deixis.xmr.label_graph import LabelGraphConfig

PAGES = {
    "Alan Turing": "Alan Turing studied the Turing machine and mathematics. In Berlin he slept.",
    "Turing machine": "A turing machine, by Alan Turing. Machine Berlin.",
    "Berlin": "Berlin is the capital of Germany.",
    "Mercury (planet)": "No page is called mercury twice. It is not in Germany",
    "Mercury (element)": "Mathematics of Alan\nTuring.",
    "Mathematics": "mathematics and more mathematics, Mathematics.",
    "Germany": "A country.",
}


@pytest.fixture(scope="module")
def named():
    titles = list(PAGES)
    matrix = title_mentions(titles, [title.split(" (")[0] for title in titles], list(PAGES.values()))
    return {title: {titles[other] for other in matrix[row].indices} for row, title in enumerate(titles)}


def test_a_description_names_other_pages_but_never_its_own(named):
    assert named["Alan Turing"] == {"Turing machine", "Berlin"}  # mathematics is written in lower case, so it is a word
    assert named["Berlin"] == {"Germany"} and named["Germany"] == set()


def test_only_the_first_letter_may_differ_in_case_and_no_name_goes_over_the_end_of_a_sentence(named):
    assert named["Turing machine"] == {"Alan Turing", "Berlin"}
    assert named["Mercury (element)"] == set()


def test_a_name_of_two_pages_is_nobodys(named):
    assert all("Mercury (planet)" not in pages and "Mercury (element)" not in pages for pages in named.values())


@pytest.fixture
def ring():
    """Pages on a ring, each with the three before it and the three after it as labels."""
    n = 60
    links = sparse.csr_matrix(sum(np.roll(np.eye(n, dtype=np.float32), step, axis=1) for step in (-3, -2, -1, 1, 2, 3)))
    pages = title_sets.Pages([f"page {row}" for row in range(n)], links)
    return title_sets.split_of("also-mentioned", 0, pages, np.arange(n))


def test_parts_do_not_share_inputs_and_labels_stand_in_training_twice(ring):
    parts = [set(part.texts) for part in (ring.train, ring.dev, ring.test)]
    assert not (parts[0] & parts[1] or parts[0] & parts[2] or parts[1] & parts[2])
    assert np.bincount(ring.train.docs_by_labels.indices).min() >= 2
    assert all(np.diff(part.docs_by_labels.indptr).min() > 0 for part in (ring.train, ring.dev, ring.test))


def test_a_pair_is_mirrored_where_training_has_it_the_other_way_round(ring):
    titles = list(ring.vocabulary.titles)
    train = dict(zip(ring.train.texts, ring.train.docs_by_labels, strict=True))
    mirrored = ring.mirrored(ring.dev).toarray()
    for row, text in enumerate(ring.dev.texts):
        expected = {
            other for other in train if text in titles and other in titles and train[other][0, titles.index(text)]
        }
        assert {titles[label] for label in np.flatnonzero(mirrored[row])} == expected


def test_also_mentioned_pages_share_two_descriptions_and_never_themselves(monkeypatch):
    baskets = sparse.csr_matrix(np.array([[1, 1, 0], [1, 1, 1], [0, 1, 1], [1, 0, 0]], np.float32))
    pages = title_sets.Pages(["aaaa", "bbbb", "cccc"], baskets)
    monkeypatch.setattr(title_sets, "description_titles", lambda: pages)
    also = title_sets.also_mentioned().pages_by_labels.toarray()
    assert also[:3].tolist() == [[0, 1, 0], [1, 0, 1], [0, 1, 0]]


def part_of(truth, own, mirrored=None):
    truth, own = sparse.csr_matrix(truth), sparse.csr_matrix(own)
    mirrored = sparse.csr_matrix(own.shape) if mirrored is None else sparse.csr_matrix(mirrored)
    return Part([""] * truth.shape[0], truth, own, mirrored, LabelFrequencies.of(truth))


def test_inputs_that_are_labels_and_others_are_scored_apart():
    part = part_of([[0, 1, 0], [0, 0, 1]], [[1, 0, 0], [0, 0, 0]])
    scores = part.scores(sparse.csr_matrix([[0, 0.9, 0.1], [0.9, 0, 0.1]]))
    assert (scores["precision@1"], scores["precision@1/labels"], scores["precision@1/others"]) == (0.5, 1, 0)


def test_mirrored_pairs_are_left_out_of_truth_and_ranking():
    part = part_of([[0, 1, 1], [1, 0, 0]], [[1, 0, 0], [0, 0, 0]], [[0, 1, 0], [0, 0, 0]])
    scores = part.scores(best_first(sparse.csr_matrix([[0, 0.9, 0.5], [0, 0.7, 0.6]])))
    assert scores["precision@1/no-mirror"] == 0.5  # the first is right by its second label


def test_the_lookup_gives_neighbours_of_the_own_label_and_nothing_to_other_inputs(ring):
    part = Part.of(ring, "dev")
    ranked = looked_up(ring, part, LabelGraphConfig())
    assert (np.diff(ranked.indptr)[~part.is_label] == 0).all()
    assert ranked.multiply(part.own).nnz == 0


def test_where_the_lookup_is_empty_the_ranker_answers():
    mixed = where_found(sparse.csr_matrix([[0, 0.2, 0.3], [0, 0, 0]]), sparse.csr_matrix([[0.9, 0, 0], [0.8, 0, 0.9]]))
    assert [row.indices.tolist() for row in mixed] == [[2, 1], [2, 0]]


def test_rows_are_means_over_splits_and_test_has_only_what_dev_has_chosen(monkeypatch, ring):
    monkeypatch.setattr(gandalf_titles, "title_set", lambda *_: ring)
    monkeypatch.setattr(gandalf_titles, "predict_cost", lambda *_: {"disk": 1.0, "predict_cpu": 2.0, "rss": 3.0})
    first, rows = gandalf_titles.measure(
        "also-mentioned", "tree", (0, 1), ("none", "self", "delta-0.1", "target-0.1"), None
    )
    assert [each[0].settings["splits"] for each in (first, rows)] == [[0], [0, 1]]
    by_key = {(row.suite, row.metric, row.system): row for row in rows}
    dev, test = "gandalf/also-mentioned-tree", "gandalf/also-mentioned-tree-test"
    assert {row.system for row in rows if row.suite == test} == {"none", "self", "soft", "lookup", "self+lookup"}
    best = max(("delta-0.1", "target-0.1"), key=lambda arm: by_key[dev, "precision@1", arm].value)
    assert by_key[test, "precision@1", "soft"].settings["chosen"]["soft"] == best
    row = by_key[dev, "precision@1", "self"]
    assert row.low == row.value == row.high and row.n == 2 * len(ring.dev)  # both splits are the same here
    gain = by_key[dev, "precision@1_gain", "target-0.1"]
    assert gain.value == pytest.approx(by_key[dev, "precision@1", "target-0.1"].value - row.value, abs=1e-5)
    assert gain.low <= gain.value <= gain.high
