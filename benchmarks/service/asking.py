"""Clients of the service, many at once and as light as can be: HTTP/1.1 by hand on asyncio's streams."""

import asyncio
import json
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

from benchmarks.service.running import TOKEN


def post(path: str, body: object) -> bytes:
    """A request, as it goes over the wire."""
    content = json.dumps(body).encode()
    head = f"POST {path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {TOKEN}\r\n"
    head += f"Content-Type: application/json\r\nContent-Length: {len(content)}\r\n\r\n"
    return head.encode() + content


@dataclass
class Answers:
    """What came back: seconds of each 200, the number of each status, and of connections that broke."""

    seconds: list[float] = field(default_factory=list)
    statuses: Counter[int] = field(default_factory=Counter)
    n_broken: int = 0
    n_without_retry: int = 0
    elapsed: float = 0.0  # seconds until the last was answered


class Client:
    """One connection, opened again when it breaks."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def ask(self, request: bytes) -> tuple[int, bytes]:
        """The status and the headers of the answer."""
        if self._streams is None:
            self._streams = await asyncio.open_connection("127.0.0.1", self._port)
        reader, writer = self._streams
        try:
            writer.write(request)
            head = (await reader.readuntil(b"\r\n\r\n")).lower()
            length = int(head.partition(b"content-length: ")[2].partition(b"\r\n")[0] or 0)
            await reader.readexactly(length)
        except (OSError, asyncio.IncompleteReadError):
            self.close()
            raise
        if b"connection: close" in head:
            self.close()
        return int(head.split(b" ", 2)[1]), head

    def close(self) -> None:
        """Ends the connection."""
        if self._streams is not None:
            self._streams[1].close()
            self._streams = None


async def ask_on(
    port: int,
    requests: list[bytes],
    n_clients: int,
    seconds: float,
    is_over: Callable[[], bool] = lambda: False,
    per_second: float | None = None,
) -> Answers:
    """So many clients, each asking again as soon as it is answered, until the time is over.

    With `per_second` they wait in between, so that all together ask so many times a second, if they are answered soon.
    """
    answers, end = Answers(), time.monotonic() + seconds

    async def one(number: int) -> None:
        client, turn = Client(port), number
        pause = 0.0 if per_second is None else n_clients / per_second
        await asyncio.sleep(pause * number / n_clients)
        while time.monotonic() < end and not is_over():
            begin = time.monotonic()
            try:
                status, head = await client.ask(requests[turn % len(requests)])
            except (OSError, asyncio.IncompleteReadError):
                answers.n_broken += 1
                await asyncio.sleep(0.01)
                continue
            answers.statuses[status] += 1
            answers.n_without_retry += status == 429 and b"retry-after" not in head
            if status == 200:
                answers.seconds.append(time.monotonic() - begin)
            turn += n_clients
            await asyncio.sleep(max(0.0, min(begin + pause, end) - time.monotonic()))
        client.close()

    begin = time.monotonic()
    await asyncio.gather(*(one(number) for number in range(n_clients)))
    answers.elapsed = time.monotonic() - begin
    return answers
