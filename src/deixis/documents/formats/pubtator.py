"""PubTator: `PMID|t|Title`, `PMID|a|Abstract`, then a line per mention: PMID, start, end, mention, type, id.

The text is the title, a line end and the abstract, or the title alone where the abstract is empty or missing. Offsets
count Unicode code points in it, the one character between title and abstract included; the mention's own text is
checked. Several ids stay joined as they are by `|` or `+`; a `;` between ids becomes `|`. The ids `-1` and `-` are NIL;
a mention without an id is undecided. Types, the parts of composite mentions and relations are not read.

Not carried: the language, scores and candidates, and line ends and tabs, which become spaces (all but the first line
end, after which the abstract begins). Types are written as `Entity`. Overlapping mentions are carried.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TextIO

from deixis.documents.json_lines import shown
from deixis.documents.places import Place
from deixis.documents.spans import MakeError, checked_span, checked_surface, in_text_order
from deixis.documents.tab_columns import column_value, on_one_line, whole_number, writing_error
from deixis.types import Document, Mention

_PASSAGE = re.compile(r"([^|\t]+)\|([ta])\|(.*)")
_NUMBER_LIKE = re.compile(r"[-+]?\d")
_NIL = "-1"
_NILS = ("-1", "-")


def read_pubtator(lines: Iterable[tuple[int, str]], path: str) -> Iterator[Document]:
    r"""One document per title line, its id the PMID.

    Examples
    --------
    >>> rows = ["354896|t|Lidocaine-induced cardiac asystole.", "354896|a|A single 50-mg bolus of lidocaine.",
    ...         "354896\t0\t9\tLidocaine\tChemical\tD008012", "354896\tCID\tD008012\tD006323"]
    >>> document = next(read_pubtator(enumerate(rows, start=1), "cdr.txt"))
    >>> document.id, document.mentions[0].text, document.mentions[0].entity
    ('354896', 'Lidocaine', 'D008012')
    """
    current: _Article | None = None
    for number, line in lines:
        place = Place(path, number)
        passage = _PASSAGE.fullmatch(line)
        if passage is not None and passage[2] == "t":
            if current is not None:
                yield current.document()
            current = _Article(passage[1], passage[3])
        elif passage is not None:
            _of_same(current, passage[1], place).add_abstract(passage[3], place)
        elif line.strip():
            columns = line.split("\t")
            if len(columns) == 1:
                raise place.error(f"neither 'PMID|t|title', 'PMID|a|abstract' nor columns with tabs: {line[:80]!r}")
            _of_same(current, columns[0], place).add_columns(columns[1:], place)
    if current is not None:
        yield current.document()


def write_pubtator(documents: Iterable[Document], stream: TextIO, path: str = "-") -> int:
    """Writes the documents as they come, a blank line after each, and returns how many there were."""
    n_documents = 0
    for document in documents:
        error = writing_error(document.id, "pubtator", path)
        name = column_value(document.id, "its id", error)
        if "|" in name:
            raise error(f"its id must not have a '|', got {name!r}")
        title, _, abstract = document.text.partition("\n")
        stream.write(f"{name}|t|{on_one_line(title)}\n{name}|a|{on_one_line(abstract)}\n")
        for mention in document.mentions:
            if mention.end > len(title) and not abstract:
                raise error(f"its mention {mention.start}-{mention.end} takes in the line end that ends the text")
            surface = on_one_line(mention.text)
            columns = (name, str(mention.start), str(mention.end), surface, "Entity", *_id_column(mention, error))
            stream.write("\t".join(columns) + "\n")
        stream.write("\n")
        n_documents += 1
    return n_documents


class _Article:
    """The lines of one document, as they come; mentions wait until its text is whole."""

    def __init__(self, name: str, title: str) -> None:
        self.name = name
        self._title = title
        self._abstract: str | None = None
        self._rows: list[tuple[list[str], Place]] = []

    def add_abstract(self, abstract: str, place: Place) -> None:
        if self._abstract is not None:
            raise place.error(f"a second abstract for {self.name!r}; a new document must begin with '{self.name}|t|'")
        self._abstract = abstract

    def add_columns(self, columns: list[str], place: Place) -> None:
        if _NUMBER_LIKE.match(columns[0]):  # names of relations begin with letters
            self._rows.append((columns, place))
        elif len(columns) < 3:
            raise place.error(
                f"a line needs the columns PMID, start, end, mention, type, id (or PMID, relation, id, id), "
                f"got {len(columns) + 1} columns. Is the file cut off?"
            )

    def document(self) -> Document:
        text = f"{self._title}\n{self._abstract}" if self._abstract else self._title
        mentions = [_mention(columns, text, place) for columns, place in self._rows]
        return Document(self.name, text, mentions=in_text_order(mentions))


def _mention(columns: list[str], text: str, place: Place) -> Mention:
    begin, stop = (whole_number(column) for column in columns[:2]) if len(columns) >= 4 else (None, None)
    if begin is None or stop is None:
        raise place.error(
            f"a mention needs the columns PMID, start, end (whole numbers), mention, type, id, got {shown(columns)} "
            "after the PMID. Is the file cut off?"
        )
    start, end = checked_span(begin, stop, text, place.error)
    if columns[2] != on_one_line(text[start:end]):
        checked_surface(columns[2], start, end, text, place.error, otherwise="")
    identifier = columns[4].strip() if len(columns) > 4 else ""
    is_nil = identifier in _NILS
    entity = identifier.replace(";", "|") if identifier and not is_nil else None
    return Mention(start, end, text[start:end], entity=entity, is_nil=is_nil)


def _of_same(article: _Article | None, name: str, place: Place) -> _Article:
    if article is None:
        raise place.error(f"a document must begin with its title, as in '{name}|t|title', before its other lines")
    if article.name != name:
        raise place.error(
            f"a line of {name!r} among those of {article.name!r}; a document's lines must follow its own title, "
            f"as in '{name}|t|title'"
        )
    return article


def _id_column(mention: Mention, error: MakeError) -> tuple[str, ...]:
    if mention.is_nil:
        return (_NIL,)
    if mention.entity is None:
        return ()
    entity = column_value(mention.entity, "an entity id", error, reserved=_NILS)
    if ";" in entity or entity != entity.strip():
        raise error(f"an entity id must have no ';' and no white space around it, got {entity!r}")
    return (entity,)
