"""RDF: the same statements as rdflib finds, in every syntax, and words for what is not understood."""

import pytest
import rdflib

from deixis.errors import DataError
from deixis.rdf import read_statements

PREFIX = "@prefix x: <http://x.org/> .\n"


def statements(text, suffix=""):
    data = text if isinstance(text, bytes) else text.encode()
    return list(read_statements(enumerate(data.split(b"\n"), start=1), "file", suffix))


def ours(text, suffix=""):
    return {each[:4] for each in statements(text, suffix)}


def of_rdflib(text, syntax="turtle"):
    found = set()
    for subject, predicate, value in rdflib.Graph().parse(data=text, format=syntax):
        lang = (value.language or "") if isinstance(value, rdflib.Literal) else None
        found.add((str(subject), str(predicate), str(value), lang))
    return found


@pytest.mark.parametrize(
    "text",
    [
        "<http://x.org/a> <http://x.org/b> <http://x.org/c> .",
        PREFIX + "x:a a x:B , x:C ; x:d 'e' , \"f\" ;; x:g x:h ; .",
        "PREFIX x: <http://x.org/>\nx:a x:b x:c .x:d x:e x:f .",
        "@base <http://x.org/folder/> .\n<a> <#b> <../c> , <> .",
        "BASE <http://x.org/>\n@prefix : <y#> .\n:a :b : .",
        PREFIX + "x:a x:b 1 , -2.5 , true , false .",
        PREFIX + 'x:a x:b "5"^^<http://www.w3.org/2001/XMLSchema#string> , "g"@en-GB .',
        PREFIX + r'x:a x:b "\u00e9\U0001F600\t\n\"\\" , ' + r"'it\'s' .",
        PREFIX + 'x:a x:b """two\nlines "quoted" and ""\nthird""" , \'\'\'o\'ne\'\'\' .',
        PREFIX + 'x:a x:b """ends in a backslash \\\\""" , """""" , "" .',
        PREFIX + "x:a-b.c x:%41b x:a\\,b , x:1 , x:a:b , x:Zürich .# and a comment",
        PREFIX + "<http://x.org/\\u00e9> x:b <http://x.org/#char=0,5> . # \"not a string\nx:c x:d 'e#f' .",
        PREFIX + "x:a x:b '# no comment' .",
    ],
)
def test_statements_are_those_that_rdflib_finds(text):
    assert ours(text) == of_rdflib(text)


@pytest.mark.parametrize(
    ("syntax", "suffix"),
    [("turtle", ".ttl"), ("nt", ".nt"), ("xml", ".rdf"), ("pretty-xml", ".owl"), ("json-ld", ".jsonld")],
)
@pytest.mark.parametrize("is_named", [True, False], ids=["suffix", "no suffix"])
def test_every_syntax_gives_the_same_statements(syntax, suffix, is_named):
    text = PREFIX + 'x:a a x:B ; x:c "Zürich"@de-CH , "two\\nlines" , "q\\"" ; x:d x:e .'
    written = rdflib.Graph().parse(data=text, format="turtle").serialize(format=syntax)
    assert ours(written, suffix if is_named else "") == of_rdflib(text)


def test_iris_of_dbpedia_may_hold_what_the_grammar_forbids():
    text = '<http://dbpedia.org/resource/"Heroes"_|_x> <x:b> <c d> .'
    assert ours(text) == {('http://dbpedia.org/resource/"Heroes"_|_x', "x:b", "c d", None)}


def test_a_statement_has_the_line_on_which_it_ends():
    found = statements(PREFIX + "\nx:a x:b 'c' ;\n  x:d\n  'e' , 'f'\n.\nx:g x:h '''long\none''' .")
    assert [(each.value, each.line) for each in found] == [("c", 3), ("e", 5), ("f", 6), ("long\none", 8)]


def test_square_brackets_make_nodes_of_their_own_with_the_same_names_each_time():
    text = PREFIX + "x:a x:b [ a x:C ; x:d [ x:e 1 ] ] , [] .\n[ x:f 2 ] x:g 3 .\n[ x:h 4 ] .\n_:n x:i _:n ."
    found = statements(text)
    blank = [each.value for each in found if each.predicate.endswith("/b")]
    assert len(set(blank)) == 2 and all(each.startswith("_:") for each in blank)
    assert next(each.subject for each in found if each.predicate.endswith("/d")) == blank[0]
    subject = {each.predicate[-1]: each.subject for each in found}
    assert subject["f"] == subject["g"] != subject["h"]
    assert len(found) == 9
    assert found == statements(text)


