"""Generated dumps in JSON, a record after the other, with the fields and the nesting of those that are published.

CirrusSearch: the fields of `cirrus_search_index` (2026). Wikidata: Wikibase's JSON, an item in ten with statements of
every kind of value; every hundredth entity is a property, every thousandth a lexeme. DaMuEL: a file of a language, two
items in three without an article, links by tokens. KILT: pages of paragraphs, with anchors.
"""

import json
from collections.abc import Iterator
from itertools import count
from typing import Any

from benchmarks.scale.dump_words import Words

LANGUAGES = ("en", "de", "fr", "es", "it", "nl", "pl", "sv", "ru", "ja", "zh", "ar")
DATE = "2026-08-16T00:00:00Z"
HASH = "2ce1ab2e34a86b3a9c1d4a2a6b1b2c3d4e5f6071"


def line(record: dict[str, Any]) -> str:
    """A record as these dumps write it: without spaces, letters as they are."""
    return json.dumps(record, ensure_ascii=False, separators=(",", ":"))


def cirrussearch(n_bytes: int, seed: int = 5) -> Iterator[str]:
    """Actions and pages; a page has its text twice, once as wikitext."""
    words = Words(seed)
    for number in count(1):
        action = {"index": {"_type": "_doc", "_id": str(number)}}
        yield f"{line(action)}\n{line(_page_of_index(words, number, n_bytes // 12_000 + 10))}\n"


def _page_of_index(words: Words, number: int, n_pages: int) -> dict[str, Any]:
    opening, rest, title = words.text(20, 100), words.text(150, 800), words.title(number)
    coordinates = [{
        "coord": {"lat": number % 90 + 0.25, "lon": number % 180 + 0.5}, "globe": "earth", "primary": True,
        "dim": 10_000, "type": "city", "name": None, "country": "FR", "region": "75",
    }]  # fmt: skip
    return {
        "auxiliary_text": [words.text(10, 40)], "category": [words.text(2, 4) for _ in range(6)],
        "content_model": "wikitext", "coordinates": coordinates if number % 5 == 0 else [], "create_timestamp": DATE,
        "defaultsort": False if number % 3 else title, "display_title": None,
        "external_link": [f"https://example.org/{word}/{number}" for word in words.some(9)],
        "extra_source": None, "file_text": None, "heading": words.some(5), "incoming_links": number % 900,
        "language": "en", "local_sites_with_dupe": [], "namespace": 0, "namespace_text": "", "opening_text": opening,
        "outgoing_link": [words.target(n_pages).replace(" ", "_") for _ in range(60)], "page_id": number,
        "redirect": [{"namespace": 0, "title": f"{name} {number}"} for name in words.some(number % 4)],
        "source_text": f"{{{{Infobox thing|name={title}}}}}\n'''{title}''' {opening}\n== History ==\n{rest}",
        "template": ["Template:Cite web", "Module:Citation/CS1"], "text": f"{opening} {rest}",
        "text_bytes": len(opening) + len(rest), "timestamp": DATE, "title": title, "version": 10**9 + number,
        "weighted_tags": ["classification.ores.articletopic/Geography.Regions.Europe|812"], "wiki": "enwiki",
        **({"wikibase_item": f"Q{number}"} if number % 50 else {}),
    }  # fmt: skip


def wikidata(n_bytes: int, seed: int = 5) -> Iterator[str]:
    """An array with an entity a line, a comma behind each but the last."""
    words = Words(seed)
    yield "[\n"
    yield line(_item(words, 1))
    for number in count(2):
        if number % 1000 == 0:
            yield f",\n{line(_lexeme(words, number))}"
        elif number % 100 == 0:
            yield f",\n{line(_property(words, number))}"
        else:
            yield f",\n{line(_item(words, number))}"


def _term(language: str, value: str) -> dict[str, str]:
    return {"language": language, "value": value}


