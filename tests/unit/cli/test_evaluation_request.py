"""What `deixis eval` is asked, checked before anything is loaded."""

import click
import pytest

from deixis.cli.evaluation_request import Request


def test_the_first_path_is_the_model_unless_predictions_are_scored():
    request = Request(("models/wiki", "aida/testa.jsonl.gz"))
    assert (request.data, request.suites) == (("aida/testa.jsonl.gz",), ["wiki/aida-testa"])
    assert Request(("gold.jsonl",), predictions=("runs/mine.jsonl",)).data == ("gold.jsonl",)


def test_stdin_is_read_once_only():
    with pytest.raises(click.UsageError, match="only be read once"):
        Request(("-",), predictions=("-",)).check()
