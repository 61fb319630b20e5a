"""Bad callers: `python -m benchmarks.service.fuzz [--suite demo] [--bodies 10000] [--dry-run]`.

Bodies that are broken in ten thousand ways; requests that schemathesis makes from the OpenAPI file; callers who send
headers letter by letter while others ask; bodies of a gigabyte, by their stated length and in pieces. Nothing may crash
or be answered with 5xx, and none of it may cost much.
"""

import asyncio
import json
import random
import sys
import time
import urllib.request
from collections import Counter
from collections.abc import Iterator

import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from benchmarks.service.asking import Client, ask_on, post
from benchmarks.service.running import TOKEN, Service, latencies, model_of, options, serving, tell, texts_of
from deixis.evaluation.rows import ResultRow

N_BODIES, N_CASES, N_SLOW, GIGABYTE = 10_000, 500, 200, 1_000_000_000
PATHS = ("/link", "/link/batch", "/explain", "/explain/batch", "/entities", "/learn")
VALUES = (None, True, -1, 0, 10**30, 1e308, "", "\ud800", "x" * 10_000, [], {}, [[]] * 50, {"text": {"text": []}})


def broken_requests(texts: list[str], n: int, seed: int = 0) -> Iterator[bytes]:
    """Requests whose bodies were good before: keys lost or doubled, values swapped, bytes changed, the end cut off."""
    rng = random.Random(seed)
    for _ in range(n):
        path, text = rng.choice(PATHS), rng.choice(texts)
        span = {"start": rng.randrange(-2, 40), "end": rng.randrange(0, 60)}
        body = {
            "/explain": {"text": text, **span},
            "/learn": {"text": text, **span, "gold": "nowhere"},
            "/entities": {"ids": [text[:9]], "names": [text[:9]], "limit": 3},
        }.get(path, {"text": text, "mentions": [span] * rng.randrange(3)})
        for key in rng.sample(sorted(body), rng.randrange(2)):
            body[key] = rng.choice(VALUES)
        if path == "/link/batch":
            body = {"documents": [body]}
        elif path == "/learn":
            body = {"corrections": [body]}
        request = bytearray(post(path, body))
        head = request.index(b"\r\n\r\n") + 4
        for _ in range(rng.choice((0, 0, 1, 3))):
            if len(request) > head:
                request[rng.randrange(head, len(request))] = rng.randrange(256)
        yield bytes(request)


async def fuzzed(service: Service, requests: list[bytes]) -> Counter[int]:
    """How often each status was given; 0 is a connection that broke."""
    statuses: Counter[int] = Counter()
    shared = iter(requests)

    async def one() -> None:
        client = Client(service.port)
        for request in shared:
            try:
                statuses[(await asyncio.wait_for(client.ask(request), 60))[0]] += 1
            except (OSError, asyncio.IncompleteReadError, TimeoutError):
                statuses[0] += 1
                client.close()
        client.close()

    await asyncio.gather(*(one() for _ in range(8)))
    return statuses


def from_schema(service: Service, n: int) -> int:
    """Of requests made from the OpenAPI file, those that were answered with 5xx or not at all."""
    url = f"http://localhost:{service.port}"
    with urllib.request.urlopen(f"{url}/openapi.json") as stream:
        schema = schemathesis.openapi.from_dict(json.load(stream))
    strategies = [found.ok().as_strategy() for found in schema.get_all_operations()]
    n_failed = 0

    @settings(max_examples=n, deadline=None, suppress_health_check=list(HealthCheck), phases=[Phase.generate])
    @given(case=st.one_of(strategies))
    def ask(case: schemathesis.Case) -> None:
        nonlocal n_failed
        answer = case.call(base_url=url, headers={"authorization": f"Bearer {TOKEN}"})
        n_failed += answer.status_code >= 500

    ask()
    return n_failed


