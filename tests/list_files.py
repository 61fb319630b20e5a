"""The same few entities written in every format that lists of entities are read from, as the real files are written."""

import csv
import json
import sqlite3
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from xml.sax.saxutils import escape, quoteattr

import openpyxl
import pyarrow as pa
from pyarrow import feather, ipc, parquet


@dataclass(frozen=True)
class Thing:
    """An entity that every format can hold, as far as the format has the field."""

    number: int
    title: str
    aliases: tuple[str, ...] = ()
    description: str = ""
    types: tuple[str, ...] = ()
    count: int = 0


THINGS = (
    Thing(1, "Paris", ("City of Light", "Lutèce"), "capital of France", ("city",), 2138551),
    Thing(2, 'Τροία, the "Ilion" 🦕', ("القاهرة", "北京"), "a <city> & 'more' of it", ("ancient_city",), 7),
    Thing(3, "Rome"),
)
ONE = THINGS[:1]


def jsonl(things, path):
    lines = [
        {"id": str(each.number), "title": each.title, "aliases": each.aliases, "description": each.description,
         "types": each.types, "count": each.count}
        for each in things
    ]  # fmt: skip
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")


def json_array(things, path):
    jsonl(things, path)
    path.write_text("[" + ",\n".join(path.read_text(encoding="utf-8").splitlines()) + "]", encoding="utf-8")


def rows(things):
    header = ["id", "title", "aliases", "description", "types", "count"]
    cells = [
        [each.number, each.title, "|".join(each.aliases), each.description, "|".join(each.types), each.count]
        for each in things
    ]
    return header, cells


def csv_table(things, path):
    header, cells = rows(things)
    with path.open("w", encoding="utf-8", newline="") as stream:
        csv.writer(stream).writerows([header, *cells])


def tsv(things, path):
    header, cells = rows(things)
    path.write_text("".join("\t".join(map(str, row)) + "\n" for row in [header, *cells]), encoding="utf-8")


def annif_tsv(things, path):
    path.write_text("".join(f"<{iri(each.number)}>\t{each.title}\n" for each in things), encoding="utf-8")


def names(things, path):
    path.write_text("".join(f"{each.title}\n" for each in things), encoding="utf-8")


def excel(things, path):
    header, cells = rows(things)
    workbook = openpyxl.Workbook()
    for row in [header, *cells]:
        workbook.active.append(row)
    workbook.save(path)


def arrow_table(things):
    header, _ = rows(things)
    columns = [
        [str(each.number) for each in things], [each.title for each in things],
        pa.array([list(each.aliases) for each in things], pa.list_(pa.string())),
        [each.description or None for each in things],
        pa.array([list(each.types) for each in things], pa.list_(pa.string())), [each.count for each in things],
    ]  # fmt: skip
    return pa.table(dict(zip(header, columns, strict=True)))


def parquet_file(things, path):
    parquet.write_table(arrow_table(things), path)


def arrow_file(things, path):
    feather.write_feather(arrow_table(things), str(path))


def arrow_stream(things, path):
    table = arrow_table(things)
    with path.open("wb") as stream, ipc.new_stream(stream, table.schema) as writer:
        writer.write_table(table)


def sqlite(things, path):
    header, cells = rows(things)
    database = sqlite3.connect(path)
    database.execute(f"create table things ({', '.join(header)})")
    database.executemany("insert into things values (?, ?, ?, ?, ?, ?)", cells)
    database.commit()
    database.close()


def iri(number):
    return f"http://example.org/{number}"


