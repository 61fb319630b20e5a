"""What `deixis link` imports for a line of text: it starts as fast as these lists are short."""

import subprocess
import sys

import pytest

from deixis.kb.knowledge_base import KnowledgeBase
from deixis.linker import Linker

WHOLE = frozenset(
    {
        "candidates", "cli", "config", "decision", "detection", "documents", "encoders", "errors", "features", "gold",
        "learners", "linker", "linking", "marked_html", "native", "nearest", "progress", "ranking", "registry",
        "store", "tables", "types", "xmr",
    }
)  # fmt: skip
"""Packages of which any module may be imported."""
SINGLE = frozenset(
    {
        "deixis",
        "deixis.batch",
        "deixis.evaluation",
        "deixis.evaluation.statistics",  # of the intervals that a calibrated threshold comes with
        "deixis.evaluation.statistics.bootstrap",
        "deixis.evaluation.statistics.resampling",
        "deixis.explanation",
        "deixis.kb",
        "deixis.kb.columns",
        "deixis.kb.edited",
        "deixis.kb.edited_list",
        "deixis.kb.edits",
        "deixis.kb.entity",
        "deixis.kb.id_index",
        "deixis.kb.knowledge_base",
        "deixis.kb.language_choice",
        "deixis.kb.languages",
        "deixis.kb.names",
        "deixis.scipy_sparse",
        "deixis.training",
        "deixis.training.folder_model",  # a folder and its journal
    }
)
"""Modules of the packages that read lists, and make, explain and measure models."""
HEAVY = frozenset(
    {
        "asyncio", "fastapi", "multiprocessing", "onnxruntime", "pandas", "pyarrow", "pydantic", "pyoxigraph", "scipy",
        "sklearn", "spacy", "tokenizers", "torch", "usearch", "uvicorn", "xml.etree",
    }
)  # fmt: skip
LINK = """
import sys
from deixis.cli.main import main
assert main(["link", sys.argv[1], "-q"]) == 0
print(*sys.modules, file=sys.stderr)
"""


@pytest.fixture(scope="module")
def imported(tmp_path_factory) -> set[str]:
    """The modules that are there when a line has been linked."""
    folder = tmp_path_factory.mktemp("start_up") / "model"
    records = [
        {"id": "troy", "title": "Troy", "description": "ancient city besieged by the Greeks"},
        {"id": "paris", "title": "Paris", "description": "prince of Troy who carried Helen off"},
    ]
    Linker.build(KnowledgeBase.from_records(records)).save(folder)
    done = subprocess.run(
        [sys.executable, "-c", LINK, folder], input="To save Troy, Paris had to die.", capture_output=True, text=True,
        check=True, timeout=120,
    )  # fmt: skip
    assert '"entity": "troy"' in done.stdout
    return set(done.stderr.split())


def test_linking_imports_what_it_needs_of_deixis_and_no_more(imported):
    own = {name for name in imported if name.partition(".")[0] == "deixis"}
    assert {name for name in own - SINGLE if name.split(".")[1] not in WHOLE} == set()


def test_what_may_be_imported_is_imported(imported):
    assert imported >= SINGLE
    assert {name.split(".")[1] for name in imported if name.startswith("deixis.")} >= WHOLE


def test_linking_imports_one_command(imported):
    commands = {name for name in imported if name.startswith("deixis.cli.commands.")}
    assert commands == {"deixis.cli.commands.link"}


def test_linking_imports_no_heavy_library(imported):
    assert imported & HEAVY == set()
