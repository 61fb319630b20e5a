"""MELO (Retyk et al., 2024): job titles to ESCO occupations. A folder of four headless TSV files.

An entity is an ESCO concept with all its names in the corpus; a document is a query, and the whole of its text is one
mention. Every concept that has a relevant name is a right answer. The folder's name tells the language of the queries:
`deu_q_de_c_en` has German ones for English names.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from deixis.errors import DataError
from deixis.store.files import open_lines
from deixis.types import Document, Mention

_QUERY_LANGUAGE = re.compile(r"_q_([a-z]+)_c_[a-z]+$")
FILES = ("queries.tsv", "corpus_elements.tsv", "concept_mapping.tsv", "annotations.tsv")


def melo_records(folder: Path) -> list[dict[str, Any]]:
    """The entities, in the order of their first names; the first name is the title."""
    element_to_concept = dict(_pairs(folder, "concept_mapping.tsv"))
    concept_to_names: dict[str, list[str]] = {}
    for element, name in _pairs(folder, "corpus_elements.tsv"):
        concept_to_names.setdefault(_known(element_to_concept, element, "a concept", folder), []).append(name)
    return [{"id": concept, "title": names[0], "aliases": names[1:]} for concept, names in concept_to_names.items()]


def melo_documents(folder: Path) -> Iterator[Document]:
    """The queries in file order; one that nobody annotated has no gold."""
    element_to_concept = dict(_pairs(folder, "concept_mapping.tsv"))
    query_to_concepts: dict[str, dict[str, None]] = {}
    for number, fields in _rows(folder, "annotations.tsv", n_fields=4):
        query, _, element, relevance = fields
        if not relevance.lstrip("-").isdigit():
            raise DataError(f"relevance must be a number, got {relevance!r}", path=folder, line=number)
        if int(relevance) > 0:
            concept = _known(element_to_concept, element, "a concept", folder)
            query_to_concepts.setdefault(query, {})[concept] = None
    told = _QUERY_LANGUAGE.search(folder.name)
    lang = told[1] if told else None
    for query, text in _pairs(folder, "queries.tsv"):
        gold = "|".join(query_to_concepts.get(query, ())) or None
        yield Document(query, text, lang, mentions=(Mention(0, len(text), text, entity=gold),))


def melo_files(folder: Path) -> list[Path]:
    """The files, compressed or not."""
    return [_file(folder, name) for name in FILES]


def _file(folder: Path, name: str) -> Path:
    found = next((path for path in (folder / f"{name}.gz", folder / name) if path.is_file()), None)
    if found is None:
        raise DataError(f"no {name} or {name}.gz; a MELO set has {', '.join(FILES)}", path=folder)
    return found


def _pairs(folder: Path, name: str) -> Iterator[tuple[str, str]]:
    return ((first, second) for _, (first, second) in _rows(folder, name, n_fields=2))


def _rows(folder: Path, name: str, n_fields: int) -> Iterator[tuple[int, list[str]]]:
    path = _file(folder, name)
    for number, line in open_lines(path):
        fields = line.split("\t")
        if len(fields) != n_fields:
            raise DataError(f"{len(fields)} fields, expected {n_fields} with tabs between", path=path, line=number)
        yield number, fields


def _known(table: dict[str, str], key: str, what: str, folder: Path) -> str:
    if key not in table:
        raise DataError(f"{key!r} is used but concept_mapping.tsv does not give it {what}", path=folder)
    return table[key]
