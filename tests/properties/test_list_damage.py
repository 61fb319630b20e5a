"""Damaged lists of every format are read, or refused with a `DataError` that names file and line; never anything else.

A few hundred mutations here; `DEIXIS_MUTATIONS=20000 pytest tests/properties/test_list_damage.py` tries so many.
"""

import bz2
import gzip
import io
import lzma
import os
import random
import re
import time
import zipfile
from pathlib import Path

import pytest
import zstandard

from deixis.errors import DataError
from deixis.kb.checking.check import check_file
from deixis.kb.formats import FORMATS
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.kb.read_options import ReadOptions
from tests.list_files import LISTS as WRITTEN
from tests.list_files import THINGS, iri

SAMPLES = sorted((Path(__file__).parents[1] / "data" / "lists").iterdir())
N_MUTATIONS = int(os.environ.get("DEIXIS_MUTATIONS", "480"))
N_PARTS = 4
MAX_SECONDS = 20  # of the processor; most take milliseconds
MAX_SIZE = 1 << 20  # of a mutated file: replacing may make it grow a thousandfold, again and again
PIECES = [
    b"\0", b"\n", b"\r", b'"', b"'", b",", b";", b"\t", b"|", b"{", b"}", b"[", b"]", b":", b"\xff", b"\xff\xfe",
    b"\xe9", b"null", b"-1", b"1e999", b"9" * 30, b"9" * 5000, b'{"id": ', b"sep=;\n", b"\\", b"\\ud800", b"id",
    b"title", b" " * 99, b"\xef\xbb\xbf", b"[" * 3000, b'{"a":' * 3000, b"<a>" * 3000, b"\xed\xa0\x80", b"\x85",
    "\u2028".encode(), b'""', b"<?xml", b"PK\x03\x04", b"@prefix", b"\x1f\x8b", b"<", b">", b"&x;", b"<!ENTITY x 'y'>",
    b"<!--", b"]]>", b"[Term]\n", b"\nid: ", b" . ", b"<u:1>", b"Q1", b"!", b"\n\n",
]  # fmt: skip
COMPRESSIONS = {
    ".gz": gzip.compress,
    ".bz2": bz2.compress,
    ".xz": lzma.compress,
    ".zst": zstandard.ZstdCompressor().compress,
}
# What is wrong with a file as a whole has no line: it is empty, of another kind, cut or damaged before it has lines.
WHOLE = re.compile(
    r"empty|no entities|cannot tell the format|^is |no such file|no text|in the file; of RDF|not MeSH: the outermost"
    r"|compressed data ends|^cannot be read|not a workbook|not a Parquet file|not an Arrow file|not a database"
    r"|has no table|has \d+ tables|a column is there twice|unpacks to|when unpacked|spans|no MRCONSO"
    r"|no column|--columns|no variable with its label"
)


def ntriples(path):
    skos = "http://www.w3.org/2004/02/skos/core#"
    kind = f"<http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <{skos}Concept>"
    lines = [f"<{iri(each.number)}> {kind} .\n<{iri(each.number)}> <{skos}prefLabel> \"x{each.number}\"@en .\n"
             for each in THINGS]  # fmt: skip
    path.write_text("".join(lines), encoding="utf-8")


def skos_xml(path):
    concepts = "\n".join(
        f'<skos:Concept rdf:about="{iri(each.number)}">\n <skos:prefLabel xml:lang="en">x{each.number}</skos:prefLabel>'
        f"\n</skos:Concept>"
        for each in THINGS
    )
    path.write_text(
        '<?xml version="1.0" encoding="UTF-8"?>\n<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"\n'
        f' xmlns:skos="http://www.w3.org/2004/02/skos/core#">\n{concepts}\n</rdf:RDF>\n',
        encoding="utf-8",
    )


def json_ld(path):
    concepts = ",\n".join(
        f'{{"@id": "{iri(each.number)}", "@type": "skos:Concept", "skos:prefLabel": "x{each.number}"}}'
        for each in THINGS
    )
    context = '{"skos": "http://www.w3.org/2004/02/skos/core#"}'
    path.write_text(f'{{"@context": {context}, "@graph": [\n{concepts}\n]}}\n', encoding="utf-8")


def wordnet(path):
    path.mkdir()
    licence = "  1 This software and database is being provided to you\n"
    for part in ("noun", "verb", "adj", "adv"):
        line = f'00001740 03 {part[0]} 02 entity 0 thing_(p) 0 001 ~ 00001930 n 0000 | that which is; "it {part}"  \n'
        (path / f"data.{part}").write_text(licence + line + line.replace("1740", "1741", 1), encoding="utf-8")


OTHERS = {"nt": (ntriples, ".nt"), "skos xml": (skos_xml, ".rdf"), "json-ld": (json_ld, ".jsonld")}


