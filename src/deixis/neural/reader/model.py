"""A retriever and a reader, each with an encoder of its own (imports torch).

After Li et al., 2023, "Bidirectional End-to-End Learning of Retriever-Reader Paradigm for Entity Linking"
(BEER²), Eq. 1-10 and 12-14. Where we differ: one encoder reads passages and entities, and another pairs of both (the
paper has one for entities, and another for passages and pairs: with few steps the reader's loss then undoes what the
retriever has learned); its tokens are averaged where the paper takes [CLS], since encoders of sentences such as
MiniLM were trained so and a few hundred steps do not change that (`pooling`); each span has a vector of its own, and
the best counts (`span_pooling`); the retriever's products are cosines times a scale; and the embeddings of words stay
as they are.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from sentence_transformers import SentenceTransformer
from tokenizers import Encoding
from torch.nn import functional

from deixis.encoders.token_graph import padded
from deixis.neural.bi_encoder.model import add_marker, check_length, inner_model, keep_layers
from deixis.neural.reader.config import ReaderConfig
from deixis.neural.sentence_encoder import open_sentence_transformer

Tokens = dict[str, torch.Tensor]
N_HEADS = 3  # start, end, rank: W1, W2 and W3


class RetrieverReader(torch.nn.Module):
    """Vectors of passages, spans and entities, and three numbers for each token of a pair."""

    def __init__(self, encoder: torch.nn.Module, n_dims: int, pooling: str) -> None:
        super().__init__()
        self.encoder = encoder
        self.reader = copy.deepcopy(encoder)
        self.heads = torch.nn.Linear(n_dims, N_HEADS)
        self.pooling = pooling

    @classmethod
    def open(cls, config: ReaderConfig) -> tuple[RetrieverReader, SentenceTransformer]:
        """The model that a config asks for, and the encoder it came from, which has its tokenizer."""
        whole = open_sentence_transformer(config.encoder)
        if config.n_layers:
            keep_layers(whole, config.n_layers)
        add_marker(whole)
        check_length(whole, config.n_tokens + config.entity_tokens + 4, "n_tokens and entity_tokens, with signs,")
        encoder = inner_model(whole)
        # A few hundred steps change word embeddings little, and updating all of them costs as much as a layer or two.
        encoder.get_input_embeddings().requires_grad_(False)
        n_dims = int(encoder.config.hidden_size)
        return cls(encoder, n_dims, config.pooling), whole

    def states(self, tokens: Tokens) -> torch.Tensor:
        """texts_by_tokens_by_dims (Eq. 1 and 2)."""
        states: torch.Tensor = self.encoder(**tokens).last_hidden_state
        return states

    def vectors(self, states: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        """A vector of length one for each text: the mean over its tokens, or its first token (Eq. 3)."""
        return functional.normalize(states[:, 0] if self.pooling == "cls" else _mean(states, mask), dim=-1)

    def span_scores(
        self, states: torch.Tensor, positions: Sequence[Sequence[NDArray[np.int64]]], entities: torch.Tensor
    ) -> torch.Tensor:
        """passages_by_entities: the score of each passage's best span (Eq. 4 and 5); zeros for one without any.

        `positions` has the tokens of each span of each passage.
        """
        rows = []
        for own, spans in zip(states, positions, strict=True):
            if not spans:
                rows.append(own.new_zeros(len(entities)))
                continue
            vectors = torch.stack([own[torch.from_numpy(each)].mean(dim=0) for each in spans])
            rows.append((functional.normalize(vectors, dim=-1) @ entities.T).amax(dim=0))
        return torch.stack(rows)

    def numbers(self, tokens: Tokens) -> torch.Tensor:
        """pairs_by_tokens_by_heads: logits of start, end and rank (Eq. 6-8 and 10)."""
        logits: torch.Tensor = self.heads(self.reader(**tokens).last_hidden_state)
        return logits


def _mean(states: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    weights = mask.unsqueeze(-1).to(states.dtype)
    return (states * weights).sum(dim=1) / weights.sum(dim=1).clamp(min=1e-6)


def as_tensors(encoded: Sequence[Encoding], has_types: bool = True) -> Tokens:
    """Encoded texts as a model takes them."""
    tokens = {name: torch.from_numpy(array) for name, array in padded(encoded).items()}
    if not has_types:
        del tokens["token_type_ids"]
    return tokens


def retriever_loss(scores: torch.Tensor, is_gold: torch.Tensor) -> torch.Tensor:
    """Eq. 12 and 13: each right entity of a passage against all entities that are not right for it.

    Both are passages_by_entities. The paper maximises what it writes; here its negative is minimised.

    Examples
    --------
    >>> float(retriever_loss(torch.tensor([[1.0, 0.0]]), torch.tensor([[True, False]]))) < 0.4
    True
    """
    wrong = torch.logsumexp(scores.masked_fill(is_gold, -torch.inf), dim=1, keepdim=True)
    losses = functional.softplus(wrong - scores)[is_gold]
    return losses.mean() if losses.numel() else scores.sum() * 0.0


def reader_loss(
    logits: torch.Tensor, is_passage: torch.Tensor, spans: Sequence[Sequence[tuple[int, int]]], groups: torch.Tensor
) -> torch.Tensor:
    """Eq. 14: of each pair the places of its spans, of each passage the right ones among its candidates.

    A pair without spans is a wrong one: its span is the first token, and it has no part in the ranking but to be
    ranked lower. `groups` has the number of each pair's passage.
    """
    logits = logits.masked_fill(~is_passage.unsqueeze(-1), -1e4)
    log_probabilities = functional.log_softmax(logits[:, :, :2], dim=1)
    gold_tokens = [(pair, x, y) for pair, own in enumerate(spans) for x, y in (own or [(0, 0)])]
    pairs, starts, ends = (torch.tensor(column) for column in zip(*gold_tokens, strict=True))
    span_loss = -(log_probabilities[pairs, starts, 0] + log_probabilities[pairs, ends, 1]).mean()
    is_right = torch.tensor([bool(own) for own in spans])
    ranks = logits[:, 0, 2]
    rank_losses = [
        -functional.log_softmax(ranks[groups == group], dim=0)[is_right[groups == group]] for group in groups.unique()
    ]
    right = torch.cat(rank_losses)
    return span_loss + (right.mean() if right.numel() else ranks.sum() * 0.0)
