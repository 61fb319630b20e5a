"""One registry of trainers, which `fit` and the commands use."""

import pytest

from deixis.cli.commands.fit import COMMANDS
from deixis.errors import UnknownNameError
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.linker import Linker
from deixis.training import TRAINERS
from deixis.training.config import TrainingConfig


def test_every_trainer_has_a_command_and_its_settings_a_table_of_its_name():
    assert [*TRAINERS, "name-encoder"] == list(COMMANDS)  # which is fitted to a list, not to a model
    assert all(hasattr(TrainingConfig(), name) for name in TRAINERS if name != "weights")


def test_a_trainer_that_there_is_not_is_an_error_with_a_suggestion():
    linker = Linker.build(KnowledgeBase.from_records([{"id": "Q90", "title": "Paris"}]))
    with pytest.raises(UnknownNameError, match="No trainer named 'wieghts'.*Did you mean 'weights'"):
        linker.fit([], "wieghts")
