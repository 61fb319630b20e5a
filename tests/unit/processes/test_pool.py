"""Processes that do tasks, and die."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from deixis.errors import ConfigError, StoreError
from deixis.processes.pool import ATTEMPTS, Done, Failed, Pool
from tests.processes import PATIENCE, wait_until

HERE = Path(__file__).resolve().parent


@pytest.fixture(autouse=True)
def importable(monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(HERE))


def run(folder, tasks, n_workers=1, function="tasks:doubling", advance=lambda n: None):
    numbered = [(number, {"number": number, "what": what}) for number, what in enumerate(tasks)]
    return dict(Pool(n_workers).run(function, str(folder), numbered, advance))


@pytest.mark.parametrize("n_workers", [1, 3])
def test_every_task_has_its_result_however_many_processes_there_are(tmp_path, n_workers):
    counts = []
    outcomes = run(tmp_path, [None, "print", None, None, None], n_workers, advance=counts.append)
    assert outcomes == {number: Done({"double": 2 * number}) for number in range(5)}
    assert counts == [1] * 5


def test_nothing_to_do_starts_no_process(tmp_path):
    assert run(tmp_path, [], function="tasks:doomed") == {}


def test_a_task_whose_process_dies_is_done_by_another(tmp_path):
    counts = []
    outcomes = run(tmp_path, [None, "die once", None], advance=counts.append)
    assert outcomes == {number: Done({"double": 2 * number}) for number in range(3)}
    assert sum(counts) == 3 and -1 in counts


def test_a_task_that_kills_its_processes_is_given_up_and_the_others_are_done(tmp_path):
    outcomes = run(tmp_path, [None, "die", None])
    assert outcomes[1] == Failed(f"its process was killed by SIGKILL, {ATTEMPTS} times")
    assert outcomes[0] == Done({"double": 0}) and outcomes[2] == Done({"double": 4})


def test_an_error_of_a_task_is_its_own(tmp_path):
    outcomes = run(tmp_path, ["fail", "stumble", None])
    assert outcomes[0] == Failed("a.jsonl, line 3: no text")
    assert "nothing to divide by" in outcomes[1].reason and "ZeroDivisionError" in outcomes[1].reason
    assert outcomes[2] == Done({"double": 4})


def test_an_error_of_all_tasks_ends_the_run(tmp_path):
    with pytest.raises(ConfigError, match="not with this model"):
        run(tmp_path, [None, "refuse", None])
    with pytest.raises(ConfigError, match="no such thing"):
        run(tmp_path, [None], function="tasks:unable")


def test_processes_that_all_die_as_they_start_end_the_run(tmp_path):
    with pytest.raises(StoreError, match="processes died one after the other, the last one killed by SIGKILL"):
        run(tmp_path, [None] * 20, function="tasks:doomed")


def test_processes_end_with_the_one_that_started_them(tmp_path):
    tasks = [(number, {"number": number, "what": "sleep"}) for number in (1, 2)]
    call = f"list(Pool(2).run('tasks:doubling', {str(tmp_path)!r}, {tasks!r}, print))"
    code = f"from deixis.processes.pool import Pool; {call}"
    parent = subprocess.Popen([sys.executable, "-c", code])
    wait_until(lambda: len(list(tmp_path.iterdir())) == 2, "two processes at work")
    pids = [int(path.name) for path in tmp_path.iterdir()]
    assert all(is_alive(pid) for pid in pids)
    parent.send_signal(signal.SIGKILL)
    parent.wait(PATIENCE)
    wait_until(lambda: not any(is_alive(pid) for pid in pids), "the processes to end")


def is_alive(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    stat = Path(f"/proc/{pid}/stat")
    try:
        return stat.read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False
