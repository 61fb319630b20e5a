"""Torch and what is built on it, as a library should be: no bars, no logs, no more threads than allowed."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import datasets
from transformers.utils import logging as untyped_logging

from deixis.neural.threads import torch_threads

transformers_logging: Any = untyped_logging  # has no types


@contextmanager
def quiet(n_threads: int = 1) -> Iterator[None]:
    """Nothing is printed and `n_threads` are used for as long as the block runs; then all is as it was."""
    verbosity = transformers_logging.get_verbosity()
    sentences = logging.getLogger("sentence_transformers")
    level = sentences.level
    had_bars, had_data_bars = transformers_logging.is_progress_bar_enabled(), not datasets.are_progress_bars_disabled()
    transformers_logging.set_verbosity_error()
    sentences.setLevel(logging.ERROR)
    transformers_logging.disable_progress_bar()
    datasets.disable_progress_bars()
    try:
        with torch_threads(n_threads):
            yield
    finally:
        transformers_logging.set_verbosity(verbosity)
        sentences.setLevel(level)
        if had_bars:
            transformers_logging.enable_progress_bar()
        if had_data_bars:
            datasets.enable_progress_bars()
