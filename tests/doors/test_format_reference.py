"""The page of formats says what the formats do."""

import re
from pathlib import Path

import pytest

from deixis.documents.formats import READERS, WRITERS
from deixis.documents.reading import read_documents
from deixis.documents.writing import write_documents
from deixis.types import Candidate, Document, Mention

PAGE = (Path(__file__).resolve().parents[2] / "docs/reference/formats.md").read_text(encoding="utf-8")
ROW = re.compile(r"^\| `([a-z-]+)` \| (yes|no) \| (yes|no) \| (.+) \| (.+) \|$", re.MULTILINE)
ROWS = {name: (reads, writes, counts, lacks) for name, reads, writes, counts, lacks in ROW.findall(PAGE)}
SECTIONS = dict(re.findall(r"^## ([a-z-]+)\n(.*?)(?=^## |\Z)", PAGE, re.MULTILINE | re.DOTALL))
BLOCK = re.compile(r"^`([^`]+)`:\n\n```[a-z]+\n(.*?)\n```$", re.MULTILINE | re.DOTALL)
PARIS = {"Q167646", "Paris (mythology)", "http://www.wikidata.org/entity/Q167646"}
NEVER_GUESSED = {"lines": "text", "elevant-links": "elevant", "damuel-all": "damuel", "hf": "native"}


def test_the_table_lists_every_format_in_the_order_of_the_help():
    assert list(ROWS) == list(dict.fromkeys([*READERS, *WRITERS]))
    assert [name for name, row in ROWS.items() if row[0] == "yes"] == list(READERS)
    assert [name for name, row in ROWS.items() if row[1] == "yes"] == list(WRITERS)
    assert list(SECTIONS) == list(ROWS)


def example(format, folder):
    """The example's files, written out; the first is the one to read."""
    blocks = BLOCK.findall(SECTIONS[format])
    for name, content in blocks:
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(content + ("" if "/" in name else "\n"), encoding="utf-8")
    return folder / blocks[0][0]


@pytest.mark.parametrize("format", READERS)
def test_the_example_of_a_format_is_read(format, tmp_path):
    first, *_ = read_documents(example(format, tmp_path), format)
    assert first.text.startswith("So Paris fled")
    if format in ("text", "lines", "html"):
        assert first.mentions == ()
    else:
        (mention,) = first.mentions
        assert (mention.start, mention.text) == (3, "Paris")
        assert mention.entity in PARIS


@pytest.mark.parametrize("format", READERS)
def test_the_example_of_a_format_is_guessed(format, tmp_path):
    path = example(format, tmp_path)
    guessed = NEVER_GUESSED.get(format, format)
    assert list(read_documents(path)) == list(read_documents(path, guessed))
    assert ("Never guessed" in SECTIONS[format]) == (format in NEVER_GUESSED)


FEATURES = {
    "language": Document("d1", "So Paris fled .", "en", (Mention(3, 8, "Paris", entity="Q1"),)),
    "scores": Document("d1", "So Paris fled .", None, (Mention(3, 8, "Paris", entity="Q1", score=0.5),)),
    "candidates": Document(
        "d1", "So Paris fled .", None, (Mention(3, 8, "Paris", entity="Q1", candidates=(Candidate("Q1", 0.5, "P"),)),)
    ),
}


@pytest.mark.parametrize("format", [format for format in WRITERS if format in READERS])
@pytest.mark.parametrize("feature", FEATURES)
def test_what_the_table_says_is_lost_is_lost_and_nothing_else(format, feature, tmp_path):
    path = tmp_path / "links"
    with path.open("w", encoding="utf-8", newline="\n") as stream:
        write_documents([FEATURES[feature]], stream, format, str(path))
    is_carried = list(read_documents(path, format)) == [FEATURES[feature]]
    assert is_carried == (feature not in ROWS[format][3])


REASONED = Document(
    "d1",
    "So Paris fled .",
    None,
    (Mention(3, 8, "Paris", is_nil=True, score=0.2, mention_score=0.5, entity_score=0.4, nil_reason="ambiguous"),),
)


def test_the_formats_that_carry_reasons_are_those_that_the_page_names(tmp_path):
    named = re.search(r"why a mention is NIL \(`nil_reason`\) are carried by (.+) alone\.", PAGE)
    carrying = []
    for format in (format for format in WRITERS if format in READERS):
        path = tmp_path / format
        with path.open("w", encoding="utf-8", newline="\n") as stream:
            write_documents([REASONED], stream, format, str(path))
        mention = next(
            (each for document in read_documents(path, format) for each in document.mentions), Mention(0, 0, "")
        )
        if (mention.mention_score, mention.entity_score, mention.nil_reason) == (0.5, 0.4, "ambiguous"):
            carrying.append(format)
    assert named is not None and re.findall(r"`([a-z-]+)`", named[1]) == carrying