def turtle_string(text):
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def skos(things, path):
    lines = ["@prefix skos: <http://www.w3.org/2004/02/skos/core#> ."]
    for kind in sorted({kind for each in things for kind in each.types}):
        lines.append(f"<http://example.org/type/{kind}> skos:prefLabel {turtle_string(kind)} .")
    for each in things:
        lines.append(f"<{iri(each.number)}> a skos:Concept ; skos:prefLabel {turtle_string(each.title)} .")
        lines += [f"<{iri(each.number)}> skos:altLabel {turtle_string(alias)} ." for alias in each.aliases]
        if each.description:
            lines.append(f"<{iri(each.number)}> skos:definition {turtle_string(each.description)} .")
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def owl(things, path):
    lines = [
        '<?xml version="1.0"?>', '<rdf:RDF xmlns="http://example.org/x.owl#" xml:base="http://example.org/x.owl"',
        '     xmlns:owl="http://www.w3.org/2002/07/owl#"',
        '     xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"',
        '     xmlns:rdfs="http://www.w3.org/2000/01/rdf-schema#"',
        '     xmlns:obo="http://purl.obolibrary.org/obo/"',
        '     xmlns:oboInOwl="http://www.geneontology.org/formats/oboInOwl#">',
        '    <owl:Ontology rdf:about="http://example.org/x.owl"/>',
        '    <owl:AnnotationProperty rdf:about="http://purl.obolibrary.org/obo/IAO_0000115"/>',
    ]  # fmt: skip
    string = 'rdf:datatype="http://www.w3.org/2001/XMLSchema#string"'
    for each in things:
        lines.append(f"    <owl:Class rdf:about={quoteattr(iri(each.number))}>")
        if each.description:
            lines.append(f"        <obo:IAO_0000115 {string}>{escape(each.description)}</obo:IAO_0000115>")
        for alias in each.aliases:
            tag = "oboInOwl:hasExactSynonym"
            lines.append(f"        <{tag} {string}>{escape(alias)}</{tag}>")
        for kind in each.types:
            lines.append(f"        <oboInOwl:hasOBONamespace {string}>{escape(kind)}</oboInOwl:hasOBONamespace>")
        lines += [f"        <rdfs:label {string}>{escape(each.title)}</rdfs:label>", "    </owl:Class>"]
    lines += [
        '    <owl:Class rdf:about="http://example.org/old">', "        <rdfs:label>obsolete thing</rdfs:label>",
        '        <owl:deprecated rdf:datatype="http://www.w3.org/2001/XMLSchema#boolean">true</owl:deprecated>',
        "    </owl:Class>", "</rdf:RDF>", "",
    ]  # fmt: skip
    path.write_text("\n".join(lines), encoding="utf-8")


def obo(things, path):
    def quoted(text):
        return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'

    lines = ["format-version: 1.2", "ontology: x", ""]
    for each in things:
        lines += ["[Term]", f"id: X:{each.number}", f"name: {each.title}"]
        lines += [f"namespace: {kind}" for kind in each.types]
        if each.description:
            lines.append(f"def: {quoted(each.description)} [GOC:mcc, PMID:10873824]")
        lines += [f"synonym: {quoted(alias)} EXACT []" for alias in each.aliases] + [""]
    lines += ["[Term]", "id: X:99", "name: obsolete thing", "is_obsolete: true", ""]
    lines += ["[Typedef]", "id: part_of", "name: part of", "is_transitive: true", ""]
    path.write_text("\n".join(lines), encoding="utf-8")


def wikidata_item(each):
    value = {"entity-type": "item", "numeric-id": 515, "id": "Q515"}
    snak = {"snaktype": "value", "property": "P31", "datavalue": {"value": value, "type": "wikibase-entityid"}}
    statement = {"mainsnak": snak, "type": "statement", "id": f"Q{each.number}$1", "rank": "normal"}
    return {
        "type": "item", "id": f"Q{each.number}",
        "labels": {"en": {"language": "en", "value": each.title}},
        "descriptions": {"en": {"language": "en", "value": each.description}} if each.description else [],
        "aliases": {"en": [{"language": "en", "value": alias} for alias in each.aliases]} if each.aliases else [],
        "claims": {"P31": [statement]} if each.types else [],
        "sitelinks": {"enwiki": {"site": "enwiki", "title": each.title, "badges": []}} if each.types else {},
        "lastrevid": 1,
    }  # fmt: skip


def wikidata(things, path):
    items = ",\n".join(json.dumps(wikidata_item(each), ensure_ascii=False) for each in things)
    path.write_text(f"[\n{items}\n]\n", encoding="utf-8")


