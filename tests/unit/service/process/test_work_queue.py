"""The queue: bounded, in time, and together what can be done together."""

import asyncio
import threading
import time
from concurrent.futures import Future

import pytest

from deixis.progress import track
from deixis.service.api.failures import Refusal
from deixis.service.process.work_queue import WorkQueue, _Job


class Brake:
    """Work that goes on until it is let go."""

    def __init__(self):
        self.has_begun, self.may_end = threading.Event(), threading.Event()

    def __call__(self):
        self.has_begun.set()
        assert self.may_end.wait(60)


async def begun(queue, brake):
    task = asyncio.create_task(queue.run(brake))
    await asyncio.to_thread(brake.has_begun.wait, 10)
    return task


def test_work_returns_its_result_or_raises_its_error():
    async def scenario():
        queue = WorkQueue(1, 4, 10)
        assert await queue.run(lambda: 42) == 42
        with pytest.raises(ZeroDivisionError):
            await queue.run(lambda: 1 // 0)
        assert queue.n_held == 0
        queue.close()

    asyncio.run(scenario())


def test_who_has_an_answer_no_longer_takes_up_room():
    queue, n_held = WorkQueue(1, 0, 10), []
    resolve = Future.set_result

    class Watched(Future):
        def set_result(self, result):
            n_held.append(queue.n_held)
            resolve(self, result)

    async def scenario():
        job = _Job(lambda items: items, "a", [1], 0, time.monotonic() + 10, Watched())
        with queue._changed:
            queue._jobs.append(job)
            queue._changed.notify()
        assert await asyncio.wrap_future(job.future) == [1]

    asyncio.run(scenario())
    queue.close()
    assert n_held == [0]


def test_beyond_its_bound_the_queue_refuses_and_says_when_to_come_back():
    async def scenario():
        queue, brake = WorkQueue(1, 2, 10), Brake()
        running = await begun(queue, brake)
        waiting = [asyncio.create_task(queue.run(lambda: 1)) for _ in range(2)]
        await asyncio.sleep(0)
        with pytest.raises(Refusal) as refused:
            await queue.run(lambda: 1)
        assert refused.value.status == 429 and int(refused.value.headers["Retry-After"]) >= 1
        brake.may_end.set()
        assert [await each for each in waiting] == [1, 1]
        await running
        assert await queue.run(lambda: 2) == 2
        queue.close()

    asyncio.run(scenario())


def test_equal_keys_that_wait_are_done_in_one_call():
    async def scenario():
        queue, brake, calls = WorkQueue(1, 10, 10), Brake(), []

        def double(items):
            calls.append(list(items))
            return [2 * item for item in items]

        running = await begun(queue, brake)
        asked = [asyncio.create_task(queue.run_together(double, key, items)) for key, items in
                 (("a", [1, 2]), ("b", [3]), ("a", [4]))]  # fmt: skip
        await asyncio.sleep(0)
        brake.may_end.set()
        assert [await each for each in asked] == [[2, 4], [6], [8]]
        assert calls == [[1, 2, 4], [3]]
        await running
        queue.close()

    asyncio.run(scenario())


def test_what_is_long_is_done_alone():
    async def scenario():
        queue, brake, calls = WorkQueue(1, 10, 10), Brake(), []

        def note(items):
            calls.append(list(items))
            return items

        running = await begun(queue, brake)
        sizes = {1: 3000, 2: 3000, 3: 900, 4: 90_000}
        asked = [asyncio.create_task(queue.run_together(note, "a", [item], size)) for item, size in sizes.items()]
        await asyncio.sleep(0)
        brake.may_end.set()
        assert [await each for each in asked] == [[1], [2], [3], [4]]
        assert calls == [[1, 3], [2], [4]]
        await running
        queue.close()

    asyncio.run(scenario())


def test_one_that_fails_does_not_take_the_others_with_it():
    async def scenario():
        queue, brake = WorkQueue(1, 10, 10), Brake()

        def picky(items):
            if 13 in items:
                raise ValueError("no")
            return items

        running = await begun(queue, brake)
        asked = [asyncio.create_task(queue.run_together(picky, "a", [item])) for item in (1, 13, 2)]
        await asyncio.sleep(0)
        brake.may_end.set()
        results = await asyncio.gather(*asked, return_exceptions=True)
        assert results[0] == [1] and results[2] == [2] and isinstance(results[1], ValueError)
        await running
        queue.close()

    asyncio.run(scenario())


def test_who_waits_too_long_is_told_and_the_work_is_not_begun():
    async def scenario():
        queue, brake, done = WorkQueue(1, 4, 60), Brake(), []
        running = await begun(queue, brake)
        queue.seconds = 0.2
        with pytest.raises(Refusal) as late:
            await queue.run(lambda: done.append(1))
        assert late.value.status == 504
        queue.seconds = 60
        brake.may_end.set()
        await running
        assert await queue.run(lambda: 3) == 3
        assert done == []
        queue.close()

    asyncio.run(scenario())


def test_what_was_accepted_is_done_before_the_end():
    async def scenario():
        queue, brake = WorkQueue(1, 4, 10), Brake()
        running = await begun(queue, brake)
        waiting = asyncio.create_task(queue.run(lambda: 1))
        await asyncio.sleep(0)
        closing = asyncio.create_task(asyncio.to_thread(queue.close))
        while queue._is_open:
            await asyncio.sleep(0.001)
        with pytest.raises(Refusal) as refused:
            await queue.run(lambda: 2)
        assert refused.value.status == 503
        brake.may_end.set()
        assert await waiting == 1
        await asyncio.gather(running, closing)

    asyncio.run(scenario())


def test_a_full_queue_is_refused_at_the_gate(serve):
    client = serve(queue=0)
    brake = Brake()
    thread = threading.Thread(target=lambda: asyncio.run(client.state.queue.run(brake)))
    thread.start()
    brake.has_begun.wait(10)
    answer = client.post("/link", json={"text": "Troy"})
    assert answer.status_code == 429 and int(answer.headers["retry-after"]) >= 1
    assert client.get("/health").status_code == 200
    brake.may_end.set()
    thread.join()
    assert client.post("/link", json={"text": "Troy"}).status_code == 200


def test_work_that_nobody_waits_for_any_more_ends_where_it_tells_of_its_progress():
    done, given_up = [], threading.Event()

    def work():
        for number in track(range(1000), "counting"):
            done.append(number)
            given_up.wait(60)

    async def scenario():
        queue = WorkQueue(1, 4, 0.2)
        with pytest.raises(Refusal) as refused:
            await queue.run(work)
        assert refused.value.status == 504
        given_up.set()
        queue.seconds = 60
        assert await queue.run(lambda: 42) == 42  # the thread is free again
        assert done in ([0], []) and queue.n_held == 0  # not even begun, if the thread did not wake up in time
        queue.close()

    asyncio.run(scenario())


def test_work_that_was_given_up_before_its_turn_makes_nothing_look_quick():
    async def scenario():
        queue, brake = WorkQueue(1, 8, 60), Brake()
        running = await begun(queue, brake)
        queue.seconds = 0.6
        late = [asyncio.create_task(queue.run(lambda: 1)) for _ in range(4)]
        refusals = await asyncio.gather(*late, return_exceptions=True)
        assert [each.status for each in refusals] == [504] * 4
        brake.may_end.set()
        await running
        while queue.n_held:
            await asyncio.sleep(0.001)
        assert queue._mean_seconds > 0.05  # as at the beginning, and a long one since
        queue.close()

    asyncio.run(scenario())
