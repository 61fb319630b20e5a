"""Laws of the tabular formats: what they can carry comes back as it was, and junk is a DataError or documents."""

import io
import tempfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from deixis.documents.formats import READERS, WRITERS
from deixis.documents.reading import read_documents
from deixis.errors import DataError
from deixis.types import Document, Mention

characters = st.characters(exclude_categories=["Cs"])
one_line = st.characters(exclude_categories=["Cs"], exclude_characters="\t\n\r")
words = st.text(st.characters(exclude_categories=["Cs"], exclude_characters=" \t\n\r"), min_size=1, max_size=6)
names = st.text(one_line, min_size=1, max_size=8)
plain_names = st.text(st.characters(categories=["Lu", "Ll", "Nd"]), min_size=1, max_size=8)
entities = st.one_of(
    names.filter(lambda name: name not in ("NIL", "_")), st.sampled_from(["C++ (a_b)", "50%25 \\u0028"])
)
plain_entities = plain_names.filter(lambda name: name != "NIL")
quick = settings(max_examples=60, deadline=None)


@st.composite
def links(draw, ids):
    entity = draw(st.none() | ids)
    return {"entity": entity, "is_nil": entity is None and draw(st.booleans())}


@st.composite
def token_documents(draw, gaps, ids, langs):
    """Documents made of tokens, in which no gap but a space or nothing stands inside a mention, and none overlap."""
    text, mentions = "", []
    for _ in range(draw(st.integers(0, 5))):
        text += draw(gaps) if text else ""
        piece = draw(words)
        if draw(st.booleans()):
            piece = " ".join([piece, *draw(st.lists(words, max_size=2))])
            mentions.append(Mention(len(text), len(text) + len(piece), piece, **draw(links(ids))))
        text += piece
    return Document(draw(plain_names), text, draw(langs), tuple(mentions))


@st.composite
def offset_documents(draw, texts, ids, langs):
    """Documents of any text, whose mentions may overlap."""
    text, mentions = draw(texts), []
    for _ in range(draw(st.integers(0, 4)) if text else 0):
        start = draw(st.integers(0, len(text) - 1))
        end = draw(st.integers(start + 1, len(text)))
        mentions.append(Mention(start, end, text[start:end], **draw(links(ids))))
    mentions.sort(key=lambda mention: (mention.start, mention.end))
    return Document(draw(plain_names), text, draw(langs), tuple(mentions))


def there_and_back(batch, format):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "mentions.tsv"
        with path.open("w", encoding="utf-8", newline="") as stream:
            assert WRITERS[format](batch, stream, str(path)) == len(batch)
        return list(read_documents(path, format))


@quick
@given(st.lists(token_documents(st.sampled_from([" ", "\n"]), entities, st.none()), max_size=3))
def test_aida_gives_back_any_text_of_spaced_tokens(batch):
    assert there_and_back(batch, "aida") == batch


@quick
@given(offset_documents(st.text(characters, max_size=30), entities, st.none()))
def test_aida_keeps_what_stands_between_spaces_and_every_link_or_says_why_not(document):
    try:
        (found,) = there_and_back([document], "aida")
    except DataError as error:
        assert "cannot be written as 'aida'" in str(error)
        return
    assert "".join(found.text.split()) == "".join(document.text.split())
    assert [(m.entity, m.is_nil) for m in found.mentions] == [(m.entity, m.is_nil) for m in document.mentions]
    surfaces = [["".join(m.text.split()) for m in which.mentions] for which in (found, document)]
    assert surfaces[0] == surfaces[1]


@quick
@given(st.lists(token_documents(st.sampled_from(["", " ", "\n"]), entities, st.none() | plain_names), max_size=3))
def test_hipe_gives_back_any_text_with_single_spaces_and_line_ends(batch):
    assert there_and_back(batch, "hipe") == batch


@quick
@given(
    st.lists(
        offset_documents(
            st.builds("{}\n{}".format, st.text(one_line, max_size=12), st.text(one_line, min_size=1, max_size=20))
            | st.text(one_line, max_size=20),
            plain_entities,
            st.none(),
        ),
        max_size=3,
    )
)
def test_pubtator_gives_back_any_text_of_a_title_and_an_abstract(batch):
    assert there_and_back(batch, "pubtator") == batch


@quick
@given(
    st.lists(
        offset_documents(st.text(characters, max_size=30), entities, st.none() | names),
        max_size=3,
        unique_by=lambda document: document.id,
    )
)
def test_mewsli_gives_back_any_text_documents_without_mentions_last(batch):
    assert there_and_back(batch, "mewsli") == sorted(batch, key=lambda document: not document.mentions)


fragments = st.sampled_from(
    ["-DOCSTART- (1 EU)", "-DOCSTART-", "TOKEN\tNE-COARSE-LIT\tNEL-LIT", "# hipe2022:document_id = d", "1|t|Paris"]
    + [
        "1|a|fled",
        "1\t0\t5\tParis\tEntity\tQ1",
        "docid\tposition\tlength",
        "d\t0\t5",
        "Paris\tB\tParis\tParis",
        '"',
        "",
    ]
)


@quick
@given(st.sampled_from(["aida", "hipe", "pubtator", "mewsli"]), st.lists(fragments | st.text(one_line, max_size=8)))
def test_any_lines_are_documents_or_an_error_with_its_line(format, lines):
    try:
        found = list(READERS[format](enumerate(lines, start=1), "nowhere/mentions.tsv"))
    except DataError as error:
        assert error.line is not None
    else:
        assert all(document.text[m.start : m.end] == m.text for document in found for m in document.mentions)


@quick
@given(st.sampled_from(["aida", "hipe", "pubtator"]), offset_documents(st.text(characters, max_size=30), names, names))
def test_a_writer_writes_something_readable_or_says_what_it_cannot_carry(format, document):
    stream = io.StringIO()
    try:
        WRITERS[format]([document], stream, "-")
    except DataError as error:
        assert repr(document.id) in str(error)
    else:
        (found,) = READERS[format](enumerate(stream.getvalue().split("\n"), start=1), "x")
        assert [(m.entity, m.is_nil) for m in found.mentions] == [(m.entity, m.is_nil) for m in document.mentions]