def cirrussearch(things, path):
    lines = []
    for each in things:
        page = {
            "template": ["Template:Infobox settlement"], "content_model": "wikitext", "opening_text": each.description,
            "wiki": "enwiki", "auxiliary_text": ["Paris"], "language": "en", "title": each.title, "text": "Text.",
            "defaultsort": False, "text_bytes": 17, "timestamp": "2026-01-01T00:00:00Z", "heading": ["History"],
            "source_text": "'" + "''Text''.", "create_timestamp": "2001-11-15T13:12:31Z", "namespace_text": "",
            "version": 1, "namespace": 0, "incoming_links": each.count, "popularity_score": 2.5e-05,
            "redirect": [{"namespace": 0, "title": alias} for alias in each.aliases],
            "outgoing_link": ["Rome"], "external_link": [], "category": ["Capitals in Europe"], "page_id": each.number,
            "coordinates": [{"coord": {"lat": 48.86, "lon": 2.35}, "globe": "earth", "primary": True}],
            "wikibase_item": f"Q{each.number}", "file_text": None, "display_title": None,
        }  # fmt: skip
        lines += [{"index": {"_type": "_doc", "_id": str(each.number)}}, page]
    path.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines), encoding="utf-8")


MEDIAWIKI_HEAD = """<mediawiki xmlns="http://www.mediawiki.org/xml/export-0.11/" \
xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" \
xsi:schemaLocation="http://www.mediawiki.org/xml/export-0.11/ http://www.mediawiki.org/xml/export-0.11.xsd" \
version="0.11" xml:lang="en">
  <siteinfo>
    <sitename>Wikipedia</sitename>
    <dbname>enwiki</dbname>
    <base>https://en.wikipedia.org/wiki/Main_Page</base>
    <generator>MediaWiki 1.45.0-wmf.10</generator>
    <case>first-letter</case>
    <namespaces>
      <namespace key="-2" case="first-letter">Media</namespace>
      <namespace key="-1" case="first-letter">Special</namespace>
      <namespace key="0" case="first-letter" />
      <namespace key="1" case="first-letter">Talk</namespace>
      <namespace key="6" case="first-letter">File</namespace>
      <namespace key="10" case="first-letter">Template</namespace>
      <namespace key="14" case="first-letter">Category</namespace>
    </namespaces>
  </siteinfo>
"""


def mediawiki_page(number, title, wikitext, redirect=None, namespace=0):
    to = "" if redirect is None else f"    <redirect title={quoteattr(redirect)} />\n"
    text = escape(wikitext)
    return f"""  <page>
    <title>{escape(title)}</title>
    <ns>{namespace}</ns>
    <id>{number}</id>
{to}    <revision>
      <id>{number + 1000}</id>
      <parentid>{number + 900}</parentid>
      <timestamp>2026-01-01T00:00:00Z</timestamp>
      <contributor>
        <username>Example</username>
        <id>7</id>
      </contributor>
      <comment>/* History */ [[Paris]] &amp; more</comment>
      <origin>{number + 1000}</origin>
      <model>wikitext</model>
      <format>text/x-wiki</format>
      <text bytes="{len(wikitext.encode())}" sha1="abc" xml:space="preserve">{text}</text>
      <sha1>abc</sha1>
    </revision>
  </page>
"""


def wikipedia(things, path):
    pages = []
    for each in things:
        opening = escape(each.description)
        pages.append(mediawiki_page(each.number, each.title, f"{opening}\n\n== History ==\nNo links.\n"))
        for number, alias in enumerate(each.aliases, start=100 * each.number):
            pages.append(mediawiki_page(number, alias, f"#REDIRECT [[{each.title}]]", redirect=each.title))
    pages.append(mediawiki_page(9, "Talk:Paris", "A discussion.", namespace=1))
    path.write_text(MEDIAWIKI_HEAD + "".join(pages) + "</mediawiki>\n", encoding="utf-8")


def damuel(things, path):
    items = []
    for each in things:
        item = {"qid": f"Q{each.number}", "lang": "en", "label": each.title}
        item |= {"aliases": list(each.aliases)} if each.aliases else {}
        item |= {"description": each.description} if each.description else {}
        items.append(item)
    path.write_text("".join(json.dumps(item, ensure_ascii=False) + "\n" for item in items), encoding="utf-8")