def _names(words: Words, number: int) -> dict[str, Any]:
    languages = LANGUAGES[: number % 9 + 4]
    return {
        "labels": {language: _term(language, words.text(1, 4)) for language in languages},
        "descriptions": {language: _term(language, words.text(3, 8)) for language in languages},
        "aliases": {language: [_term(language, word) for word in words.some(2)] for language in languages[:4]},
    }


def _snak(property: str, datatype: str, type: str, value: object) -> dict[str, Any]:
    return {
        "snaktype": "value", "property": property, "hash": HASH, "datavalue": {"value": value, "type": type},
        "datatype": datatype,
    }  # fmt: skip


def _to_item(property: str, number: int) -> dict[str, Any]:
    value = {"entity-type": "item", "numeric-id": number, "id": f"Q{number}"}
    return _snak(property, "wikibase-item", "wikibase-entityid", value)


def _statement(identifier: str, snak: dict[str, Any], rank: str = "normal") -> dict[str, Any]:
    source = {"hash": HASH, "snaks": {"P248": [_to_item("P248", 36_578)]}, "snaks-order": ["P248"]}
    return {
        "mainsnak": snak, "type": "statement", "id": f"{identifier}$5083E43C-228B-4E3E-B82A-4CB20A22A3FB",
        "rank": rank, "qualifiers": {"P459": [_to_item("P459", 15_605)]}, "qualifiers-order": ["P459"],
        "references": [source],
    }  # fmt: skip


def _claims(words: Words, identifier: str, number: int) -> dict[str, Any]:
    time = {"time": "+2001-12-31T00:00:00Z", "timezone": 0, "before": 0, "after": 0, "precision": 11,
            "calendarmodel": "http://www.wikidata.org/entity/Q1985727"}  # fmt: skip
    place = {"latitude": 52.5, "longitude": 13.4, "altitude": None, "precision": 0.01,
             "globe": "http://www.wikidata.org/entity/Q2"}  # fmt: skip
    amount = {"amount": "+10.38", "unit": "1", "upperBound": "+10.375", "lowerBound": "+10.385"}
    unknown = {"snaktype": "somevalue", "property": "P31", "hash": HASH, "datatype": "wikibase-item"}
    snaks = [
        _snak("P585", "time", "time", time), _snak("P625", "globe-coordinate", "globecoordinate", place),
        _snak("P1082", "quantity", "quantity", amount), _snak("P214", "external-id", "string", str(number)),
        _snak("P1448", "monolingualtext", "monolingualtext", {"text": words.text(1, 3), "language": "en"}),
        *(_to_item(f"P{100 + other}", words.number(1, 10**7)) for other in range(number % 12)),
    ]  # fmt: skip
    classes = [_statement(identifier, _to_item("P31", number % 50))]
    if number % 20 == 0:
        classes += [_statement(identifier, _to_item("P31", 5), "deprecated"), _statement(identifier, unknown)]
    return {"P31": classes} | {snak["property"]: [_statement(identifier, snak)] for snak in snaks}


def _item(words: Words, number: int) -> dict[str, Any]:
    sites = {
        f"{language}wiki": {"site": f"{language}wiki", "title": words.text(1, 3), "badges": []}
        for language in LANGUAGES[: number % 12]
    }
    return {
        "type": "item", "id": f"Q{number}", **_names(words, number), "claims": _claims(words, f"Q{number}", number),
        "sitelinks": sites, "pageid": number, "ns": 0, "title": f"Q{number}", "lastrevid": number, "modified": DATE,
    }  # fmt: skip


def _property(words: Words, number: int) -> dict[str, Any]:
    return {
        "type": "property", "datatype": "wikibase-item", "id": f"P{number}", **_names(words, number),
        "claims": _claims(words, f"P{number}", number), "lastrevid": number, "modified": DATE,
    }  # fmt: skip


