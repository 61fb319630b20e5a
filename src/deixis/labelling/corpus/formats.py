"""The formats of labelled texts by name, and how one is recognised."""

from __future__ import annotations

from deixis.errors import DataError
from deixis.registry import Lazy, LazyRegistry
from deixis.store.files import content_suffix

READERS = LazyRegistry(
    "format of labelled texts",
    {
        "jsonl": Lazy("deixis.labelling.corpus.json_lines:read_json_lines"),
        "lines": Lazy("deixis.labelling.corpus.plain_lines:read_plain_lines"),  # no labels: to be given some
        "annif-tsv": Lazy("deixis.labelling.corpus.annif:read_annif_tsv"),
        "annif-folder": Lazy("deixis.labelling.corpus.annif:read_annif_folder"),  # the only one that is a folder
    },
)
_SUFFIX_TO_FORMAT = {".jsonl": "jsonl", ".ndjson": "jsonl", ".json": "jsonl", ".tsv": "annif-tsv"}


def guess_format(path: str, first_line: bytes, otherwise: str | None = None) -> str:
    r"""The name of the format, from the file's suffix, or from its first line when the suffix does not tell.

    If neither does, it is `otherwise`, or an error if that is None.

    Examples
    --------
    >>> guess_format("train.jsonl.gz", b""), guess_format("-", b'{"text": "Paper"}'), guess_format("-", b"Paper\t<u:1>")
    ('jsonl', 'jsonl', 'annif-tsv')
    """
    by_suffix = _SUFFIX_TO_FORMAT.get(content_suffix(path))
    if by_suffix is not None:
        return by_suffix
    if first_line.lstrip().startswith(b"{"):
        return "jsonl"
    if b"\t" in first_line:
        return "annif-tsv"
    if otherwise is not None:
        return otherwise
    raise DataError(
        f"cannot tell the format from the name or the first line {first_line[:40]!r}. "
        f"Name the format (on the command line with --format), one of: {', '.join(READERS)}",
        path=path,
    )
