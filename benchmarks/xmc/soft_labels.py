"""Which subjects go with which: `python -m benchmarks.xmc.soft_labels "sauna bathing" typewriters`.

A markdown table of the soft targets that titles of `yso_en` get from its training documents, one line a title.
"""

from __future__ import annotations

import argparse
import sys

import numpy as np
from scipy import sparse

from benchmarks.xmc.datasets import Dataset, read_dataset
from deixis.xmr.label_augmentation import AugmentationConfig, label_targets

SHOWN = (
    "edible mushrooms",
    "typewriters",
    "sauna bathing",
    "volcanic eruptions",
    "puppet theatre",
    "reindeer husbandry",
    "whaling",
    "bumblebees",
    "sledges",
    "natural history museums",
    "computer games",
)
SEED = 0


def lines(dataset: Dataset, titles: list[str], config: AugmentationConfig) -> list[str]:
    """One line a title: how many documents it has, and what its text is taught to mean, the surest first."""
    docs_by_labels = dataset.part("train").docs_by_labels
    targets = label_targets(docs_by_labels, config, SEED)
    n_documents = np.bincount(docs_by_labels.indices, minlength=docs_by_labels.shape[1])
    row_of_title = {dataset.vocabulary.title(row): row for row in range(len(dataset.vocabulary))}
    made = ["| label text | documents | other labels, with their targets |", "| --- | ---: | --- |"]
    for title in titles:
        row = row_of_title[title]
        made.append(f"| {title} | {n_documents[row]} | {others(dataset, targets, row)} |")
    return made


def others(dataset: Dataset, targets: sparse.csr_matrix, row: int) -> str:
    """The soft labels of one text in words."""
    own = targets[row]
    order = np.argsort(-own.data, kind="stable")
    named = [f"{dataset.vocabulary.title(own.indices[i])} {own.data[i]:.2f}" for i in order if own.indices[i] != row]
    return ", ".join(named) or "–"


def main(arguments: list[str] | None = None) -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("titles", nargs="*", default=list(SHOWN), metavar="TITLE")
    parser.add_argument("--threshold", type=float, default=AugmentationConfig().threshold)
    options = parser.parse_args(arguments)
    print(
        "\n".join(
            lines(
                read_dataset("yso_en"),
                options.titles,
                AugmentationConfig("soft", options.threshold, threshold_of="share"),
            )
        )
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
