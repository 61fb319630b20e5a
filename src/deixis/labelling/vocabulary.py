"""Vocabularies of labels that have no names: numbers stand for them, as in files of matrices."""

from __future__ import annotations

from deixis.errors import DataError
from deixis.kb.knowledge_base import KnowledgeBase


def numbered_vocabulary(n_labels: int) -> KnowledgeBase:
    """Labels "0", "1", ... in the order of a matrix's columns.

    Examples
    --------
    >>> list(numbered_vocabulary(3).ids)
    ['0', '1', '2']
    """
    return KnowledgeBase.from_records({"id": str(number), "title": str(number)} for number in range(n_labels))


def check_columns(vocabulary: KnowledgeBase, n_columns: int) -> None:
    """Raises if a matrix of labels has other columns than the vocabulary has labels."""
    if n_columns != len(vocabulary):
        raise DataError(
            f"The label matrix has {n_columns:,} columns, the vocabulary {len(vocabulary):,} labels; column j must be "
            "the vocabulary's j-th label. Give the vocabulary that the documents were labelled with."
        )