def kilt_pages(things, path):
    pages = []
    for each in things:
        info = {
            "wikidata_id": f"Q{each.number}", "wikidata_label": each.title, "enwikiquote_title": each.title,
            "wikipedia_title": each.title, "description": "", "aliases": list(each.aliases),
        }  # fmt: skip
        paragraphs = [f"{each.title}\n", *([f"{each.description}\n"] if each.description else [])]
        pages.append({
            "_id": str(each.number), "wikipedia_id": str(each.number), "wikipedia_title": each.title,
            "text": [*paragraphs, "Section::::History.\n", "BULLET::::- One\n"], "anchors": [],
            "categories": "Capitals in Europe,Cities in France", "wikidata_info": info,
            "history": {"revid": 1, "timestamp": "2019-08-01T00:00:00Z", "parentid": 0, "pre_dump": True,
                        "pageid": each.number, "url": "https://en.wikipedia.org/w/index.php?title=x&oldid=1"},
        })  # fmt: skip
    path.write_text("".join(json.dumps(page, ensure_ascii=False) + "\n" for page in pages), encoding="utf-8")


def title_of(number):
    return THINGS[number - 1].title


def query_rows(things):
    entity = "http://www.wikidata.org/entity/Q"
    return [
        {"item": f"{entity}{each.number}", "itemLabel": each.title, "itemAltLabel": ", ".join(each.aliases),
         "itemDescription": each.description, "typeLabel": "".join(each.types)}
        for each in things
    ]  # fmt: skip


def query_csv(things, path):
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, ["item", "itemLabel", "itemAltLabel", "itemDescription", "typeLabel"])
        writer.writeheader()
        writer.writerows(query_rows(things))


def query_json(things, path):
    def term(name, value):
        kind = {"type": "uri"} if name == "item" else {"xml:lang": "en", "type": "literal"}
        return kind | {"value": value}

    bindings = [{name: term(name, value) for name, value in row.items() if value} for row in query_rows(things)]
    results = {"head": {"vars": ["item", "itemLabel"]}, "results": {"bindings": bindings}}
    path.write_text(json.dumps(results, indent=2, ensure_ascii=False), encoding="utf-8")


def geonames(things, path):
    lines = []
    for each in things:
        cells = [
            each.number, each.title, "", ",".join(each.aliases), "48.85341", "2.3488", "", "".join(each.types), "", "",
            "11", "75", "751", "75056", each.count, "", "42", "Europe/Paris", "2026-01-14",
        ]  # fmt: skip
        lines.append("\t".join(map(str, cells)) + "\n")
    path.write_text("".join(lines), encoding="utf-8")


def mesh(things, path):
    lines = [
        '<?xml version="1.0"?>',
        '<!DOCTYPE DescriptorRecordSet SYSTEM "https://www.nlm.nih.gov/databases/dtd/nlmdescriptorrecordset_20260101.dtd">',
        '<DescriptorRecordSet LanguageCode = "eng">',
    ]
    for each in things:
        lines += [
            '<DescriptorRecord DescriptorClass = "1">', f"  <DescriptorUI>D{each.number}</DescriptorUI>",
            f"  <DescriptorName>\n   <String>{escape(each.title)}</String>\n  </DescriptorName>",
            "  <AllowableQualifiersList><AllowableQualifier><QualifierReferredTo><QualifierUI>Q000008</QualifierUI>",
            "   <QualifierName><String>administration</String></QualifierName></QualifierReferredTo>",
            "  </AllowableQualifier></AllowableQualifiersList>",
        ]  # fmt: skip
        if each.types:
            numbers = "".join(f"   <TreeNumber>{kind}</TreeNumber>\n" for kind in each.types)
            lines.append(f"  <TreeNumberList>\n{numbers}  </TreeNumberList>")
        lines += ["  <ConceptList>", '   <Concept PreferredConceptYN="Y">', "    <ConceptUI>M0000001</ConceptUI>",
                  f"    <ConceptName>\n     <String>{escape(each.title)}</String>\n    </ConceptName>"]  # fmt: skip
        if each.description:
            lines.append(f"    <ScopeNote>{escape(each.description)}\n    </ScopeNote>")
        lines.append("    <TermList>")
        for name in (each.title, *each.aliases):
            lines.append(f'     <Term LexicalTag="NON"><TermUI>T1</TermUI><String>{escape(name)}</String></Term>')
        lines += ["    </TermList>", "   </Concept>", "  </ConceptList>", "</DescriptorRecord>"]
    path.write_text("\n".join([*lines, "</DescriptorRecordSet>", ""]), encoding="utf-8")


