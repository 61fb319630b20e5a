"""Training of a cross-encoder: XMRED's re-ranker (2.4) on sentence-transformers.

Binary cross-entropy over pairs of a mention and a candidate, AdamW, a learning rate that falls to 0. Training is
watched on held-out mentions, keeps the best state, stops when it no longer gains, and goes on where it was stopped:
its checkpoints lie in a folder, and torch reads them as plain weights.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import torch
from datasets import Dataset
from numpy.typing import NDArray
from sentence_transformers.base.evaluation import BaseEvaluator
from sentence_transformers.cross_encoder import CrossEncoder, CrossEncoderTrainer, CrossEncoderTrainingArguments
from sentence_transformers.cross_encoder.losses import BinaryCrossEntropyLoss
from transformers import EarlyStoppingCallback, PrinterCallback, TrainerControl, TrainerState, TrainingArguments

from deixis.config import config_to_dict
from deixis.errors import DataError
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.neural.bi_encoder.model import add_marker, check_length
from deixis.neural.checkpoints import ProgressCallback, claim_folder, fingerprint, room_for_checkpoints
from deixis.neural.cross_encoder.config import CrossEncoderConfig
from deixis.neural.cross_encoder.pairs import PairExamples
from deixis.neural.cross_encoder.scorer import OnnxPairScorer
from deixis.neural.cross_encoder.texts import MentionCandidates, PairTexts
from deixis.neural.hub import folder_of
from deixis.neural.onnx_export import pair_scorer_to_onnx
from deixis.neural.quiet import quiet
from deixis.neural.sentence_encoder import cannot_open, tokenizer_bytes
from deixis.neural.windows import TokenWindows
from deixis.progress import steps

BATCH = 32  # pairs scored together


def train_pair_scorer(
    kb: KnowledgeBase,
    train: MentionCandidates,
    held_out: MentionCandidates,
    config: CrossEncoderConfig,
    folder: Path,
    seed: int = 0,
    n_threads: int = 1,
) -> tuple[OnnxPairScorer, PairTexts]:
    """A cross-encoder learned from mentions with their candidates, at work without torch, and the texts it reads."""
    with quiet(n_threads):
        torch.manual_seed(seed)  # the new layer begins at random
        model = open_cross_encoder(config.encoder, config.pairs.n_tokens)
        stored = tokenizer_bytes(model)
        texts = PairTexts(TokenWindows.from_bytes(stored), separator(model), config.pairs)
        examples, checked = train.as_pairs(kb, texts), held_out.as_pairs(kb, texts)
        train_cross_encoder(model, examples, checked, config, folder, seed)
        graph = np.frombuffer(pair_scorer_to_onnx(model), dtype=np.uint8)
    return OnnxPairScorer(graph, np.frombuffer(stored, dtype=np.uint8), n_threads), texts


def open_cross_encoder(name: str, n_tokens: int) -> CrossEncoder:
    """A cross-encoder to train, with one output and a token for the marker: `minilm`, a folder or a hub name."""
    try:
        model = CrossEncoder(str(folder_of(name)), num_labels=1, max_length=n_tokens, device="cpu")
    except (OSError, ValueError, RuntimeError) as error:
        raise cannot_open(name, error) from error
    check_length(model, n_tokens, "pairs.n_tokens")
    add_marker(model)
    return model


def separator(model: CrossEncoder) -> str:
    """What stands between the parts of a text: the tokenizer's own sign, if it has any."""
    return str(model.tokenizer.sep_token or model.tokenizer.eos_token or "|")


def train_cross_encoder(
    model: CrossEncoder,
    examples: PairExamples,
    checked: PairExamples,
    config: CrossEncoderConfig,
    folder: Path,
    seed: int = 0,
) -> CrossEncoder:
    """The model, trained on the pairs of `examples` and as it was when it did best on those `checked`.

    Checkpoints are kept in `folder`; called again with the same settings and pairs, training goes on from there.
    """
    if not examples.is_right.any() or examples.is_right.all():
        raise DataError(
            f"There is nothing to tell apart: of {len(examples.pairs)} pairs {int(examples.is_right.sum())} are right. "
            "Give annotated mentions of entities that the knowledge base has."
        )
    mark = fingerprint(
        config_to_dict(config) | {"seed": seed}, (text for pair in (*examples.pairs, *checked.pairs) for text in pair)
    )
    checkpoint = claim_folder(folder, mark)
    entities, mentions = zip(*examples.pairs, strict=True)
    dataset = Dataset.from_dict(
        {"entity": entities, "mention": mentions, "label": examples.is_right.astype(np.float32).tolist()}
    )
    n_steps = -(-len(dataset) // config.batch_size)
    with room_for_checkpoints(folder, model), steps("training the cross-encoder", n_steps * config.epochs) as advance:
        trainer = CrossEncoderTrainer(
            model=model,
            args=_arguments(config, folder, n_steps, seed),
            train_dataset=dataset,
            loss=BinaryCrossEntropyLoss(model),
            evaluator=_Watch(checked),
            callbacks=[ProgressCallback(advance), Patience(config.patience)],
        )
        trainer.remove_callback(PrinterCallback)  # a library does not print
        trainer.train(resume_from_checkpoint=checkpoint)
    return model


def logits(model: CrossEncoder, pairs: PairExamples) -> NDArray[np.float32]:
    """The score of each pair, by torch."""
    if not len(pairs.pairs):
        return np.zeros(0, dtype=np.float32)
    scores: Any = model.predict(list(pairs.pairs), batch_size=BATCH, show_progress_bar=False, activation_fn=_same)
    return np.asarray(scores, dtype=np.float32).reshape(-1)


def _same(values: Any) -> Any:  # noqa: ANN401 - a tensor
    return values


class Patience(EarlyStoppingCallback):
    """Ends a training that no longer gains; one that had ended so does not begin again when it is resumed."""

    def on_train_begin(
        self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **kwargs: object
    ) -> None:
        """Stop after one step, which the best state replaces, if there was no gain for long enough."""
        super().on_train_begin(args, state, control, **kwargs)
        control.should_training_stop = self.early_stopping_patience_counter >= self.early_stopping_patience


class _Watch(BaseEvaluator):
    """How many held-out mentions the model gets right."""

    def __init__(self, checked: PairExamples) -> None:
        super().__init__()
        self.checked = checked
        self.primary_metric = "accuracy"

    def __call__(self, model: CrossEncoder, *args: object, **kwargs: object) -> dict[str, float]:
        return {"accuracy": self.checked.accuracy(logits(model, self.checked))}


def _arguments(config: CrossEncoderConfig, folder: Path, n_steps: int, seed: int) -> CrossEncoderTrainingArguments:
    every = max(1, -(-n_steps // config.checks_per_epoch))
    return CrossEncoderTrainingArguments(
        output_dir=str(folder),
        num_train_epochs=config.epochs,
        per_device_train_batch_size=config.batch_size,
        learning_rate=config.learning_rate,
        weight_decay=config.weight_decay,
        warmup_steps=0.1,  # of all steps
        eval_strategy="steps",
        eval_steps=every,
        save_strategy="steps",
        save_steps=every,
        save_total_limit=2,
        load_best_model_at_end=True,
        metric_for_best_model="eval_accuracy",
        greater_is_better=True,
        logging_steps=10,
        seed=seed,
        data_seed=seed,
        report_to="none",
        disable_tqdm=True,
        use_cpu=True,
        restore_callback_states_from_checkpoint=True,  # how many checks were without gain
    )