def _lexeme(words: Words, number: int) -> dict[str, Any]:
    form = {"id": f"L{number}-F1", "representations": {"en": _term("en", "x")}, "grammaticalFeatures": [], "claims": []}
    return {
        "type": "lexeme", "id": f"L{number}", "lemmas": {"en": _term("en", words.text(1, 1))},
        "lexicalCategory": "Q1084", "language": "Q1860", "claims": {}, "forms": [form], "senses": [],
        "lastrevid": number, "modified": DATE,
    }  # fmt: skip


def damuel(n_bytes: int, seed: int = 5) -> Iterator[str]:
    """Items of a language; one in three has an article."""
    words, n_items = Words(seed), n_bytes // 20_000 + 10
    for number in count(1):
        item = {"qid": f"Q{number}", "lang": "en", "label": words.title(number)}
        item |= {"aliases": [words.text(1, 3)]} if number % 4 == 0 else {}
        item |= {"description": words.text(3, 8)} if number % 5 else {}
        yield line(item | ({"wiki": _article(words, number, n_items)} if number % 3 == 0 else {})) + "\n"


def _article(words: Words, number: int, n_items: int) -> dict[str, Any]:
    tokens, links, pieces, at = [], [], words.some(words.number(80, 900)), 0
    for place, piece in enumerate(pieces):
        tokens.append({
            "start": at, "end": at + len(piece), "lemma": piece, "upos": "NOUN" if place % 3 else "VERB",
            "feats": "Number=Sing",
        })  # fmt: skip
        at += len(piece) + 1
        if place % 20 == 5:
            target = int(n_items * (place * number % 997 / 997) ** 3) + 1
            origin = "wiki" if place % 40 == 5 else "label"
            link = {"start": place, "end": place + 1, "origin": origin, "title": words.title(target)}
            links.append(link | ({"qid": f"Q{target}"} if place % 120 != 5 else {}))
    return {
        "title": words.title(number), "text": " ".join(pieces), "tokens": tokens, "links": links,
        "redirects": words.some(number % 3),
    }  # fmt: skip


def kilt_pages(n_bytes: int, seed: int = 5) -> Iterator[str]:
    """Pages; the first paragraph is the title, headings and items of lists have a mark."""
    words, n_pages = Words(seed), n_bytes // 8000 + 10
    for number in count(1):
        yield line(_kilt_page(words, number, n_pages)) + "\n"


def _kilt_page(words: Words, number: int, n_pages: int) -> dict[str, Any]:
    title, anchors = words.title(number), []
    paragraphs = [f"{title}\n"]
    for place in range(1, words.number(3, 12)):
        if place % 4 == 3:
            paragraphs.append(f"Section::::{words.text(1, 2)}.\n")
            continue
        text = words.text(30, 120)
        for start in range(0, len(text) - 40, 200):
            target, end = words.target(n_pages), start + 12
            anchors.append({
                "paragraph_id": place, "start": start, "end": end, "text": text[start:end],
                "href": target.replace(" ", "%20"), "wikipedia_title": target, "wikipedia_id": str(number * 3),
            })  # fmt: skip
        paragraphs.append(f"{text}\n")
    info = {
        "wikidata_id": f"Q{number}", "wikidata_label": title, "wikipedia_title": title, "enwikiquote_title": None,
        "description": words.text(3, 8), "aliases": words.some(number % 4) or None,
    }  # fmt: skip
    url = f"https://en.wikipedia.org/w/index.php?title={title.replace(' ', '%20')}&oldid={number}"
    return {
        "_id": str(number), "wikipedia_id": str(number), "wikipedia_title": title, "text": paragraphs,
        "anchors": anchors, "categories": ",".join(words.some(5)),
        "history": {"revid": number, "timestamp": "2019-08-01T00:00:00Z", "parentid": number, "pre_dump": True,
                    "pageid": number, "url": url},
        **({"wikidata_info": info} if number % 20 else {}),
    }  # fmt: skip