def umls(things, path):
    path.mkdir()
    concepts, definitions, types = [], [], []
    for each in things:
        concept = f"C{each.number:07}"
        for n, name in enumerate((each.title, *each.aliases)):
            status = "P|L1|PF" if n == 0 else "S|L2|VO"
            concepts.append(f"{concept}|ENG|{status}|S{n}|Y|A{n}||M1|D1|MSH|MH|D1|{name}|0|N|256|")
        concepts.append(f"{concept}|ENG|S|L3|VO|S9|N|A9||M1|D1|MSH|ET|D1|suppressed name|0|O||")
        if each.description:
            definitions.append(f"{concept}|A1|AT1||MSH|{each.description}|N||")
        types += [f"{concept}|T083|A2.1.5.4|{kind}|AT2|256|" for kind in each.types]
    for name, lines in (("MRCONSO.RRF", concepts), ("MRDEF.RRF", definitions), ("MRSTY.RRF", types)):
        (path / name).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


@dataclass(frozen=True)
class Format:
    """How a list is written in a format, its file's name, the fields it has, and an id in it."""

    name: str
    write: Callable[[tuple[Thing, ...], Path], None]
    suffix: str
    fields: frozenset[str]
    id: Callable[[int], str] = str
    is_named: bool = False
    """Whether only its name tells the format from others."""

    def file(self, things: tuple[Thing, ...], folder: Path, name: str | None = None) -> Path:
        """The path of a new file with these entities."""
        path = folder / (f"list{self.suffix}" if name is None else name)
        self.write(things, path)
        return path


_NAMED = frozenset({"aliases"})
_DESCRIBED = _NAMED | {"description"}
_TYPED = _DESCRIBED | {"types"}
_ALL = _TYPED | {"count"}
LISTS = {
    "jsonl": Format("jsonl", jsonl, ".jsonl", _ALL),
    "json": Format("json", json_array, ".json", _ALL),
    "csv": Format("csv", csv_table, ".csv", _ALL),
    "tsv": Format("tsv", tsv, ".tsv", _ALL),
    "annif-tsv": Format("annif-tsv", annif_tsv, ".tsv", frozenset(), iri),
    "names": Format("names", names, ".txt", frozenset(), title_of, is_named=True),
    "label-lines": Format("label-lines", names, ".txt", frozenset(), lambda number: str(number - 1), is_named=True),
    "excel": Format("excel", excel, ".xlsx", _ALL),
    "parquet": Format("parquet", parquet_file, ".parquet", _ALL),
    "arrow": Format("arrow", arrow_file, ".feather", _ALL),
    "arrow stream": Format("arrow", arrow_stream, ".arrows", _ALL),
    "sqlite": Format("sqlite", sqlite, ".sqlite", _ALL),
    "skos": Format("skos", skos, ".ttl", _DESCRIBED, iri),
    "owl": Format("owl", owl, ".owl", _TYPED, iri),
    "obo": Format("obo", obo, ".obo", _TYPED, "X:{}".format),
    "wikidata": Format("wikidata", wikidata, ".json", _DESCRIBED, "Q{}".format),
    "cirrussearch": Format("cirrussearch", cirrussearch, ".json", _DESCRIBED | {"count"}, title_of),
    "wikipedia": Format("wikipedia", wikipedia, ".xml", _DESCRIBED, title_of),
    "damuel": Format("damuel", damuel, "", _DESCRIBED, "Q{}".format),
    "kilt-pages": Format("kilt-pages", kilt_pages, ".json", _DESCRIBED, title_of),
    "wikidata-query csv": Format("wikidata-query", query_csv, ".csv", _TYPED, "Q{}".format),
    "wikidata-query json": Format("wikidata-query", query_json, ".json", _TYPED, "Q{}".format),
    "geonames": Format("geonames", geonames, ".txt", _NAMED | {"types", "count"}),
    "mesh": Format("mesh", mesh, ".xml", _TYPED, "D{}".format),
    "umls": Format("umls", umls, "", _TYPED, "C{:07}".format),
}
