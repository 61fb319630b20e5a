"""The knowledge base that ships with Deixis, and sentences annotated with it: entities chosen for their namesakes."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

from deixis.kb.knowledge_base import KnowledgeBase


def demo_path() -> Path:
    """The file of the demo's entities, native JSONL."""
    return Path(str(files("deixis.kb").joinpath("demo", "entities.jsonl")))


def demo_sentences_path() -> Path:
    """The file of the demo's gold-annotated sentences, native JSONL documents."""
    return Path(str(files("deixis.kb").joinpath("demo", "sentences.jsonl")))


def read_demo() -> KnowledgeBase:
    """The demo knowledge base."""
    return KnowledgeBase.read(demo_path())
