"""Progress is timed always and drawn only where somebody looks."""

import time

import pytest

from deixis.cli import progress_bars
from deixis.cli.progress_bars import watch_progress
from deixis.cli.session import Session
from deixis.progress import stage, steps, track


def test_nothing_is_drawn_unless_shown(capsys):
    with watch_progress(is_shown=False):
        assert list(track(range(3), "counting")) == [0, 1, 2]
    assert capsys.readouterr().err == ""


def test_stages_of_one_name_are_timed_together():
    with watch_progress(is_shown=False) as watch:
        for _ in range(3):
            with stage("training"):
                time.sleep(0.01)
        with stage("saving"):
            pass
    assert watch.seconds_by_label["training"] >= 0.03
    assert list(watch.seconds_by_label) == ["training", "saving"]


def test_only_stages_that_took_long_are_told():
    with watch_progress(is_shown=False) as watch:
        pass
    watch.seconds_by_label = {"clustering labels": 12.3, "a blink": 0.01, "training": 75.0}
    assert watch.summary() == ["  clustering labels       12.3 s", "  training            1 min 15 s"]


def test_a_stage_that_fails_is_finished_all_the_same():
    with pytest.raises(ZeroDivisionError), watch_progress(is_shown=True) as watch, stage("training"):
        _ = 1 / 0
    assert "training" in watch.seconds_by_label


def test_a_session_tells_time_and_memory_when_the_work_has_ended(capsys):
    with Session().watching():
        pass
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("Done in ")
    assert "peak memory" in captured.err


def test_a_quiet_session_says_nothing(capsys):
    session = Session(is_quiet=True)
    with session.watching():
        session.note("hello")
    assert capsys.readouterr().err == ""


def test_where_there_are_no_bars_long_work_is_told_once_a_minute_with_the_time_left(monkeypatch):
    said = []
    monkeypatch.setattr(progress_bars, "SAY_EVERY", 0.0)
    with watch_progress(is_shown=False, say=said.append), steps("training", 4) as advance:
        advance(1, "loss 0.5")
        with stage("saving"):
            pass
        advance(3, "")
    assert said[0].startswith("training: 1 of 4, about ") and said[0].endswith("left at most (loss 0.5)")
    assert said[1].startswith("training: 4 of 4") and len(said) == 2
    monkeypatch.setattr(progress_bars, "SAY_EVERY", 60.0)
    with watch_progress(is_shown=False, say=said.append), steps("training", 4) as advance:
        advance(1, "loss 0.5")
    assert len(said) == 2
