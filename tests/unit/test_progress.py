import threading

import pytest

from deixis.progress import listening, stage, steps, track


class Notes:
    """Writes down what it hears."""

    def __init__(self):
        self.heard = []

    def started(self, label, total):
        self.heard.append(("started", label, total))
        return len(self.heard)

    def advanced(self, task, n):
        self.heard.append(("advanced", task, n))

    def noted(self, task, text):
        self.heard.append(("told", task, text))

    def finished(self, task):
        self.heard.append(("finished", task))


def test_nobody_listening_hears_nothing_and_loses_nothing():
    assert list(track(iter("abc"), "letters")) == ["a", "b", "c"]
    with stage("waiting"):
        pass


def test_a_listener_hears_each_item_and_the_end():
    notes = Notes()
    with listening(notes):
        assert list(track(["a", "b"], "letters")) == ["a", "b"]
    assert notes.heard == [("started", "letters", 2), ("advanced", 1, 1), ("advanced", 1, 1), ("finished", 1)]


def test_work_that_counts_its_own_steps_says_how_it_goes_and_ends_even_badly():
    notes = Notes()
    with listening(notes), pytest.raises(ZeroDivisionError), steps("training", 3) as advance:
        advance(2, "loss 0.5")
        raise ZeroDivisionError
    assert notes.heard == [("started", "training", 3), ("advanced", 1, 2), ("told", 1, "loss 0.5"), ("finished", 1)]


def test_the_total_is_known_only_if_it_can_be():
    notes = Notes()
    with listening(notes):
        list(track(iter("ab"), "some"))
        list(track(iter("ab"), "two", total=2))
        with stage("step"):
            pass
    assert [entry for entry in notes.heard if entry[0] == "started"] == [
        ("started", "some", None),
        ("started", "two", 2),
        ("started", "step", None),
    ]


def test_work_that_fails_or_stops_early_still_ends():
    notes = Notes()
    with listening(notes):
        with pytest.raises(ZeroDivisionError):
            for _ in track([1], "failing"):
                raise ZeroDivisionError
        with pytest.raises(ZeroDivisionError), stage("failing step"):
            raise ZeroDivisionError
        tracked = track([1, 2], "left")
        next(tracked)
        tracked.close()
    assert [entry[0] for entry in notes.heard].count("finished") == 3


def test_listening_ends_with_its_block_and_nests():
    outer, inner = Notes(), Notes()
    with listening(outer):
        with listening(inner):
            list(track([1], "inner"))
        list(track([1], "outer"))
    list(track([1], "nobody"))
    assert [entry[1] for entry in outer.heard if entry[0] == "started"] == ["outer"]
    assert [entry[1] for entry in inner.heard if entry[0] == "started"] == ["inner"]


def test_another_thread_is_not_listened_to():
    notes = Notes()
    with listening(notes):
        thread = threading.Thread(target=lambda: list(track([1], "elsewhere")))
        thread.start()
        thread.join()
    assert notes.heard == []