def test_lists_in_round_brackets_are_read():
    assert len(statements("<x:a> <x:b> ( 1 2 ) .")) == 5


@pytest.mark.parametrize("encoding", ["iso-8859-1", "UTF-8", "windows-1252"])
def test_xml_may_be_in_the_encoding_that_it_declares(encoding):
    text = (
        f'<?xml version="1.0" encoding="{encoding}"?>\n'
        '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:x="http://x.org/">\n'
        '<x:C rdf:about="http://x.org/a"><x:name xml:lang="DE">Zürich</x:name></x:C></rdf:RDF>'
    )
    assert ("http://x.org/a", "http://x.org/name", "Zürich", "de") in ours(text.encode(encoding))


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("garbage", 1, "not Turtle: .*garbage"),
        ("y:a y:b y:c .", 1, "The prefix y: has not been declared"),
        ("<a> <b> <c>", 1, "not Turtle: Unexpected end"),
        ("<a> <b> <c>\n<d>", 2, "not Turtle"),
        ("<a> <b>\n\n'open", 3, "Unexpected end"),
        ("<a> <b>\n'''open\nand on", 2, "Unexpected end of file"),
        ("<a> <b> '\\q' .", 1, "not Turtle"),
        ("<a> <b> '\\uD8' .", 1, "not Turtle"),
        ("<a> <b> '\\U00110000' .", 1, "not Turtle"),
        ("@prefix x <a> .", 1, "not Turtle"),
        ("'a' <b> <c> .", 1, "not Turtle"),
        ("<a> <b> " + "[ <c> " * 100_000, 1, "Unexpected end"),
        (b"<a> <b>\n'\xff' .", 2, "Invalid UTF-8"),
        ("<a> <b> << <c> <d> <e> >> .", 1, "not Turtle|statement about a statement"),
        ('<?xml version="1.0"?>\n<rdf:RDF', 2, "not RDF/XML"),
        ('<?xml version="1.0" encoding="klingon"?>\n<rdf:RDF/>', 1, "not XML: unknown encoding"),
        ('<?xml version="1.0" encoding="ascii"?>\n<rdf:RDF>é</rdf:RDF>', 2, "not XML"),
        ('{"@id": "x:a",\n "x:b": [1, 2}', 2, "not JSON-LD"),
        ('{"@context": "https://schema.org/",\n"@id": "x:a", "x:b": 1}', None, "nothing is fetched"),
    ],
)
def test_what_is_not_understood_is_refused_with_its_line(text, line, words):
    with pytest.raises(DataError, match=words) as caught:
        statements(text)
    assert caught.value.path == "file"
    assert caught.value.line == line if line else caught.value.line


def test_statements_come_out_before_the_next_line_is_read():
    def lines():
        yield 1, b"<a> <b> <c> . <d> <e>"
        raise AssertionError("read too far")

    assert next(read_statements(lines(), "x")).subject == "a"


RELATIVE = {
    ".ttl": "<a> <b> <#c> .",
    ".nt": "<a> <b> <#c> .",
    ".jsonld": '{"@id": "a", "x:b": {"@id": "#c"}}',
    ".rdf": (
        '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:x="http://x.org/">'
        '<rdf:Description rdf:about="a"><x:b rdf:resource="#c"/></rdf:Description></rdf:RDF>'
    ),
}


@pytest.mark.parametrize(("suffix", "text"), RELATIVE.items(), ids=RELATIVE)
def test_relative_iris_stay_relative_whatever_the_current_folder_is(suffix, text, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (statement,) = statements(text, suffix)
    assert (statement.subject, statement.value) == ("a", "#c")


@pytest.mark.parametrize(
    ("text", "column"),
    [("<a> <b>\n  nonsense .", 3), ("<a> <b> 'c' .\n<a> b:c 'd' .", 5), ('{"@id": "x:a",\n "x:b": [1, 2}', 14)],
)  # fmt: skip
def test_errors_have_line_and_column(text, column):
    with pytest.raises(DataError, match=rf"file, line 2: not .* \(column {column}\)$"):
        statements(text)