@pytest.fixture(scope="module")
def sources(tmp_path_factory):
    """Name -> the suffix, and the content of each file by its name in a folder; a file alone has the name ''."""
    folder = tmp_path_factory.mktemp("whole")
    for name, written in WRITTEN.items():
        written.write(THINGS, folder / name)
    for name, (write, _) in OTHERS.items():
        write(folder / name)
    wordnet(folder / "wordnet")
    suffixes = {name: each.suffix for name, each in WRITTEN.items()} | {name: end for name, (_, end) in OTHERS.items()}
    contents = {path.name: (path.suffix, {"": path.read_bytes()}) for path in SAMPLES}
    for path in sorted(folder.iterdir()):
        files = sorted(path.iterdir()) if path.is_dir() else []
        content = {each.name: each.read_bytes() for each in files} or {"": path.read_bytes()}
        contents[path.name] = (suffixes.get(path.name, ""), content)
    return contents


def mutated(content, chance):
    """The bytes with one to eight slips: inserted, deleted, repeated, cut off, flipped, replaced, swapped."""
    for _ in range(chance.choice([1, 1, 1, 2, 3, 8])):
        place, other = sorted(chance.randrange(len(content) + 1) for _ in range(2))
        end = min(len(content), place + chance.choice([1, 3, 20, 200]))
        kind = chance.randrange(9)
        if kind == 0:
            content = content[:place] + chance.choice(PIECES) + content[place:]
        elif kind == 1:
            content = content[:place] + content[chance.choice([end, other]) :]
        elif kind == 2:
            content = content[: chance.choice([end, other])] + content[place:]
        elif kind == 3:
            content = content[:place]
        elif kind == 4:
            content = content[:place] + bytes([chance.randrange(256)]) + content[place + 1 :]
        elif kind == 5 and place < len(content):
            content = content[:place] + bytes([content[place] ^ 1 << chance.randrange(8)]) + content[place + 1 :]
        elif kind == 6:
            content = content[:place] + chance.choice(PIECES) + content[end:]
        elif kind == 7:
            content = content[:place] + content[end:other] + content[place:end] + content[max(end, other) :]
        else:
            content = content.replace(chance.choice([b"\n", b",", b";", b'"', b":", b"|"]), chance.choice(PIECES))
        content = content[:MAX_SIZE]
    return content


def damaged(content, chance):
    """The file mutated; of a workbook the archive, or one of the files in it."""
    if not content.startswith(b"PK") or chance.random() < 0.3:
        return mutated(content, chance)
    copy = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as whole, zipfile.ZipFile(copy, "w") as archive:
        chosen = chance.choice([*whole.namelist(), "xl/worksheets/sheet1.xml", "xl/worksheets/sheet1.xml"])
        for name in whole.namelist():
            archive.writestr(name, mutated(whole.read(name), chance) if name == chosen else whole.read(name))
    return copy.getvalue()


def packed(content, suffix, chance):
    """The file with a suffix, now and then another one; one in six is compressed, one in twenty damaged after that."""
    if chance.random() < 0.05:
        suffix = chance.choice([".csv", ".tsv", ".txt", ".json", ".jsonl", ".obo", ".owl", ".xml", "", ".gz"])
    if chance.random() < 5 / 6:
        return damaged(content, chance), suffix
    end, compress = chance.choice(list(COMPRESSIONS.items()))
    if chance.random() < 0.3:
        return mutated(compress(content), chance), suffix + end
    return compress(damaged(content, chance)), suffix + end


def write_damaged(folder, suffix, files, chance):
    """The path of a list, one of whose files is damaged."""
    if "" in files:
        content, ending = packed(files[""], suffix, chance)
        path = folder / f"list{ending}"
        path.write_bytes(content)
        return path
    chosen = chance.choice(list(files))
    path = folder / "tables"
    path.mkdir(exist_ok=True)
    for name, content in files.items():
        (path / name).write_bytes(damaged(content, chance) if name == chosen else content)
    return path


def test_every_registered_format_is_damaged_here(sources):
    assert set(FORMATS) == {written.name for written in WRITTEN.values()} | {"wordnet"} & set(sources)


@pytest.mark.parametrize("part", range(N_PARTS))
def test_a_damaged_list_is_read_or_refused_by_file_and_line(part, sources, tmp_path):
    outcomes = {"read": 0, "refused": 0}
    for number in range(part, N_MUTATIONS, N_PARTS):
        chance = random.Random(number)
        name = chance.choice([*sources, *WRITTEN])
        path = write_damaged(tmp_path, *sources[name], chance)
        format = WRITTEN[name].name if name in WRITTEN and chance.random() < 0.3 else None
        begin = time.process_time()
        for skip_bad in (False, True):
            try:
                kb, report = KnowledgeBase.read_with_report(path, skip_bad=skip_bad, format=format)
            except DataError as error:
                outcomes["refused"] += 1
                assert str(error).startswith(str(path)), (name, number)
                assert error.line is not None or WHOLE.search(error.reason), (name, number, str(error))
                assert not re.search(r"\bb'", error.reason) and error.reason.isprintable(), (name, number)
            else:
                outcomes["read"] += 1
                assert report.n_entities == len(kb) > 0
                if skip_bad:
                    assert check_file(path, options=ReadOptions(format=format)).n_entities == len(kb), (name, number)
        assert time.process_time() - begin < MAX_SECONDS, (name, number)
        if path.is_file():
            path.unlink()
    assert all(outcomes.values())
