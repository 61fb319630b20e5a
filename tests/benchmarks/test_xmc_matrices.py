import gzip
import json

import numpy as np
import pytest
from scipy import sparse

from benchmarks.xmc import peers, tree_shapes
from benchmarks.xmc.datasets import PARTS, Dataset
from benchmarks.xmc.matrices import FEATURES, make, most_frequent, unit_rows_of
from deixis.evaluation.labels.frequencies import LabelFrequencies
from deixis.kb.knowledge_base import KnowledgeBase


def test_the_columns_in_the_most_documents_are_kept_in_their_order():
    idf = np.array([3.0, 1.0, 2.0, 1.0, 2.0])
    assert most_frequent(idf, 3).tolist() == [1, 2, 3]
    assert most_frequent(idf, 9).tolist() == [0, 1, 2, 3, 4]


def test_rows_have_length_one_again_without_the_other_columns():
    rows = sparse.csr_matrix(np.array([[3.0, 4.0, 12.0], [0.0, 0.0, 1.0]], dtype=np.float32))
    kept = unit_rows_of(rows, np.array([0, 1]))
    np.testing.assert_allclose(kept.toarray(), [[0.6, 0.8], [0.0, 0.0]], rtol=1e-6)
    assert kept.dtype == np.float32


def test_words_that_only_titles_have_are_features_where_titles_are_counted_too(tmp_path):
    for part in PARTS:
        with gzip.open(tmp_path / f"{part}.jsonl.gz", "wt", encoding="utf-8") as lines:
            for number, (text, label) in enumerate([("cat", "p1"), ("ship", "p2"), ("sail", "p2")]):
                lines.write(json.dumps({"id": str(number), "text": text, "labels": [label]}) + "\n")
    vocabulary = KnowledgeBase.from_records([{"id": "p1", "title": "felines"}, {"id": "p2", "title": "ship"}])
    read = Dataset("small", vocabulary, tmp_path)
    plain, counted = (make(read, None, FEATURES, 100, has_title_words=has) for has in (False, True))
    assert np.diff(plain["labels_by_features"].indptr).tolist() == [0, 1]
    assert np.diff(counted["labels_by_features"].indptr).tolist() == [1, 1]
    assert counted["X_train"].shape[1] == plain["X_train"].shape[1] + 1


def test_quality_costs_and_ratios_become_rows():
    truth = sparse.csr_matrix(np.array([[1, 0, 0], [0, 1, 0]], dtype=np.float32))
    right, wrong = truth.copy(), sparse.csr_matrix(np.array([[0, 0, 1], [0, 1, 0]], dtype=np.float32))
    measured = {
        "deixis": ([{"train_cpu": 2.0, "predict_cpu": 0.5, "disk": 10.0}], right),
        "pecos": ([{"train_cpu": 9.0, "predict_cpu": 1.0, "disk": 5.0}], wrong),
    }
    rows = list(peers.rows_of("s", measured, truth, LabelFrequencies.of(truth), {"split": "dev"}))
    values = {(row.system, row.metric): row.value for row in rows}
    assert values["deixis", "precision@1"] == 1.0 and values["pecos", "precision@1"] == 0.5
    assert values["deixis/pecos", "train_cpu_ratio"] == 4.5 and values["deixis/pecos", "disk_ratio"] == 0.5
    assert {metric for _, metric in values if "@" in metric} == set(peers.METRICS)
    assert ("deixis/deixis", "train_cpu_ratio") not in values


@pytest.mark.parametrize("name", list(tree_shapes.CONFIGS))
def test_every_shape_but_features_differs_from_the_preset(name):
    config, beams = tree_shapes.CONFIGS[name]
    assert (config == tree_shapes.LABELLING) == (name in ("preset", "sublinear"))
    assert all(beam != config.beam for beam in beams.values())
