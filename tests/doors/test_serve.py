"""`deixis serve` as a process on a free port of this machine."""

import asyncio
import json
import os
import re
import select
import signal
import socket
import sys
import threading
import time
from collections import Counter
from contextlib import contextmanager, suppress
from http.client import HTTPConnection
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest

from deixis.errors import ConfigError
from deixis.service.process.supervisor import listening
from tests.processes import PATIENCE, processor_seconds, wait_until

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="workers are forked on Linux, and signals are Unix's")
TOKEN = "a-token-for-the-doors"
TEXT = "To save Troy, Paris had to be sacrificed."


class Service:
    """A running `deixis serve`, and a client of it."""

    def __init__(self, process):
        self.process, self.log = process, []
        self.url = self._address()

    def _address(self):
        deadline, said = time.monotonic() + PATIENCE, select.poll()  # which knows files of any number
        said.register(self.process.stderr, select.POLLIN)
        while time.monotonic() < deadline:
            if said.poll(100):
                line = self.process.stderr.readline().decode()
                assert line, f"it ended: {self.log}"
                self.log.append(line)
                if found := re.match(r"Serving .* on (http://\S+)", line):
                    self._listening = threading.Thread(target=self._listen)
                    self._listening.start()
                    return found[1]
        raise AssertionError(f"it did not start: {self.log}")

    def _listen(self):
        for line in self.process.stderr:
            self.log.append(line.decode())

    def end(self):
        self.process.terminate()
        self.process.wait(PATIENCE)
        self._listening.join()
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            pipe.close()

    @property
    def address(self):
        host, _, port = self.url.removeprefix("http://").rpartition(":")
        return host, int(port)

    def __call__(self, path, body=None, token=None):
        headers = {"content-type": "application/json"} | ({"authorization": f"Bearer {token}"} if token else {})
        data = None if body is None else json.dumps(body).encode()
        try:
            with urlopen(Request(self.url + path, data, headers), timeout=PATIENCE) as answer:
                return answer.status, json.loads(answer.read() or b"null")
        except HTTPError as error:
            return error.code, json.loads(error.read())

    def n_logged(self, message):
        return sum(f'"{message}"' in line for line in self.log)

    def n_running(self):
        with urlopen(self.url + "/metrics", timeout=PATIENCE) as answer:
            return int(re.search(rb"\ndeixis_requests_running (\d+)", answer.read())[1])

    def workers(self):
        children = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text().split()
        return {int(child) for child in children}


@contextmanager
def serving(deixis, model, *arguments, in_background=False):
    deixis.environment["DEIXIS_TOKEN"] = TOKEN
    command = ("serve", model, "--port", 0, *arguments)
    service = Service(deixis.start(*command, in_background=in_background))
    try:
        yield service
    finally:
        service.end()


def test_a_service_answers_learns_and_ends_well(deixis, own_model):
    with serving(deixis, own_model, "--workers", 2) as service:
        status, linked = service("/link", {"text": TEXT})
        assert status == 200 and {"Troy", "Paris"} == {mention["text"] for mention in linked["mentions"]}
        correction = {"text": TEXT, "start": 14, "end": 19, "gold": "paris_city"}
        assert service("/learn", {"corrections": [correction]})[0] == 401
        assert service("/learn", {"corrections": [correction]}, TOKEN)[1]["new"] == 1
        for _ in range(8):  # whichever worker answers
            mentions = service("/link", {"text": TEXT})[1]["mentions"]
            assert [each["entity"] for each in mentions if each["text"] == "Paris"] == ["paris_city"]
        sparta = {"id": "sparta", "title": "Sparta"}
        assert service("/entities/add", {"entities": [sparta]})[0] == 401
        for number in range(6):  # whoever writes, and whoever answers
            entity = {**sparta, "id": f"sparta{number}", "title": f"Sparta{number}"}
            assert service("/entities/add", {"entities": [entity]}, TOKEN)[1]["generation"] == number + 2
            linked = service("/link", {"text": f"We saw Sparta{number}."})[1]
            assert [each["entity"] for each in linked["mentions"]] == [entity["id"]]
        assert service("/undo", {"generation": 1, "last": 7}, TOKEN)[1]["undoes"] == [1, 7]
        assert service("/ready")[1]["corrections"] == 0
    assert service.process.returncode == 0
    requests = [json.loads(line) for line in service.log if line.startswith("{") and '"request"' in line]
    assert {each["route"] for each in requests} >= {"/link", "/learn"} and TEXT not in "".join(service.log)
    assert "Traceback" not in "".join(service.log)


