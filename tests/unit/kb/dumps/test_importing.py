"""Imports of dumps: the same list for any number of processes and pieces, work that is not done twice, bad records."""

import bz2
import json
import os

import pytest

from deixis.documents.reading import read_documents
from deixis.errors import ConfigError, DataError, WriteError
from deixis.kb.dumps import importing, work
from deixis.kb.dumps.importing import DumpImport
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.kb.read_options import ReadOptions
from tests.list_files import LISTS, MEDIAWIKI_HEAD, THINGS, mediawiki_page
from tests.unit.kb.formats.test_dump_json import CLAIMS, ITEMS, write

DUMPS = ("wikidata", "cirrussearch", "wikipedia", "damuel", "kilt-pages")


def page(number):
    half, small = f"[[Page {number // 2}|half]]", f"[[Page {number % 7}]]"
    return mediawiki_page(number, f"Page {number}", f"'''Page {number}''' é😀 has {half}, {small} and {half}.")


@pytest.fixture(scope="module")
def wiki(tmp_path_factory):
    """A dump as plain XML, and the same in streams of ten pages."""
    folder = tmp_path_factory.mktemp("wiki")
    pages = [page(number) for number in range(1, 201)]
    pages += [mediawiki_page(900 + n, f"R{n}", "x", redirect=f"Page {n}") for n in range(1, 20)]
    plain, packed = folder / "wiki.xml", folder / "wiki-multistream.xml.bz2"
    plain.write_text(MEDIAWIKI_HEAD + "".join(pages) + "</mediawiki>\n", encoding="utf-8")
    parts = [MEDIAWIKI_HEAD, *("".join(pages[at : at + 10]) for at in range(0, len(pages), 10)), "</mediawiki>\n"]
    packed.write_bytes(b"".join(bz2.compress(part.encode()) for part in parts))
    return plain, packed


def imported(paths, folder, options=None, n_workers=1, **changes):
    dumps = DumpImport.of(paths, folder / "parts", options, **changes)
    report = dumps.run(n_workers)
    return list(dumps.entities()), report, dumps


@pytest.mark.parametrize("name", DUMPS)
def test_the_list_has_the_entities_that_the_dump_is_read_as(name, tmp_path):
    path = LISTS[name].file(THINGS, tmp_path)
    lines, report, _ = imported([path], tmp_path, shard_bytes=300)
    (tmp_path / "entities.jsonl").write_text("".join(lines), encoding="utf-8")
    kb = KnowledgeBase.read(tmp_path / "entities.jsonl")
    assert list(kb.entities()) == list(KnowledgeBase.read(path).entities()) and len(kb) == 3
    assert report.n_entities == 3 and report.n_shards > 1 and not report.bad


def test_pieces_and_buckets_change_nothing(wiki, tmp_path, monkeypatch):
    plain, packed = wiki
    expected, *_ = imported([plain], tmp_path / "whole", has_texts=True)
    assert len(expected) == 200
    for number, (path, n_bytes, n_buckets) in enumerate([(plain, 5000, 1), (plain, 40_000, 7), (packed, 3000, 3)]):
        monkeypatch.setattr(importing, "n_buckets_for", lambda n, n_buckets=n_buckets: n_buckets)
        lines, report, _ = imported([path], tmp_path / str(number), shard_bytes=n_bytes)
        assert lines == expected and report.n_shards > 3


def test_processes_change_nothing(wiki, tmp_path):
    _, packed = wiki
    expected, one, first = imported([packed], tmp_path / "1", has_texts=True, shard_bytes=5000)
    lines, two, second = imported([packed], tmp_path / "2", n_workers=2, has_texts=True, shard_bytes=5000)
    assert lines == expected and list(first.texts()) == list(second.texts()) and one == two


def test_texts_are_annotated_documents(wiki, tmp_path):
    lines, report, dumps = imported([wiki[0]], tmp_path, has_texts=True)
    path = tmp_path / "mentions.jsonl"
    path.write_text("".join(dumps.texts()), encoding="utf-8")
    documents = list(read_documents(str(path)))
    assert len(documents) == report.n_documents == 200
    kb = KnowledgeBase.from_records(map(json.loads, lines))
    for document in documents[20:]:
        assert [mention.text for mention in document.mentions] == ["half", document.mentions[1].entity, "half"]
        assert document.text.startswith(f"{document.id} é😀 has half")
        assert kb.own_id(document.mentions[0].entity) is not None


def test_what_is_done_is_not_done_again(wiki, tmp_path, monkeypatch):
    _, packed = wiki
    expected, whole, _ = imported([packed], tmp_path / "whole", shard_bytes=5000)
    read_shard, numbers = work.read_shard, []

    def read_some(job, number, shard, tick):
        numbers.append(number)
        if len(numbers) == 4:
            raise KeyboardInterrupt
        return read_shard(job, number, shard, tick)

    monkeypatch.setattr(work, "read_shard", read_some)
    with pytest.raises(KeyboardInterrupt):
        imported([packed], tmp_path, shard_bytes=5000)
    assert not list((tmp_path / "parts").glob("*.part"))
    numbers += [0] * 4
    lines, report, dumps = imported([packed], tmp_path, shard_bytes=5000)
    assert lines == expected and report.n_done_before == 3 and numbers[8:] == list(range(3, whole.n_shards))
    assert imported([packed], tmp_path, shard_bytes=5000)[1].n_done_before == whole.n_shards
    dumps.remove_parts()
    assert not (tmp_path / "parts").exists()


