"""What other implementations say."""

import json
import os
import subprocess
import sys

import pytest

RANX = """
import json, sys
from ranx import Qrels, Run, evaluate
job = json.load(sys.stdin)
scores = evaluate(Qrels(job["qrels"]), Run(job["run"]), job["metrics"])
print(json.dumps({name: float(value) for name, value in scores.items()}))
"""


@pytest.fixture
def ranx_scores():
    """Scores by ranx of {query: {label: gain}} against {query: {label: score}}, for two or more of its metrics.

    It runs in a process of its own, where numba does not compile: that takes longer than all our tests.
    """

    def scores(qrels, run, metrics):
        job = json.dumps({"qrels": qrels, "run": run, "metrics": metrics})
        environment = os.environ | {"NUMBA_DISABLE_JIT": "1"}
        command = [sys.executable, "-W", "ignore", "-c", RANX]
        done = subprocess.run(command, input=job, capture_output=True, text=True, check=True, env=environment)
        return json.loads(done.stdout)

    return scores
