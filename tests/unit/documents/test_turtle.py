"""Turtle: the same triples as rdflib finds, and words for what is not understood."""

import pytest
import rdflib

from deixis.documents.turtle import MAX_DEPTH, Iri, Literal, read_triples
from deixis.errors import DataError

PREFIX = "@prefix x: <http://x.org/> .\n"


def triples(text):
    return list(read_triples(enumerate(text.split("\n"), start=1), "file.ttl"))


def plain(value):
    return Literal(value.value, value.lang) if isinstance(value, Literal) else Iri(value.value)


def ours(text):
    return {(triple.subject, triple.predicate, plain(triple.object)) for triple in triples(text)}


def of_rdflib(text):
    graph = rdflib.Graph()
    graph.parse(data=text, format="turtle")
    found = set()
    for subject, predicate, value in graph:
        is_literal = isinstance(value, rdflib.Literal)
        found.add(
            (str(subject), str(predicate), Literal(str(value), value.language) if is_literal else Iri(str(value)))
        )
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
def test_triples_are_those_that_rdflib_finds(text):
    assert ours(text) == of_rdflib(text)


def test_square_brackets_make_nodes_of_their_own():
    found = triples(PREFIX + "x:a x:b [ a x:C ; x:d [ x:e 1 ] ] , [] .\n[ x:f 2 ] x:g 3 .\n[ x:h 4 ] .\n_:n x:i _:n .")
    blank = [triple.object.value for triple in found if triple.predicate.endswith("/b")]
    assert len(set(blank)) == 2
    inner = next(triple for triple in found if triple.predicate.endswith("/d"))
    assert inner.subject == blank[0]
    assert next(t.subject for t in found if t.predicate.endswith("/f")) == next(
        t.subject for t in found if t.predicate.endswith("/g")
    )
    assert len(found) == 9


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("garbage", 1, "expected a statement, got 'garbage'"),
        ("\n<a> <b> ( 1 2 ) .", 2, r"expected an IRI or a name with a prefix, got '\('"),
        ("y:a y:b y:c .", 1, "the prefix 'y:' is not declared. Declared: none"),
        (PREFIX + "y:a y:b y:c .", 2, "Declared: x:"),
        ("<a> <b> <c>", 1, "expected '.', got the end of the file"),
        ("<a> <b> <c>\n<d>", 2, "expected '.', got 'd'"),
        ("<a> <b>\n\n'open", 3, 'not Turtle: "\'open"'),
        ("<a> <b>\n'''open\nand on", 2, "opens here with ''' is never closed"),
        ("<a> <b> '\\q' .", 1, "the escape"),
        ("<a> <b> '\\uD8' .", 1, "the escape"),
        ("<a> <b> '\\U00110000' .", 1, "the escape"),
        ("@prefix x <a> .", 1, "expected name, got 'x'"),
        ("@prefix x:y <a> .", 1, "a prefix ends in a colon"),
        ("<a b> <c> <d> .", 1, "not Turtle"),
        ("@base <http://x.org/> . <//[> <b> <c> .", 1, "no IRI"),
        ("'a' <b> <c> .", 1, "got 'a'"),
        ("<a> <b> " + "[ <c> " * (MAX_DEPTH + 1) + "1" + "]" * (MAX_DEPTH + 1) + " .", 1, "nested more than 50"),
        ("<a> <b> " + "[ <c> " * 100_000, 1, "nested more than 50"),
    ],
)
def test_what_is_not_understood_is_refused_with_its_line(text, line, words):
    with pytest.raises(DataError, match=words) as caught:
        triples(text)
    assert (caught.value.path, caught.value.line) == ("file.ttl", line)


def test_statements_come_out_before_the_next_line_is_read():
    def lines():
        yield 1, "<a> <b> <c> . <d> <e>"
        raise AssertionError("read too far")

    assert next(read_triples(lines(), "x")).subject == "a"
