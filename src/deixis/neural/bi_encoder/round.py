"""One round of a bi-encoder's training, on the trainer of sentence-transformers (imports torch)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from datasets import Dataset
from sentence_transformers import SentenceTransformerTrainer, SentenceTransformerTrainingArguments
from sentence_transformers.base.sampler import DefaultBatchSampler
from sentence_transformers.sentence_transformer.losses import (
    CachedMultipleNegativesRankingLoss,
    MultipleNegativesRankingLoss,
)
from torch.nn import Module
from torch.utils.data import SequentialSampler
from transformers import PrinterCallback

from deixis.neural.bi_encoder.config import BiEncoderConfig
from deixis.neural.bi_encoder.model import BiEncoder
from deixis.neural.checkpoints import ProgressCallback, last_checkpoint
from deixis.progress import steps

_MAX_LOGS = 100
_KEPT = 2  # checkpoints


class FixedBatches(DefaultBatchSampler):
    """Batches that were chosen beforehand, in their order."""

    def __init__(self, dataset: Dataset, batches: list[list[int]], batch_size: int) -> None:
        super().__init__(SequentialSampler(dataset), batch_size=batch_size, drop_last=False)
        self.batches = batches

    def __iter__(self) -> Iterator[list[int]]:
        return iter(self.batches)

    def __len__(self) -> int:
        return len(self.batches)


class RoundTrainer(SentenceTransformerTrainer):
    """A trainer whose batches are given, and whose checkpoints hold no card and no pickled settings."""

    batches: list[list[int]]

    def get_batch_sampler(self, dataset: Dataset, batch_size: int, *rest: object, **more: object) -> FixedBatches:
        """The given batches."""
        del rest, more
        return FixedBatches(dataset, self.batches, batch_size)

    def add_model_card_callback(self, default_args_dict: dict[str, Any]) -> None:
        """None: nothing is gathered for a card."""

    def _save(self, output_dir: str | None = None, state_dict: object = None) -> None:
        del state_dict
        self.model.save(str(output_dir or self.args.output_dir), create_model_card=False)


def train_round(
    encoder: BiEncoder,
    columns: dict[str, list[str]],
    batches: list[list[int]],
    config: BiEncoderConfig,
    folder: Path,
    label: str,
    seed: int,
) -> list[tuple[int, float]]:
    """The loss at some of the steps; training goes on from the last checkpoint in `folder`, if there is any."""
    arguments = SentenceTransformerTrainingArguments(
        output_dir=str(folder),
        max_steps=len(batches),
        per_device_train_batch_size=config.batch_size,
        learning_rate=config.learning_rate,
        warmup_steps=round(config.warmup * len(batches)),
        weight_decay=0.0,
        logging_steps=max(1, len(batches) // _MAX_LOGS),
        save_strategy="steps",
        save_steps=config.save_every,
        save_total_limit=_KEPT,
        report_to="none",
        disable_tqdm=True,
        use_cpu=True,
        seed=seed,
    )
    with steps(label, len(batches)) as advance:
        trainer = RoundTrainer(
            model=encoder.model,
            args=arguments,
            train_dataset=Dataset.from_dict(columns),
            loss=_loss(encoder, config),
            callbacks=[ProgressCallback(advance)],
        )
        trainer.remove_callback(PrinterCallback)
        trainer.batches = batches
        trainer.train(resume_from_checkpoint=last_checkpoint(folder))
    return [(int(entry["step"]), entry["loss"]) for entry in trainer.state.log_history if "loss" in entry]


def _loss(encoder: BiEncoder, config: BiEncoderConfig) -> Module:
    """Softmax over all entities of a batch: b x b(neg + 1) cosines, each times `scale`."""
    if config.chunk_size:
        return CachedMultipleNegativesRankingLoss(
            encoder.model, scale=config.scale, mini_batch_size=config.chunk_size, show_progress_bar=False
        )
    return MultipleNegativesRankingLoss(encoder.model, scale=config.scale)
