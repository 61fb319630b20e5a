"""What a saved labeller costs when it predicts: `python -m benchmarks.xmc.predict_cost MODEL TEXTS`.

Prints JSON: processor time for a text (the least of five runs over all of them) in microseconds, and the resident
memory that loading the model and labelling them adds, in megabytes. Labels that are called as a text are filtered.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from deixis.labelling.label_filter import OwnLabels
from deixis.labelling.labeller import Labeller
from deixis.store.strings import StringTable

N_RUNS = 5
K = 5
MB = 1 << 20


def predict_cost(labeller: Labeller, texts: StringTable) -> dict[str, float]:
    """Disk in megabytes, and what `main` prints, measured in a process of its own."""
    with tempfile.TemporaryDirectory() as folder:
        model, inputs = Path(folder) / "model", Path(folder) / "texts.json"
        labeller.save(model)
        disk = sum(path.stat().st_size for path in model.rglob("*") if path.is_file())
        inputs.write_text(json.dumps(list(texts)), encoding="utf-8")
        command = [sys.executable, "-m", "benchmarks.xmc.predict_cost", str(model), str(inputs)]
        one_thread = os.environ | {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
        done = subprocess.run(command, capture_output=True, text=True, check=True, env=one_thread)
    return {"disk": disk / MB} | json.loads(done.stdout)


def main() -> None:
    """Load, label, print."""
    model, inputs = sys.argv[1:]
    texts = StringTable.from_strings(json.loads(Path(inputs).read_text(encoding="utf-8")))
    before = memory("VmRSS")
    labeller = Labeller.load(model, n_threads=1)
    own = OwnLabels(labeller.vocabulary.titles).of(texts)
    seconds = []
    for _ in range(N_RUNS):
        started = time.process_time()
        labeller.rank(texts, K, filtered=own)
        seconds.append(time.process_time() - started)
    print(json.dumps({"predict_cpu": 1e6 * min(seconds) / len(texts), "rss": memory("VmHWM") - before}))


def memory(name: str) -> float:
    """Megabytes by /proc: VmRSS now, VmHWM at most; getrusage would hand down the peak of the parent process."""
    lines = Path("/proc/self/status").read_text(encoding="utf-8").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(f"{name}:")) * 1024 / MB


if __name__ == "__main__":
    main()
