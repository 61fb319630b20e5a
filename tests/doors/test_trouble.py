"""Errors, interruptions and closed pipes end in words and exit codes, never in a traceback or half a file."""

import json
import os
import signal
import subprocess

import pytest

from deixis.cli.exits import EXIT_BUG, EXIT_CODES, exit_code, message_of
from deixis.errors import ConfigError, DataError, ToolkitError
from tests.processes import PATIENCE

posix_only = pytest.mark.skipif(os.name != "posix", reason="signals and pipes as on Unix")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["build", "none.jsonl", "-o", "m"], "none.jsonl: no such file"),
        (["build", "kb.jsonl", "-o", "gold.jsonl"], "a model is a folder"),
        (["build", "kb.jsonl", "-o", "m", "--preset", "xmrde"], "Did you mean 'xmred'"),
        (["build", "kb.jsonl", "-o", "m", "--config", "none.toml"], "No such file"),
        (["build", "kb.jsonl", "-o", "m", "--config", "kb.jsonl"], "not valid TOML"),
        (["build", "kb.jsonl", "-o", "m", "--config", "typo.toml"], "Unknown setting"),
        (["build", "kb.jsonl", "-o", "m", "--mentions", "none.jsonl"], "none.jsonl: no such file"),
        (["link", "none"], "no such folder"),
        (["link", "."], "not a Deixis model"),
        (["eval", "none", "gold.jsonl"], "no such folder"),
        (["info", "kb.jsonl"], "it is a file"),
        (["doctor", "none"], "no such folder"),
        (["kb", "check", "none.jsonl"], "no such file"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_a_mistake_of_the_user_is_exit_code_one_and_one_clear_message(deixis_inside, arguments, words):
    (deixis_inside.folder / "typo.toml").write_text("widht = 3\n", encoding="utf-8")
    done = deixis_inside(*arguments, code=1)
    assert done.stderr.splitlines()[-1].startswith("Error: ")
    assert words in done.stderr
    assert not (deixis_inside.folder / "m").exists()


def test_a_broken_document_names_its_file_and_line_and_leaves_the_old_output(deixis_inside, model):
    (deixis_inside.folder / "docs.jsonl").write_text('{"text": "London"}\n{"text": 3}\n', encoding="utf-8")
    (deixis_inside.folder / "out.jsonl").write_text("old", encoding="utf-8")
    done = deixis_inside("link", model, "docs.jsonl", "-o", "out.jsonl", code=1)
    assert "docs.jsonl, line 2" in done.stderr
    assert (deixis_inside.folder / "out.jsonl").read_text(encoding="utf-8") == "old"
    assert not list(deixis_inside.folder.glob(".*"))


def test_a_file_without_gold_cannot_be_evaluated(deixis_inside, model):
    (deixis_inside.folder / "plain.jsonl").write_text('{"text": "London"}\n', encoding="utf-8")
    assert "has no gold" in deixis_inside("eval", model, "plain.jsonl", code=1).stderr


def test_output_into_a_folder_that_is_not_there_is_told_at_once(deixis_inside, model):
    assert "make it first" in deixis_inside("link", model, "-o", "no/where.jsonl", stdin="London", code=1).stderr


def test_an_odd_file_name_can_be_complained_about(deixis):
    assert "no such file" in deixis("build", "caf\udce9.jsonl", "-o", "m", code=1).stderr


def test_debug_shows_where_an_error_came_from(deixis):
    assert "Traceback" in deixis("info", "none", "--debug", code=1).stderr


def test_a_bad_line_of_the_knowledge_base_comes_with_the_way_round_it(deixis_inside):
    (deixis_inside.folder / "bad.jsonl").write_text('{"id": "a", "title": "Troy"}\n{bad\n', encoding="utf-8")
    stderr = deixis_inside("build", "bad.jsonl", "-o", "m", code=1).stderr
    assert "bad.jsonl, line 2: not JSON" in stderr
    assert "--skip-bad" in stderr
    assert "--skip-bad" not in deixis_inside("build", "none.jsonl", "-o", "m", code=1).stderr


def test_annotated_documents_that_teach_nothing_are_warned_about(deixis_inside):
    done = deixis_inside("build", "--demo", "--mentions", "gold.jsonl", "-o", "m")
    assert "nothing learned from 3 documents" in done.stderr


@posix_only
@pytest.mark.skipif(hasattr(os, "geteuid") and os.geteuid() == 0, reason="nothing is read-only to the administrator")
def test_a_place_where_nothing_can_be_written_is_told_before_the_work(deixis_inside):
    (deixis_inside.folder / "locked").mkdir(mode=0o555)
    done = deixis_inside("build", "kb.jsonl", "-o", "locked/m", code=1)
    assert "Nothing can be written" in done.stderr
    assert "Knowledge base:" not in done.stderr


@posix_only
@pytest.mark.parametrize(
    ("command", "kill", "code"),
    [("link", signal.SIGINT, 130), ("build", signal.SIGINT, 130), ("link", signal.SIGTERM, 143)],
)
def test_an_interrupt_ends_with_its_code_and_leaves_nothing_behind(deixis, model, command, kill, code):
    arguments = ("link", model, "-", "-o", "out") if command == "link" else ("build", "-", "-o", "out")
    record = {"text": "nothing known " * 10} if command == "link" else {"title": "London " * 20}
    before = {file.name for file in deixis.folder.iterdir()}
    process = deixis.start(*arguments)
    for number in range(30_000):  # more than pipe and buffers hold: when this is written, it is being read
        process.stdin.write((json.dumps({"id": str(number), **record}) + "\n").encode())
    process.stdin.flush()
    process.send_signal(kill)
    _, stderr = process.communicate(timeout=PATIENCE)
    assert process.returncode == code, stderr.decode()
    assert "Traceback" not in stderr.decode()
    assert ("Interrupted" in stderr.decode()) == (kill == signal.SIGINT)
    assert {file.name for file in deixis.folder.iterdir()} == before


@posix_only
def test_what_runs_in_the_background_ignores_an_interrupt(deixis, model):
    process = deixis.start("link", model, "-", "-o", "out.jsonl", "--quiet", in_background=True)
    for number in range(30_000):  # more than pipe and buffers hold: when this is written, it is being read
        process.stdin.write((json.dumps({"id": str(number), "text": "nothing known"}) + "\n").encode())
        if number == 20_000:
            process.send_signal(signal.SIGINT)
    _, stderr = process.communicate()
    assert (process.returncode, stderr) == (0, b"")
    assert (deixis.folder / "out.jsonl").read_bytes().count(b"\n") == 30_000


@posix_only
def test_a_reader_that_has_seen_enough_is_no_error(deixis, model):
    documents = "".join(f'{{"id": "{number}", "text": "London and Troy"}}\n' for number in range(20_000))
    (deixis.folder / "many.jsonl").write_text(documents, encoding="utf-8")
    process = deixis.start("link", model, "many.jsonl", "--quiet")
    process.stdin.close()
    assert process.stdout.readline().startswith(b'{"id": "0"')
    process.stdout.close()
    complaint = process.stderr.read()
    process.stderr.close()
    assert complaint == b""
    assert process.wait(timeout=PATIENCE) == 0


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="a Linux device that is always full")
@pytest.mark.parametrize("command", ["link", "info", "kb"])
def test_a_full_disk_behind_stdout_is_told_in_one_line(deixis, model, command):
    (deixis.folder / "a.txt").write_text("Troy", encoding="utf-8")
    arguments = {"link": (model, "a.txt", "-q"), "info": (model,), "kb": ("check", "kb.jsonl", "-q")}[command]
    with open("/dev/full", "w") as full:
        typed = deixis.command(command, *arguments)
        done = subprocess.run(typed, cwd=deixis.folder, env=deixis.environment, stdout=full, stderr=subprocess.PIPE)
    assert done.returncode == 1
    (line,) = done.stderr.decode().splitlines()
    assert line.startswith("Error: Standard output cannot be written: No space left")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="a Linux device that is always full")
def test_a_full_disk_behind_an_output_file_names_the_file(deixis_inside, model):
    (deixis_inside.folder / "a.txt").write_text("Troy", encoding="utf-8")
    stderr = deixis_inside("link", model, "a.txt", "-o", "/dev/full", "-q", code=1).stderr
    assert stderr == "Error: /dev/full: cannot be written: No space left on device; make room or choose another place\n"


def test_every_toolkit_error_is_the_users_and_anything_unknown_is_ours():
    assert exit_code(ToolkitError("x")) == exit_code(DataError("x")) == exit_code(ConfigError("x")) == 1
    assert exit_code(KeyboardInterrupt()) == 130
    assert exit_code(ZeroDivisionError()) == EXIT_BUG == 70
    assert set(EXIT_CODES.values()) == {0, 1, 2, 130}


def test_an_unexpected_error_asks_to_be_reported():
    message = message_of(ZeroDivisionError("division by zero"))
    assert "ZeroDivisionError: division by zero" in message
    assert "--debug" in message
