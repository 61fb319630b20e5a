"""Annif's corpora: a table of short texts with the URIs of their subjects, and folders of full texts.

Differences from Annif: what it passes over with a warning (a line without a tab, an unknown subject) is an error here,
unless the caller asks to skip it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from deixis.documents.places import Place
from deixis.errors import DataError
from deixis.labelling.corpus.json_lines import record_from_json
from deixis.labelling.corpus.records import LabelledRecord, LabelReference, checked_text, records_of_lines
from deixis.store.files import open_lines

_LABEL_SUFFIXES = (".tsv", ".key")  # the first that is there counts
_TEXT_SUFFIXES = (".txt", ".json")


def read_annif_tsv(lines: Iterable[tuple[int, bytes]], path: str) -> Iterator[LabelledRecord | DataError]:
    r"""One document per line: its text, a tab, and its subjects' URIs between spaces, with or without `<` and `>`.

    Examples
    --------
    >>> line = b"Paper engineering\t<http://www.yso.fi/onto/yso/p1542> <http://www.yso.fi/onto/yso/p7445>"
    >>> document = next(read_annif_tsv([(1, line)], "train.tsv"))
    >>> document.text, [label.id[-5:] for label in document.labels]
    ('Paper engineering', ['p1542', 'p7445'])
    """
    return records_of_lines(lines, path, _record_of_row)


def read_annif_folder(path: str) -> Iterator[LabelledRecord | DataError]:
    """One document per `.txt` or `.json` file of a folder, in the order of their names; its id is the name's stem.

    The subjects of a text stand in the file of the same stem that ends in `.tsv` (`<uri>`, a tab, the label) or
    `.key` (the label), one a line; a text without such a file has none. A `.json` file holds its own.
    """
    folder = Path(path)
    if not folder.is_dir():
        raise DataError(f"is no folder; give one with {' or '.join(_TEXT_SUFFIXES)} files in it", path=path)
    files = sorted(each for each in folder.iterdir() if each.suffix in _TEXT_SUFFIXES)
    if not files:
        raise DataError(f"the folder has no {' or '.join(_TEXT_SUFFIXES)} files in it", path=path)
    for file in files:
        try:
            yield _record_of_file(file)
        except DataError as error:
            yield error


def _record_of_row(line: str, location: Place) -> LabelledRecord:
    text, tab, uris = line.partition("\t")
    if not tab:
        raise location.error(f"no tab in {line[:60]!r}; a line is a text, a tab, and URIs between spaces")
    labels = [LabelReference(id=_without_brackets(uri)) for uri in uris.split()]
    return LabelledRecord(location, "", checked_text(text, location), labels)


def _record_of_file(path: Path) -> LabelledRecord:
    location = Place(str(path), 1)
    content = "\n".join(line for _, line in open_lines(path))
    if path.suffix == ".json":
        record = record_from_json(content, location)
        return record._replace(id=record.id or path.stem)
    labels, locations = _labels_beside(path)
    return LabelledRecord(location, path.stem, checked_text(content, location), labels, locations)


def _labels_beside(path: Path) -> tuple[list[LabelReference], list[Place]]:
    beside = next((file for suffix in _LABEL_SUFFIXES if (file := path.with_suffix(suffix)).exists()), None)
    labels: list[LabelReference] = []
    locations: list[Place] = []
    for number, line in open_lines(beside) if beside is not None else ():
        fields = [field for field in map(str.strip, line.split("\t")) if field]
        if fields:
            locations.append(Place(str(beside), number))
            labels.append(_label_of_row(fields))
    return labels, locations


def _label_of_row(fields: list[str]) -> LabelReference:
    """Both kinds of files may give a URI, a label, or a URI and a label."""
    identifier = _without_brackets(fields[0])
    if identifier == fields[0]:
        return LabelReference(name=fields[0])
    return LabelReference(id=identifier, name=fields[1] if len(fields) > 1 else "")


def _without_brackets(uri: str) -> str:
    return uri[1:-1] if len(uri) > 2 and uri.startswith("<") and uri.endswith(">") else uri