def test_a_killed_worker_is_replaced_at_once(deixis, model):
    with serving(deixis, model) as service:
        (worker,) = service.workers()
        os.kill(worker, signal.SIGKILL)
        assert service("/link", {"text": TEXT})[0] == 200
        (new,) = service.workers()
        assert new != worker and processor_seconds(new) < 1


@pytest.mark.parametrize("in_background", [False, True])
def test_an_interrupt_ends_a_service_unless_it_runs_in_the_background(deixis, model, in_background):
    with serving(deixis, model, "--workers", 2, in_background=in_background) as service:
        workers = service.workers()
        for process in (*workers, service.process.pid):  # as the terminal sends it: to all of them
            os.kill(process, signal.SIGINT)
        if in_background:
            assert service("/reload", {}, TOKEN)[0] == 200 and service.workers() == workers
        else:
            assert service.process.wait(timeout=PATIENCE) == 0
    assert service.process.returncode == 0 and "Traceback" not in "".join(service.log)


def test_no_request_fails_while_models_are_loaded_and_one_accepted_is_answered_at_the_end(deixis, model):
    statuses, is_over = [], threading.Event()

    def ask(service):
        while not is_over.is_set():
            statuses.append(service("/link", {"text": TEXT})[0])

    with serving(deixis, model) as service:
        asking = [threading.Thread(target=ask, args=(service,)) for _ in range(2)]
        for thread in asking:
            thread.start()
        for _ in range(3):
            assert service("/reload", {}, TOKEN)[0] == 200
        service.process.send_signal(signal.SIGHUP)
        wait_until(lambda: service.n_logged("model loaded") == 5, "a load for each time that it was asked for")
        is_over.set()
        for thread in asking:
            thread.join()
        large = threading.Thread(
            target=lambda: statuses.append(service("/link/batch", {"documents": [{"text": TEXT * 50}] * 80})[0])
        )
        large.start()
        wait_until(lambda: service.n_running() or not large.is_alive(), "the request is being worked on")
        service.process.terminate()
        large.join()
        service.process.wait(timeout=PATIENCE)  # a second signal, while Python itself ends, would kill it
    assert set(statuses) == {200} and len(statuses) > 3
    assert service.process.returncode == 0


def test_slow_and_large_callers_are_cut_off(deixis, model):
    with serving(
        deixis, model, "--set", "header_seconds=0.5", "--set", "body_seconds=0.5", "--max-body", 1000
    ) as service:
        slow = socket.create_connection(service.address)
        slow.sendall(b"GET /health HTTP/1.1\r\nHost: local")
        slow.settimeout(5)
        with suppress(ConnectionResetError):
            assert slow.recv(100) == b""
        dribbling = socket.create_connection(service.address)
        dribbling.sendall(b"POST /link HTTP/1.1\r\nHost: localhost\r\nContent-Length: 20\r\n\r\n{")
        dribbling.settimeout(5)
        assert b" 408 " in dribbling.recv(4096).splitlines()[0]
        large = socket.create_connection(service.address)
        large.sendall(b"POST /link HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000000\r\n\r\n")
        large.settimeout(5)
        assert b" 413 " in large.recv(4096).splitlines()[0]
        endless = socket.create_connection(service.address)
        endless.settimeout(5)
        with pytest.raises((ConnectionResetError, BrokenPipeError)):
            endless.sendall(b"GET /health HTTP/1.1\r\n")
            while True:
                endless.sendall(b"x-more: " + b"a" * 8000 + b"\r\n")
        assert service("/health")[0] == 200
        for each in (slow, dribbling, large, endless):
            each.close()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["nowhere"], "nowhere"),
        (["kb.jsonl"], "kb.jsonl"),
        (["MODEL", "--host", "0.0.0.0"], "needs a token"),
        (["MODEL", "--token-file", "kb.jsonl"], "at least 16"),
        (["MODEL", "--host", "203.0.113.1", "--token-file", "token"], "Cannot listen on 203.0.113.1"),
    ],
)
def test_what_keeps_it_from_starting_is_told(deixis_inside, model, arguments, words, monkeypatch, tmp_path):
    monkeypatch.delenv("DEIXIS_TOKEN", raising=False)
    (tmp_path / "token").write_text(TOKEN)
    asked = [str(model) if each == "MODEL" else each for each in arguments]
    assert words in deixis_inside("serve", *asked, code=1).stderr


