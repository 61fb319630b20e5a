"""A source that Deixis does not ship: this file and one line of the registry are all that it takes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import sparse

from deixis.candidates import SOURCES
from deixis.candidates.config import DEFAULT_SOURCES, SourcesConfig
from deixis.candidates.source import CandidateSource, SourceInputs
from deixis.cli.settings import keys_of, parsed_settings, with_settings
from deixis.config import Config, config_from_dict, config_to_dict, setting
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.linker import Linker
from deixis.linking.config import LinkerConfig
from deixis.registry import Lazy
from deixis.store.checks import check_length, require
from deixis.tables import EntityMask, FlatRows
from deixis.types import Document, Mention, MentionInContext

LINE = {"backwards": Lazy(f"{__name__}:BackwardsSource")}
KB = KnowledgeBase.from_records(
    [
        {"id": "paris", "title": "Paris", "description": "capital of France"},
        {"id": "troy", "title": "Troy", "description": "city of Priam"},
        {"id": "oslo", "title": "Oslo", "description": "capital of Norway"},
    ]
)
TEXTS = ["Paris and Troy", "Oslo or Paris?", "nothing"]


@dataclass(frozen=True)
class BackwardsConfig(Config):
    """The settings of the source."""

    k: int = setting(5, "Candidates whose title read backwards is the mention.", low=1)
    score: float = setting(0.5, "The score of each.", low=0, high=1)


class BackwardsSource(CandidateSource):
    """Finds the entities whose title read backwards is the mention: nobody else does."""

    name = "backwards"
    config_type = BackwardsConfig

    def __init__(self, kb: KnowledgeBase, lengths: NDArray[np.int32], config: BackwardsConfig) -> None:
        self.kb, self.lengths, self.config = kb, lengths, config

    @classmethod
    def build(cls, inputs: SourceInputs, config: BackwardsConfig | None = None) -> BackwardsSource:
        lengths = np.array([len(title) for title in inputs.kb.titles], dtype=np.int32)
        return cls(inputs.kb, lengths, config or BackwardsConfig())

    def search(self, mentions: Sequence[MentionInContext], k: int, mask: EntityMask | None = None) -> FlatRows:
        self.check_search(k, mask)
        scores = np.zeros((len(mentions), len(self.kb)), dtype=np.float32)
        for number, mention in enumerate(mentions):
            for row in np.flatnonzero(self.lengths == len(mention.text)).tolist():
                is_open = mask is None or mask[row]
                if (
                    is_open
                    and self.kb.titles[row].lower() == mention.text[::-1].lower()
                    and (scores[number] > 0).sum() < k
                ):
                    scores[number, row] = self.config.score
        return FlatRows.of(sparse.csr_matrix(scores))

    def to_arrays(self, prefix: str) -> dict[str, NDArray[Any]]:
        return {f"{prefix}.lengths": self.lengths}

    @classmethod
    def from_arrays(
        cls,
        arrays: Mapping[str, NDArray[Any]],
        prefix: str,
        inputs: SourceInputs,
        config: BackwardsConfig | None = None,
    ) -> BackwardsSource:
        lengths = require(arrays, f"{prefix}.lengths", np.int32)
        check_length(f"{prefix}.lengths", lengths, len(inputs.kb))
        return cls(inputs.kb, lengths, config or BackwardsConfig())


@pytest.fixture
def registered(monkeypatch):
    """The one line."""
    for name, entry in LINE.items():
        monkeypatch.setitem(SOURCES._entries, name, entry)


@pytest.fixture
def config(registered):
    return LinkerConfig(candidates=SourcesConfig((*DEFAULT_SOURCES, "backwards")))


def mention(text: str) -> MentionInContext:
    return MentionInContext(text, text, 0, len(text))


def linked(linker: Linker) -> list[Document]:
    given = Document("d", "sirap", mentions=(Mention(0, 5, "sirap"),))
    return [*linker.link_many(TEXTS), linker.link(given, threshold=0.0)]


def test_it_is_built_searched_saved_and_loaded_and_its_column_reaches_the_ranker(config, tmp_path):
    built = Linker.build(KB, config=config, n_threads=1)
    built.save(tmp_path / "model")
    loaded = Linker.load(tmp_path / "model", n_threads=1)
    for linker in (built, loaded):
        table = linker.model.sources.propose([mention("sirap")])
        assert table.signals["backwards"][table.rows.tolist().index(0)] == np.float32(0.5)
        assert linked(linker)[-1].mentions[0].entity == "paris"
    assert linked(loaded) == linked(built) and loaded.config == config


def test_nobody_else_finds_what_it_finds():
    table = Linker.build(KB, n_threads=1).model.sources.propose([mention("sirap")])
    assert 0 not in table.rows.tolist() and "backwards" not in table.signals


def test_a_mask_is_applied_and_corrections_leave_it_alone(config):
    sources = Linker.build(KB, config=config, n_threads=1).model.sources
    assert 0 not in sources.propose([mention("sirap")], np.array([False, True, True])).rows.tolist()
    corrected = sources.with_mentions([mention("x")], [0])
    assert corrected.get("backwards") is sources.get("backwards")


def test_its_settings_are_a_table_like_those_of_every_source(config):
    assert config_to_dict(config)["candidates"]["backwards"] == {"k": 5, "score": 0.5}
    assert config_from_dict(LinkerConfig, config_to_dict(config)) == config
    assert "candidates.backwards.k" in {key.name for key in keys_of(LinkerConfig())}
    changed = with_settings(config, parsed_settings(config, ["candidates.backwards.score=0.25"]))
    assert changed.candidates["backwards"].score == 0.25


def test_a_model_saved_before_it_was_registered_gives_the_same_links(tmp_path, monkeypatch):
    before = Linker.build(KB, n_threads=1)
    before.save(tmp_path / "model")
    expected = linked(before)
    for name, entry in LINE.items():
        monkeypatch.setitem(SOURCES._entries, name, entry)
    loaded = Linker.load(tmp_path / "model", n_threads=1)
    assert linked(loaded) == expected and loaded.model.sources.columns == DEFAULT_SOURCES
