"""Real knowledge bases, when they are there: `../shared/data`, or where `DEIXIS_DATA` says."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from deixis.kb.knowledge_base import KnowledgeBase

DATA = Path(os.environ.get("DEIXIS_DATA", Path(__file__).parents[4] / "shared" / "data"))

PEAK = """
import sys
from deixis.cli.timing import peak_memory
from deixis.kb.knowledge_base import KnowledgeBase
kb = KnowledgeBase.read(sys.argv[1])
names, rows = kb.names()
print(len(kb), len(kb.aliases), len(names), peak_memory() // 2**20)
"""


def real(name):
    path = DATA / name / "kb.jsonl.gz"
    if not path.exists():
        pytest.skip(f"{name} is not there: set DEIXIS_DATA to the folder of the real data")
    return path


def test_the_disease_vocabulary_is_found_by_equivalent_ids():
    kb = KnowledgeBase.read(real("medic"))
    assert len(kb) == 11_915
    assert kb.entity("613097").id == "C567755"
    assert kb.rows_of(kb.ids).tolist() == list(range(len(kb)))


@pytest.mark.slow
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="peak memory is read from /proc")
def test_a_quarter_of_a_million_places_need_little_memory():
    path = real("geonames")
    result = subprocess.run([sys.executable, "-c", PEAK, path], capture_output=True, text=True, check=True)
    n_entities, n_aliases, n_names, peak_megabytes = map(int, result.stdout.split())
    assert (n_entities, n_aliases) == (235_160, 968_429)
    assert n_entities < n_names <= n_entities + n_aliases
    assert peak_megabytes < 400


def test_the_labels_of_yso_are_read_at_the_first_attempt():
    path = DATA / "xmc" / "yso_en" / "labels.tsv.gz"
    if not path.exists():
        pytest.skip("yso_en is not there: set DEIXIS_DATA to the folder of the real data")
    kb = KnowledgeBase.read(path)
    assert len(kb) == 27754 and kb.entity("p28764").title == "satyr play s"  # the file has a tab before the s