def test_a_setting_out_of_range_is_refused_as_wrong_usage(deixis_inside, model):
    refused = deixis_inside("serve", str(model), "--queue", "-1", code=2).stderr
    assert "Invalid value for '--queue': -1 is not in the range" in refused


def test_what_is_asked_for_with_head_has_no_body(deixis, model):
    with serving(deixis, model) as service:
        for path in ("/health", "/ready", "/workbench/", "/entities/paris_city"):
            with urlopen(Request(service.url + path, method="HEAD"), timeout=PATIENCE) as answer:
                assert (answer.status, answer.read()) == (200, b"") and int(answer.headers["content-length"]) > 0
        with pytest.raises(HTTPError, match="405"):
            urlopen(Request(service.url + "/link", method="HEAD"), timeout=PATIENCE)


def test_answers_do_not_wait_for_more_to_be_sent():
    (listener,) = listening("127.0.0.1", 0, 1)

    async def accepted():
        found = asyncio.get_running_loop().create_future()
        server = await asyncio.start_server(lambda _, writer: found.set_result(writer), sock=listener)
        _, own = await asyncio.open_connection(*listener.getsockname())
        writer = await found
        option = writer.get_extra_info("socket").getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
        for each in (own, writer):
            each.close()
            await each.wait_closed()
        server.close()
        return option

    assert asyncio.run(accepted())


def test_the_folder_can_be_the_one_where_one_is(deixis, model):
    with serving(deixis, model) as service:
        assert service("/ready")[1]["model"] == model.name
    deixis.folder = model
    service = Service(deixis.start("serve", ".", "--port", 0))
    try:
        assert service("/ready")[1]["model"] == model.name
    finally:
        service.end()


def test_a_file_of_corrections_is_to_be_added_to_the_model(deixis_inside, model):
    told = deixis_inside("serve", model, "--corrections", "kept.jsonl", code=1).stderr
    assert "journal beside the model" in told and f"deixis correct {model} kept.jsonl" in " ".join(told.split())


def test_connections_that_come_at_once_are_shared_by_the_workers(deixis, model):
    with serving(deixis, model, "--workers", 2) as service:
        connections = [HTTPConnection(*service.address, timeout=PATIENCE) for _ in range(24)]
        for connection in connections:
            connection.connect()
        for connection in connections:
            connection.request("POST", "/link", json.dumps({"text": TEXT}), {"content-type": "application/json"})
        for connection in connections:
            assert connection.getresponse().read()
            connection.close()
    requests = [json.loads(line) for line in service.log if '"request"' in line]
    shares = Counter(each["process"] for each in requests)
    assert len(shares) == 2 and min(shares.values()) > 2, shares


@pytest.mark.parametrize("n_workers", [1, 2])
def test_an_address_that_another_service_has_is_not_shared_with_it(n_workers):
    first = listening("127.0.0.1", 0, n_workers)
    with pytest.raises(ConfigError, match="Address already in use"):
        listening(*first[0].getsockname(), 2)
    for each in first:
        each.close()
