"""Settings of ELIAS; needs no torch."""

from __future__ import annotations

from dataclasses import dataclass, field

from deixis.errors import ConfigError
from deixis.neural.one_vs_all.config import BagConfig
from deixis.xmr.label_tree import MAX_CHILDREN

_LEAST = {"labels_per_cluster": 1, "edges_per_label": 1, "beam": 1, "n_shortlist": 1, "n_epochs_fixed": 1,
          "n_epochs_learned": 0, "batch_size": 1, "classifier_every": 1}  # fmt: skip
_ABOVE_ZERO = ("alpha", "learning_rate", "classifier_rate", "embedding_rate", "edge_rate")


BAG = "bag"


@dataclass(frozen=True)
class TextConfig:
    """How an encoder of texts is used; one of the features' embeddings has `BagConfig`."""

    learning_rate: float = field(
        default=5e-5, metadata={"help": "Rate of Adam for an encoder of texts; 0 leaves it as it is, which is quick."}
    )
    max_tokens: int = field(default=128, metadata={"help": "Tokens of a text that an encoder of texts reads."})

    def __post_init__(self) -> None:
        if not 0 <= self.learning_rate < float("inf"):
            raise ConfigError(f"learning_rate must be finite and not negative, got {self.learning_rate}.")
        if self.max_tokens < 3:
            raise ConfigError(f"max_tokens must be at least 3, got {self.max_tokens}.")


@dataclass(frozen=True)
class EliasConfig:
    """The index's size, the losses' weights and how it is learned (ELIAS, sections 3.2-3.4).

    Examples
    --------
    >>> EliasConfig().sizes(n_labels=23_630)
    (237, 997)
    """

    bag: BagConfig = field(default_factory=BagConfig)
    encoder: str = field(
        default=BAG,
        metadata={
            "help": "bag (embeddings of the n-grams, learned from scratch in minutes), or an encoder of texts: minilm, "
            "the folder of a SentenceTransformer, a hub name."
        },
    )
    text: TextConfig = field(default_factory=TextConfig)
    labels_per_cluster: int = field(default=100, metadata={"help": "L/C: labels over clusters; also beta (Eq. 5)."})
    edges_per_label: float = field(
        default=10.0, metadata={"help": "Edges kept over labels: each cluster keeps this times L/C (kappa)."}
    )
    keeps_every_label: bool = field(
        default=True, metadata={"help": "Give a label that no cluster kept one edge, so that it can be found."}
    )
    alpha: float = field(default=2.0, metadata={"help": "How many clusters can score 1 at one time (Eq. 1)."})
    beam: int = field(default=10, metadata={"help": "Clusters looked into (b, Eq. 2)."})
    n_shortlist: int = field(default=1000, metadata={"help": "Labels shortlisted (K)."})
    shortlist_weight: float = field(default=0.05, metadata={"help": "Weight of the shortlist loss (lambda)."})
    n_epochs_fixed: int = field(default=4, metadata={"help": "Passes over the documents with fixed clusters."})
    n_epochs_learned: int = field(default=4, metadata={"help": "Passes in which edges are learned too; 0 for none."})
    batch_size: int = field(default=256, metadata={"help": "Documents in a step."})
    learning_rate: float = field(default=3e-3, metadata={"help": "Rate of Adam for cluster classifiers and the layer."})
    classifier_rate: float = field(default=5e-3, metadata={"help": "Rate of Adam for label classifiers."})
    classifier_every: int = field(default=2, metadata={"help": "Steps whose gradients make one step of those (k)."})
    embedding_rate: float = field(default=3e-2, metadata={"help": "Rate of Adam for the features' embeddings."})
    edge_rate: float = field(default=5e-2, metadata={"help": "Rate of Adam for the edges (A)."})
    cosine_weight: float = field(
        default=8.0, metadata={"help": "Weight at first of the cosine to the middle of a label's documents."}
    )

    def __post_init__(self) -> None:
        for name, least in _LEAST.items():
            if getattr(self, name) < least:
                raise ConfigError(f"{name} must be at least {least}, got {getattr(self, name)}.")
        for name in _ABOVE_ZERO:
            if not 0 < getattr(self, name) < float("inf"):
                raise ConfigError(f"{name} must be above 0 and finite, got {getattr(self, name)}.")
        if self.labels_per_cluster > MAX_CHILDREN:
            raise ConfigError(f"labels_per_cluster must lie in 1..{MAX_CHILDREN}, got {self.labels_per_cluster}.")
        if not 0 <= self.shortlist_weight < float("inf"):
            raise ConfigError(f"shortlist_weight must be finite and not negative, got {self.shortlist_weight}.")

    @property
    def reads_texts(self) -> bool:
        """Whether the encoder takes texts, not rows of features."""
        return self.encoder != BAG

    def sizes(self, n_labels: int) -> tuple[int, int]:
        """C, the number of clusters, and kappa, the edges of each."""
        n_clusters = max(1, -(-n_labels // self.labels_per_cluster))
        return n_clusters, min(n_labels, max(1, int(self.edges_per_label * n_labels / n_clusters)))
