"""Settings of ELIAS; needs no torch."""

from __future__ import annotations

from dataclasses import dataclass, field

from deixis.config import Config, setting
from deixis.native import _core
from deixis.neural.one_vs_all.config import BAG, COSINE_WEIGHT, BagConfig, TextConfig


@dataclass(frozen=True)
class EliasConfig(Config):
    """The index's size, the losses' weights and how it is learned (ELIAS, sections 3.2-3.4).

    Examples
    --------
    >>> EliasConfig().sizes(n_labels=23_630)
    (237, 997)
    """

    RETIRED = {"cosine_weight": COSINE_WEIGHT}

    bag: BagConfig = field(default_factory=BagConfig)
    encoder: str = setting(BAG, "bag, or an encoder of texts: minilm, a folder, a hub name.", cli="--encoder")
    text: TextConfig = field(default_factory=TextConfig)
    labels_per_cluster: int = setting(
        100, "L/C: labels over clusters; also beta (Eq. 5).", low=1, high=_core.MAX_CHILDREN
    )
    edges_per_label: float = setting(
        10.0, "Edges kept over labels: each cluster keeps this times L/C (kappa).", low=1, is_fixed=True
    )
    keeps_every_label: bool = setting(
        True, "Give a label that no cluster kept one edge, so that it can be found.", is_fixed=True
    )
    alpha: float = setting(10.0, "How many clusters can score 1 at one time (Eq. 1).", above=0, is_fixed=True)
    beam: int = setting(20, "Clusters looked into (b, Eq. 2).", low=1)
    n_shortlist: int = setting(1000, "Labels shortlisted (K).", low=1)
    warm_edges: float = setting(
        0.0, "By how much the edge of a label's first cluster begins above others: P@1 rises, R@100 falls.", low=0
    )
    shortlist_weight: float = setting(0.05, "Weight of the shortlist loss (lambda).", low=0, is_fixed=True)
    n_epochs_fixed: int = setting(4, "Passes over the documents with fixed clusters.", low=1)
    n_epochs_learned: int = setting(4, "Passes in which edges are learned too; 0 for none.", low=0)
    batch_size: int = setting(256, "Documents in a step.", low=1)
    learning_rate: float = setting(3e-3, "Rate of Adam for cluster classifiers and the layer.", above=0)
    classifier_rate: float = setting(5e-3, "Rate of Adam for label classifiers.", above=0, is_fixed=True)
    classifier_every: int = setting(2, "Steps whose gradients make one step of those (k).", low=1, is_fixed=True)
    embedding_rate: float = setting(3e-2, "Rate of Adam for the features' embeddings.", above=0, is_fixed=True)
    edge_rate: float = setting(5e-2, "Rate of Adam for the edges (A).", above=0, is_fixed=True)

    @property
    def reads_texts(self) -> bool:
        """Whether the encoder takes texts, not rows of features."""
        return self.encoder != BAG

    def sizes(self, n_labels: int) -> tuple[int, int]:
        """C, the number of clusters, and kappa, the edges of each."""
        n_clusters = max(1, -(-n_labels // self.labels_per_cluster))
        return n_clusters, min(n_labels, max(1, int(self.edges_per_label * n_labels / n_clusters)))
