"""Damaged lists are read, or refused with a `DataError` that names the file; never anything else.

A few hundred mutations here; `DEIXIS_MUTATIONS=20000 pytest tests/properties/test_list_damage.py` tries so many.
"""

import os
import random
from pathlib import Path

import pytest

from deixis.errors import DataError
from deixis.kb.checking.check import check_file
from deixis.kb.knowledge_base import KnowledgeBase

LISTS = sorted((Path(__file__).parents[1] / "data" / "lists").iterdir())
N_MUTATIONS = int(os.environ.get("DEIXIS_MUTATIONS", "400"))
PIECES = [
    b"\0", b"\n", b"\r", b'"', b",", b";", b"\t", b"|", b"{", b"}", b"[", b"]", b":", b"\xff", b"\xff\xfe",
    b"\xe9", b"null", b"-1", b"1e999", b"9" * 30, b'{"id": ', b"sep=;\n", b"\\", b"\\ud800", b"id", b"title", b" " * 99,
    b"\xef\xbb\xbf", b"[" * 3000, b"\xed\xa0\x80", b"\x85", "\u2028".encode(), b'""', b"<?xml", b"PK\x03\x04",
    b"@prefix", b"\x1f\x8b",
]  # fmt: skip


def mutated(content: bytes, chance: random.Random) -> bytes:
    for _ in range(chance.choice([1, 1, 1, 2, 3, 8])):
        place, other = sorted(chance.randrange(len(content) + 1) for _ in range(2))
        kind = chance.randrange(6)
        if kind == 0:
            content = content[:place] + chance.choice(PIECES) + content[place:]
        elif kind == 1:
            content = content[:place] + content[other:]
        elif kind == 2:
            content = content[:other] + content[place:]
        elif kind == 3:
            content = content[:place]
        elif kind == 4:
            content = content[:place] + bytes([chance.randrange(256)]) + content[place + 1 :]
        else:
            content = content.replace(chance.choice([b"\n", b",", b";", b'"', b":"]), chance.choice(PIECES))
    return content


def suffixes(name: str, chance: random.Random) -> str:
    return chance.choice([Path(name).suffix] * 6 + [".csv", ".tsv", ".txt", ".json", ".jsonl", "", ".gz"])


@pytest.mark.parametrize("part", range(4))
def test_a_damaged_list_is_read_or_refused_by_name(part, tmp_path):
    chance = random.Random(part)
    outcomes = {"read": 0, "refused": 0}
    for number in range(part, N_MUTATIONS, 4):
        source = chance.choice(LISTS)
        path = tmp_path / f"list{suffixes(source.name, chance)}"
        path.write_bytes(mutated(source.read_bytes(), chance))
        for skip_bad in (False, True):
            try:
                kb, report = KnowledgeBase.read_with_report(path, skip_bad=skip_bad)
            except DataError as error:
                outcomes["refused"] += 1
                assert str(error).startswith(str(path)), (source.name, number)
            else:
                outcomes["read"] += 1
                assert report.n_entities == len(kb) > 0
                if skip_bad:
                    assert check_file(path).n_entities == len(kb), (source.name, number)
        path.unlink()
    assert all(outcomes.values())