async def slow_callers(service: Service, request: bytes, seconds: float) -> tuple[int, float]:
    """Of callers who send a letter a second, those still connected at the end; and others' p99 in milliseconds."""
    streams = [await asyncio.open_connection("127.0.0.1", service.port) for _ in range(N_SLOW)]

    async def on_and_on(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        end = time.monotonic() + seconds
        writer.write(b"GET /health HTTP/1.1\r\nX: ")
        while time.monotonic() < end:
            try:
                writer.write(b"a")
                if await asyncio.wait_for(reader.read(1), 1) == b"":
                    return False
            except TimeoutError:
                continue
            except OSError:
                return False
        return True

    slow = asyncio.gather(*(on_and_on(*each) for each in streams))
    answers = await ask_on(service.port, [request], 4, seconds)
    left = sum(await slow)
    for _, writer in streams:
        writer.close()
    return left, latencies(answers.seconds)["p99"]


async def large_body(service: Service, is_stated: bool) -> tuple[int, float]:
    """The status for a body of a gigabyte, and how many megabytes of it were taken before."""
    reader, writer = await asyncio.open_connection("127.0.0.1", service.port)
    size = f"Content-Length: {GIGABYTE}" if is_stated else "Transfer-Encoding: chunked"
    writer.write(f"POST /link HTTP/1.1\r\nHost: localhost\r\n{size}\r\n\r\n".encode())
    piece, n_sent = b"a" * 65536, 0
    answer = asyncio.create_task(reader.readline())
    while not answer.done() and n_sent < GIGABYTE:
        writer.write(piece if is_stated else b"%x\r\n%b\r\n" % (len(piece), piece))
        n_sent += len(piece)
        await writer.drain()
        await asyncio.sleep(0)
    status = int((await answer).split()[1])
    writer.close()
    return status, n_sent / 1e6


def main() -> int:
    """Measure, print and record."""
    chosen = options(__doc__, seconds=15)
    texts, scale = texts_of(chosen.suite), min(1.0, chosen.seconds / 15)
    requests = list(broken_requests(texts, int(N_BODIES * scale)))
    with serving(model_of(chosen.suite), "--set", "header_seconds=5") as service:
        workers, before = service.workers(), service.memory()
        statuses = asyncio.run(fuzzed(service, requests))
        n_failed_cases = from_schema(service, int(N_CASES * scale))
        stated, sent = asyncio.run(large_body(service, is_stated=True))
        in_pieces, sent_in_pieces = asyncio.run(large_body(service, is_stated=False))
        good = post("/link", {"text": texts[0]})
        left, p99 = asyncio.run(slow_callers(service, good, max(chosen.seconds, 7)))
        lost, grown = int(service.workers() != workers), service.memory() - before
    n_failed = statuses[0] + sum(n for status, n in statuses.items() if status >= 500)
    figures = {
        "fuzzed_bodies": (len(requests), "requests"),
        "fuzzed_failed": (n_failed, "requests"),
        "schema_cases": (int(N_CASES * scale), "requests"),
        "schema_failed": (n_failed_cases, "requests"),
        "gigabyte_stated_status": (stated, "status"),
        "gigabyte_stated_taken": (sent, "MB"),
        "gigabyte_chunked_status": (in_pieces, "status"),
        "gigabyte_chunked_taken": (sent_in_pieces, "MB"),
        "slow_callers_left": (left, f"of {N_SLOW}"),
        "p99_beside_slow_callers": (p99, "ms"),
        "workers_lost": (lost, "workers"),
        "memory_grown": (grown, "MB"),
    }
    rows = [
        ResultRow(f"service/{chosen.suite}", metric, "fuzz", round(value, 2), unit)
        for metric, (value, unit) in figures.items()
    ]
    print(dict(statuses))
    tell(rows, chosen.dry_run)
    return int(bool(n_failed or n_failed_cases or lost or left))


if __name__ == "__main__":
    sys.exit(main())
