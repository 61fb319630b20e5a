"""A save that is killed at any moment leaves the old model, the new one, or none: never half of one."""

import random
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

from deixis.errors import StoreError
from deixis.store.model_folder import open_model, save_model
from tests.processes import wait_until

SAVER = """
import sys, itertools, numpy as np
from deixis.store.model_folder import save_model
print("ready", flush=True)
for n in itertools.count(1):
    save_model(sys.argv[1], "toy", {"n": n}, {f"a{k}": np.full(50_000, n) for k in range(8)})
"""


def is_whole(model):
    return all((array == model.config["n"]).all() for array in model.arrays.values())


@pytest.mark.skipif(sys.platform == "win32", reason="needs SIGKILL")
@pytest.mark.parametrize("had_model", [False, True])
def test_a_killed_save_never_leaves_half_a_model(tmp_path, had_model):
    chance = random.Random(5)
    path = tmp_path / "model"
    for _ in range(4):
        if had_model:
            save_model(path, "toy", {"n": 0}, {"a0": np.zeros(10, np.int64)})
        saver = subprocess.Popen([sys.executable, "-c", SAVER, str(path)], stdout=subprocess.PIPE)
        saver.stdout.readline()
        time.sleep(chance.uniform(0, 0.25))
        saver.send_signal(signal.SIGKILL)
        saver.wait()
        saver.stdout.close()
        try:
            assert is_whole(open_model(path, verify=True))
        except StoreError as error:
            assert not had_model and "no such folder" in str(error)
            continue
        had_model = True
    save_model(path, "toy", {"n": 7}, {"a0": np.full(10, 7)})
    assert [entry.name for entry in tmp_path.iterdir()] == ["model"]
    assert is_whole(open_model(path, verify=True))


def test_a_reader_always_sees_one_whole_model_while_another_process_saves(tmp_path):
    path = tmp_path / "model"
    save_model(path, "toy", {"n": 0}, {f"a{k}": np.zeros(50_000, np.int64) for k in range(8)})
    saver = subprocess.Popen([sys.executable, "-c", SAVER, str(path)], stdout=subprocess.PIPE)
    try:
        saver.stdout.readline()
        seen = set()

        def is_seen_to_change():
            model = open_model(path)
            assert is_whole(model)
            seen.add(model.config["n"])
            return len(seen) > 5

        wait_until(is_seen_to_change, "a reader sees six models")
    finally:
        saver.kill()
        saver.wait()
        saver.stdout.close()
