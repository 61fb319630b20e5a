"""Rounds of a bi-encoder's training: encode the knowledge base, mine negatives, train (imports torch).

After Farhan, 2024, "Multilingual Entity Linking Using Dense Retrieval", sections 4.2, 5.2 and 6.5.1, whose proposal to
mine by the mention alone in the first round is an option here (`first_round`). A folder keeps what is done: finished
rounds, mined negatives, checkpoints. Training that was ended goes on from there when it is started again.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from deixis.config import config_to_dict
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.nearest import VECTOR_INDEXES
from deixis.nearest.protocol import VectorSearch
from deixis.neural.bi_encoder.config import BiEncoderConfig
from deixis.neural.bi_encoder.examples import EntityTexts, Examples, drawn_mentions, mined_examples
from deixis.neural.bi_encoder.linked_mentions import LinkedMentions, gold_ranks
from deixis.neural.bi_encoder.model import BiEncoder
from deixis.neural.bi_encoder.round import train_round
from deixis.neural.checkpoints import claim_folder, fingerprint, room_for_checkpoints
from deixis.neural.quiet import quiet
from deixis.types import Document

MODEL, REPORT, EXAMPLES, CHECKPOINTS = "model", "report.json", "examples.npz", "checkpoints"
DEPTHS = (1, 10, 100)
BEST_BY = "recall@10"
_MAY_CHANGE = ("n_rounds", "n_threads", "save_every")  # when a training goes on


@dataclass(frozen=True)
class TrainedBiEncoder:
    """The folder of the encoder, and the window it was trained on.

    Each of `rounds` has losses and, measured on dev, recall; round 0 is the encoder as it came, `chosen` the one taken.
    `n_mentions` were drawn for training, in all rounds together.
    The folder is a SentenceTransformer with an ONNX graph and a tokenizer.json, so that it is opened without torch.
    """

    folder: Path
    n_tokens: int
    rounds: list[dict[str, Any]]
    chosen: int
    n_mentions: int


def train_bi_encoder(
    kb: KnowledgeBase,
    annotated: Iterable[Document],
    folder: str | os.PathLike[str],
    config: BiEncoderConfig | None = None,
    dev: Iterable[Document] = (),
) -> TrainedBiEncoder:
    """The encoder after its best round on `dev`, or after the last without any; it lies in `model` of the folder."""
    config = config or BiEncoderConfig()
    train = LinkedMentions.collect(kb, annotated)
    dev = list(dev)
    with quiet(config.n_threads):
        encoder = BiEncoder.open(config.encoder, config.n_tokens, config.n_layers)
        dev_mentions = LinkedMentions.collect(kb, dev) if dev else None
        return BiTraining(kb, train, dev_mentions, config, Path(folder), encoder, VECTOR_INDEXES[config.index]).run()


@dataclass
class BiTraining:
    """A training and its folder."""

    kb: KnowledgeBase
    train: LinkedMentions
    dev: LinkedMentions | None
    config: BiEncoderConfig
    folder: Path
    encoder: BiEncoder
    index_class: Any  # with build

    def run(self) -> TrainedBiEncoder:
        """All rounds that are not done yet."""
        settings = {name: value for name, value in config_to_dict(self.config).items() if name not in _MAY_CHANGE}
        dev_texts = () if self.dev is None else (*self.dev_windows, json.dumps(self.dev.gold))  # they choose the round
        texts = (*self.entities.texts, *self.windows, json.dumps(self.train.gold), *dev_texts)
        claim_folder(self.folder, fingerprint(settings, texts))
        with room_for_checkpoints(self.folder, self.encoder.model):
            return self._all_rounds()

    def _all_rounds(self) -> TrainedBiEncoder:
        done = [number for number in range(1, self.config.n_rounds + 1) if (self._round(number) / MODEL).is_dir()]
        if done:
            self.encoder = BiEncoder.open(self._round(max(done)) / MODEL, self.config.n_tokens)
        for number in range(max(done, default=0) + 1, self.config.n_rounds + 1):
            self._learn(number)
        if self.dev and BEST_BY not in self._report(self.config.n_rounds):
            self._measure(self.config.n_rounds, self._index("encoding entities after the last round"))
        return self._finish()

    @cached_property
    def windows(self) -> list[str]:
        """The text around each training mention."""
        return self.encoder.texts.of_mentions(self.train.mentions)

    @cached_property
    def dev_windows(self) -> list[str]:
        """The text around each mention to measure by."""
        return self.encoder.texts.of_mentions(self.dev.mentions) if self.dev else []

    @cached_property
    def entities(self) -> EntityTexts:
        """The texts of all entities."""
        return EntityTexts(*self.encoder.texts.of_entities(self.kb))

    def _learn(self, number: int) -> None:
        """One round: examples, unless they are mined already, then training."""
        folder, seed = self._round(number), self._seed(number)
        folder.mkdir(parents=True, exist_ok=True)
        if not (folder / EXAMPLES).is_file():
            self._mine(number).save(folder / EXAMPLES)
        examples = Examples.load(folder / EXAMPLES)
        columns = examples.columns(self.train, self.windows, self.entities, np.random.default_rng([seed, 1]))
        batches = examples.batches(self.train, self.config)
        label = f"training, {self._place(number)}"
        losses = train_round(self.encoder, columns, batches, self.config, folder / CHECKPOINTS, label, seed)
        self._note(number, losses=losses)
        self._keep(self.encoder, folder / MODEL)
        shutil.rmtree(folder / CHECKPOINTS, ignore_errors=True)

    def _mine(self, number: int) -> Examples:
        """Mentions of the round and their negatives, found by the encoder as it is now."""
        index = self._index(f"encoding entities, {self._place(number)}")
        self._measure(number - 1, index)
        seed = self._seed(number)
        n_wanted = self.config.n_steps * self.config.batch_size
        numbers = drawn_mentions(len(self.train), n_wanted, np.random.default_rng([seed, 0]))
        used, places = np.unique(numbers, return_inverse=True)
        if number == 1 and self.config.first_round == "mention":
            texts = self.encoder.texts.of_mentions_alone([self.train.mentions[mention] for mention in used.tolist()])
        else:
            texts = [self.windows[mention] for mention in used.tolist()]
        vectors = self.encoder.encode(texts, f"encoding mentions, {self._place(number)}")
        return mined_examples(index, vectors[places], numbers, self.train, self.config, seed)

    def _index(self, label: str) -> VectorSearch:
        """An index of all entities."""
        vectors = self.encoder.encode(self.entities.texts, label)
        index: VectorSearch = self.index_class.build([vectors], self.entities.rows, len(self.kb))
        return index

    def _measure(self, number: int, index: VectorSearch) -> None:
        """Note how the encoder does on dev after a round, if there is any; after round 0 it is as it came."""
        if self.dev is None:
            return
        vectors = self.encoder.encode(self.dev_windows, "encoding dev mentions")
        ranks = gold_ranks(index, vectors, self.dev.gold, max(DEPTHS))
        recalls = {f"recall@{k}": float(((ranks > 0) & (ranks <= k)).mean()) for k in DEPTHS}
        self._note(number, **recalls, ranks=ranks.tolist())

    def _finish(self) -> TrainedBiEncoder:
        """Put the best round's encoder in place."""
        reports = [self._report(number) for number in range(self.config.n_rounds + 1)]
        chosen = max(range(1, len(reports)), key=lambda number: (reports[number].get(BEST_BY, 0.0), number))
        best = BiEncoder.open(self._round(chosen) / MODEL, self.config.n_tokens)
        shutil.rmtree(self.folder / MODEL, ignore_errors=True)
        self._keep(best, self.folder / MODEL, with_graph=True)
        numbers = range(1, self.config.n_rounds + 1)
        drawn = [Examples.load(self._round(number) / EXAMPLES).mentions for number in numbers]
        n_mentions = len(np.unique(np.concatenate(drawn)))
        return TrainedBiEncoder(self.folder / MODEL, self.config.n_tokens, reports, chosen, n_mentions)

    def _keep(self, encoder: BiEncoder, folder: Path, with_graph: bool = False) -> None:
        """Save an encoder so that it is there as a whole or not at all."""
        begun = folder.with_name(folder.name + ".begun")
        shutil.rmtree(begun, ignore_errors=True)
        encoder.save(begun, with_graph)
        os.replace(begun, folder)

    def _round(self, number: int) -> Path:
        return self.folder / f"round-{number}"

    def _place(self, number: int) -> str:
        return f"round {number} of {self.config.n_rounds}"

    def _seed(self, number: int) -> int:
        return 1000 * self.config.seed + number

    def _report(self, number: int) -> dict[str, Any]:
        path = self._round(number) / REPORT
        report: dict[str, Any] = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {"round": number}
        return report

    def _note(self, number: int, **values: Any) -> None:  # noqa: ANN401 - any JSON value
        self._round(number).mkdir(parents=True, exist_ok=True)
        begun = self._round(number) / f"{REPORT}.begun"
        begun.write_text(json.dumps(self._report(number) | values), encoding="utf-8")
        os.replace(begun, self._round(number) / REPORT)
