"""XML: declarations never reach a parser, and all else does, line by line."""

import pytest

from deixis.errors import DataError
from deixis.rdf import read_statements
from deixis.xml_prolog import without_declarations
from tests.timing import cpu_seconds


def safe(text, encoding="utf-8"):
    lines = enumerate(text.encode(encoding).split(b"\n"), start=1)
    return [raw.decode() for _, raw in without_declarations(lines, "a.xml")]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("<a/>", ["<a/>"]),
        ("\n<!-- <!--\n-->\n<?pi ?><a>\n</a>", ["", "<!-- <!--", "-->", "<?pi ?><a>", "</a>"]),
        ("<!DOCTYPE a>\n<a/>", [" ", "<a/>"]),
        ("<!DOCTYPE a\n PUBLIC '-//x' \"x>.dtd\"\n>\n<a/>", None),
        ('<!DOCTYPE a PUBLIC "-//x//y"\n "x.dtd"><a/>', ["", "<a/>"]),
        ("", [""]),
        ("<!-- open", ["<!-- open"]),
    ],
)
def test_a_doctype_that_declares_nothing_is_left_out_and_lines_stay(text, expected):
    if expected is None:
        with pytest.raises(DataError, match="line 2: the DOCTYPE has declarations"):
            safe(text)
    else:
        assert safe(text) == expected


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ('<?xml version="1.0"?>\n<!DOCTYPE a [<!ENTITY x "y">]>\n<a/>', 2),
        ("<!DOCTYPE a SYSTEM 'x.dtd' [\n<!ENTITY x 'y'>]><a/>", 1),
        ("<!DOCTYPE a\n[]>\n<a/>", 2),
        ("<!-- --><!DOCTYPE a><!DOCTYPE b [<!ENTITY x 'y'>]><a/>", 1),
        ("<a>\n<!DOCTYPE a [<!ENTITY x 'y'>]>\n</a>", 2),
        ("<a><!DOCTYPE a [<!ENTITY x 'y'>]></a>", 1),
        ("<a>\n<!doctype a>\n</a>", 2),
        ("<!ENTITY x 'y'>\n<a/>", 1),
        ("x\0<a/>", 1),
    ],
)
def test_declarations_are_refused_wherever_they_stand(text, line):
    with pytest.raises(DataError) as caught:
        safe(text)
    assert caught.value.line == line


def test_an_encoding_cannot_hide_declarations():
    hidden = "<!DOCTYPE a [<!ENTITY x 'y'>]><a/>".encode("utf-7").decode("ascii")
    with pytest.raises(DataError, match="the DOCTYPE has declarations|not XML"):
        safe(f'<?xml version="1.0" encoding="utf-7"?>\n{hidden}'.replace("<!", "+ADwAIQ-"))


def test_declared_encodings_become_utf8():
    assert safe('<?xml version="1.0" encoding="latin-1"?>\n<a>é</a>', "latin-1") == [
        '<?xml version="1.0"?>',
        "<a>é</a>",
    ]


def test_a_file_that_never_begins_is_refused_before_it_fills_the_memory():
    with pytest.raises(DataError, match="no element in the first 64 KB"):
        for _ in without_declarations(((n, b"<!-- " + b"x" * 1000) for n in range(1, 10**6)), "a.xml"):
            pass


def test_entities_of_rdf_are_never_expanded():
    bomb = '<!DOCTYPE r [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]>\n<rdf:RDF/>'
    with pytest.raises(DataError, match="line 1: the DOCTYPE has declarations of its own"):
        list(read_statements(enumerate(bomb.encode().split(b"\n"), start=1), "a.rdf", ".rdf"))


def test_many_comments_before_the_first_element_take_no_time_to_speak_of():
    lines = [b'<?xml version="1.0"?>', *[b"<!-- x -->"] * 5000, b"<a/>"]

    def read():
        return list(without_declarations(enumerate(lines, start=1), "a.xml"))

    assert len(read()) == len(lines)
    assert cpu_seconds(read, enough=1) < 1
