import signal
import subprocess
import sys

import pytest

from tests.processes import PATIENCE, start

SCRIPT = """
import numpy as np
from deixis.features.tfidf import TfidfVectorizer
from deixis.store.strings import StringTable

data = np.tile(np.frombuffer(b"some words that come again and again, ", np.uint8), 10_000_000)
texts = StringTable(np.arange(0, len(data) + 1, 380, dtype=np.int64), data)
try:
    print("ready", flush=True)
    TfidfVectorizer().fit(texts, n_threads=%d)
    print("finished")
except KeyboardInterrupt:
    print("interrupted")
"""


@pytest.mark.skipif(sys.platform == "win32", reason="SIGINT cannot be sent to one process on Windows")
@pytest.mark.parametrize("n_threads", [1, 2])
def test_a_long_fit_stops_when_the_user_interrupts_it(n_threads):
    command = [sys.executable, "-c", SCRIPT % n_threads]
    with start(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "ready\n"
        process.send_signal(signal.SIGINT)
        assert process.communicate(timeout=PATIENCE)[0] == "interrupted\n"
