"""Laws of documents: what is written is read back, and no line of junk escapes as anything but a DataError."""

import io
import json

from hypothesis import given, settings
from hypothesis import strategies as st

from deixis.documents.formats.native import read_native
from deixis.documents.writing import write_documents
from deixis.errors import DataError
from deixis.types import Candidate, Document, Mention

names = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=8)
scores = st.floats(0, 1, width=16).map(lambda value: float(f"{value:.6g}"))


@st.composite
def documents(draw):
    text = draw(st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=40))
    mentions = []
    for _ in range(draw(st.integers(0, 4))):
        start = draw(st.integers(0, len(text) - 1))
        end = draw(st.integers(start + 1, len(text)))
        entity = draw(st.none() | names)
        candidates = draw(st.lists(st.builds(Candidate, names, scores, names), max_size=2))
        is_nil = entity is None and draw(st.booleans())
        mentions.append(
            Mention(start, end, text[start:end], entity, draw(st.none() | scores), is_nil, tuple(candidates))
        )
    mentions.sort(key=lambda mention: (mention.start, mention.end))
    return Document(draw(names), text, draw(st.none() | names), tuple(mentions))


@settings(max_examples=60, deadline=None)
@given(st.lists(documents(), max_size=3))
def test_written_documents_are_read_back_as_they_were(batch):
    stream = io.StringIO()
    write_documents(batch, stream)
    assert list(read_native(enumerate(stream.getvalue().split("\n"), start=1), "x")) == batch


junk = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["id", "text", "mentions", "start", "end", "entity", "score"]), inner, max_size=5
        )
    ),
    max_leaves=12,
)


@settings(max_examples=60, deadline=None)
@given(junk)
def test_any_json_is_a_document_or_a_data_error(value):
    try:
        (document,) = read_native([(1, json.dumps(value))], "x")
    except DataError as error:
        assert error.line == 1
    else:
        assert isinstance(document.text, str)
