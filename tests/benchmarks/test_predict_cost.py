import numpy as np

from benchmarks.xmc.predict_cost import predict_cost
from deixis.labelling.labeller import Labeller
from tests.library import books, library_vocabulary


def test_memory_is_what_the_model_adds_and_not_what_the_parent_process_holds():
    labeller = Labeller.build(books(120), library_vocabulary(), n_threads=1)
    held = np.ones(300 << 17)  # 300 MB: the peak of a process is handed down to those it starts
    cost = predict_cost(labeller, books(200, seed=1).texts)
    assert held[0] == 1
    assert 0 < cost["rss"] < 200 and cost["predict_cpu"] > 0 and cost["disk"] > 0