def test_a_disk_that_is_full_is_an_error_that_says_so_and_what_was_done_stays_done(wiki, tmp_path, monkeypatch):
    _, packed = wiki
    expected, *_ = imported([packed], tmp_path / "whole", shard_bytes=5000)
    text_output = work.text_output

    def full(path):
        if path.name == "shard-00002":
            raise OSError(28, "No space left on device")
        return text_output(path)

    monkeypatch.setattr(work, "text_output", full)
    with pytest.raises(WriteError, match="No space left on device; .*run the same again"):
        imported([packed], tmp_path, shard_bytes=5000)
    monkeypatch.setattr(work, "text_output", text_output)
    lines, report, _ = imported([packed], tmp_path, shard_bytes=5000)
    assert lines == expected and report.n_done_before == 2


def test_another_file_or_query_is_done_again(tmp_path):
    path = LISTS["wikidata"].file(THINGS, tmp_path)
    imported([path], tmp_path)
    assert imported([path], tmp_path)[1].n_done_before == 1
    lines, report, _ = imported([path], tmp_path, ReadOptions(query="count=1"))
    assert report.n_done_before == 0 and len(lines) == 2
    os.utime(path, ns=(1, 1))
    assert imported([path], tmp_path)[1].n_done_before == 0


def test_damuel_of_two_languages_is_joined_with_the_types(tmp_path):
    danish = [{"qid": "Q1", "lang": "da", "label": "Bræcke"}, {"qid": "Q3", "lang": "da", "label": "Kommune"}]
    paths = [write(tmp_path / f"{n}.jsonl", items) for n, items in enumerate([ITEMS, danish, CLAIMS])]
    lines, *_ = imported(paths, tmp_path)
    records = {record["id"]: record for record in map(json.loads, lines)}
    assert list(records) == ["Q1", "Q2", "Q3"] and records["Q1"]["types"] == ["LOC", "ORG", "Q12813115"]
    assert {"text": "Bræcke", "lang": "da"} in records["Q1"]["aliases"] and records["Q3"]["descriptions"] == {
        "sv": "kommun utan namn"
    }
    lines, *_ = imported(paths, tmp_path, ReadOptions(query="types=LOC"))
    assert [json.loads(line)["id"] for line in lines] == ["Q1"]


def test_bad_records_are_errors_or_left_out_with_their_lines_in_the_file(tmp_path):
    path = LISTS["cirrussearch"].file(THINGS * 30, tmp_path)
    lines = path.read_text(encoding="utf-8").splitlines()
    for number in (3, 101, 177):
        lines[number] = lines[number][:-5]
    lines[151] = '{"title": "", "namespace": 0}'
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    for n_bytes, n_workers in ((700, 1), (700, 2), (5000, 1), (10**6, 1)):
        with pytest.raises(DataError, match=r"line (4|102|152|178): ") as error:
            imported([path], tmp_path / f"{n_bytes}-{n_workers}", shard_bytes=n_bytes, n_workers=n_workers)
        assert n_workers > 1 or error.value.line == 4
    for n_bytes in (700, 5000, 10**6):
        _, report, _ = imported([path], tmp_path / str(n_bytes), skip_bad=True, shard_bytes=n_bytes)
        assert [line for _, line, _ in report.bad] == [4, 102, 152, 178] and report.n_entities == 86
        assert "'title' is empty" in report.bad[2][2]


def test_a_page_that_is_damaged_has_its_line_in_the_file(wiki, tmp_path):
    path = tmp_path / "damaged.xml"
    content = wiki[0].read_text(encoding="utf-8")
    path.write_text(content.replace("<title>Page 150</title>", "<title>Page 150"), encoding="utf-8")
    line = content[: content.index("<title>Page 150<")].count("\n")
    for n_bytes in (9000, 10**6):
        lines, report, _ = imported([path], tmp_path / str(n_bytes), skip_bad=True, shard_bytes=n_bytes)
        assert [(line, "mismatched tag" in reason) for _, line, reason in report.bad] == [(line, True)]
        assert len(lines) == 199


def test_only_dumps_of_one_format_are_imported(tmp_path):
    paths = [LISTS[name].file(THINGS, tmp_path, name) for name in ("wikidata", "damuel", "jsonl")]
    for several in (paths[:2], paths[2:]):
        with pytest.raises(ConfigError, match="Dumps of one format"):
            imported(several, tmp_path)
    with pytest.raises(ConfigError, match="have no types"):
        imported([LISTS["cirrussearch"].file(THINGS, tmp_path)], tmp_path, ReadOptions(query="types=Q5"))
