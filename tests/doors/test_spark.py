"""Spark gives what the library gives: a column of a DataFrame, and files in shards."""

import gzip
import json
import os
import shutil
import subprocess
import sys
from unittest.mock import patch

import pytest

from deixis.batch.building import build_parts
from deixis.batch.run import link_files
from deixis.documents.formats.native_out import document_to_dict
from deixis.documents.reading import read_documents
from deixis.errors import ConfigError
from deixis.integrations import spark
from deixis.kb.demo import demo_sentences_path, read_demo
from deixis.linker import Linker
from deixis.linking.config import LinkerConfig
from deixis.linking.options import LinkOptions
from deixis.store.build_folder import BuildFolder
from deixis.training.kept_build import keeping_parts
from tests.doors.test_link_options import SINGLE

pytest.importorskip("pyspark", reason="PySpark is not installed")
HAS_JAVA = shutil.which("java") is not None or "JAVA_HOME" in os.environ
needs_java = pytest.mark.skipif(not HAS_JAVA, reason="there is no Java; 'make java' installs Debian's")
# What PySpark leaves open to the JVM is not ours to close.
pytestmark = pytest.mark.filterwarnings("ignore:unclosed:ResourceWarning")

ON_THIS_MACHINE = {
    "spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1", "spark.driver.memory": "1g",
    "spark.sql.shuffle.partitions": "2",
}  # fmt: skip
TEXTS = [
    *(document.text for document in read_documents(demo_sentences_path())),
    "",
    None,
    "\U0001f5fc Troy fell.",
    None,
]
UNTRAINED = ("rerank", "reader", "vectors")  # what the demo's model does not have


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    folder = tmp_path_factory.mktemp("spark") / "model"
    built = Linker.build(read_demo(), n_threads=1)
    built.calibrate(read_documents(demo_sentences_path()), all_mentions_annotated=True).save(folder)
    return folder


@pytest.fixture(scope="module")
def session():
    session = spark.PARTS["session"]("local[2]", ON_THIS_MACHINE)
    yield session
    session.stop()


@pytest.fixture(scope="module")
def frame(session):
    rows = [(number, text, [number]) for number, text in enumerate(TEXTS)]
    return session.createDataFrame(rows, "number long, `the text` string, own array<long>").repartition(3)


def native(documents):
    """The mentions of documents, as every door writes them."""
    return [document_to_dict(document)["mentions"] for document in documents]


def plain(mentions):
    """The mentions of a row as dictionaries, without the titles that are missing."""
    records = [mention.asDict(recursive=True) for mention in mentions]
    for record in records:
        for candidate in record["candidates"]:
            if candidate["title"] is None:
                del candidate["title"]
    return records


@needs_java
@pytest.mark.slow
def test_a_column_of_mentions_is_what_the_library_links_with_any_options(frame, model):
    linker = Linker.load(model)
    expected_nulls, texts = [text is None for text in TEXTS], [text for text in TEXTS if text is not None]
    for values in [{}, *SINGLE]:
        if set(values) & set(UNTRAINED):
            continue
        options = LinkOptions(**values)
        linked = spark.link(frame.coalesce(1), model, "the text", options, output="the links")
        assert linked.columns == ["number", "the text", "own", "the links"]
        rows = sorted(linked.collect(), key=lambda row: row.number)
        assert [(row.number, row["the text"], row.own) for row in rows] == [
            (number, text, [number]) for number, text in enumerate(TEXTS)
        ]
        mentions = [row["the links"] for row in rows]
        assert [each is None for each in mentions] == expected_nulls
        assert [plain(each) for each in mentions if each is not None] == native(linker.link_many(texts, options))


@needs_java
def test_the_column_has_a_type_that_sql_can_ask(frame, model):
    linked = spark.link(frame, model, "the text")
    kind = dict(linked.dtypes)["mentions"]
    assert kind.startswith("array<struct<start:bigint,end:bigint,text:string,entity:string,score:double,nil:boolean")
    linked.createOrReplaceTempView("linked")
    query = "select m.entity, m.candidates[0].score s from linked lateral view explode(mentions) as m where not m.nil"
    rows = frame.sparkSession.sql(query).collect()
    assert rows and all(row.entity and 0 < row.s <= 1 for row in rows)


@needs_java
def test_what_is_wrong_is_said_at_the_driver(frame, model):
    with pytest.raises(ConfigError, match=r"no column 'text' of texts.*number \(bigint\), the text \(string\)"):
        spark.link(frame, model)
    with pytest.raises(ConfigError, match="no column 'number' of texts"):
        spark.link(frame, model, "number")
    with pytest.raises(ConfigError, match="a column 'own' already"):
        spark.link(frame, model, "the text", output="own")
    with pytest.raises(ConfigError, match="by its path; got Linker"):
        spark.link(frame, Linker.load(model), "the text")
    with pytest.raises(ConfigError, match="re-ranker"):
        spark.link(frame, model, "the text", LinkOptions(rerank=True))


@needs_java
def test_shards_on_executors_are_those_of_processes_and_a_rerun_goes_on(session, model, tmp_path):
    lines = [json.dumps({"text": text}) for text in TEXTS if text]
    (tmp_path / "a.jsonl").write_text("\n".join([*lines, "{oops"]), encoding="utf-8")
    (tmp_path / "b.jsonl.gz").write_bytes(gzip.compress("\n".join(lines[:9]).encode()))
    files = [tmp_path / "a.jsonl", tmp_path / "b.jsonl.gz"]
    runner = spark.PARTS["runner"](session)
    first = link_files(model, files, tmp_path / "spark", runner=runner)
    link_files(model, files, tmp_path / "processes", n_workers=1)
    assert (first.n_linked, first.n_documents, first.n_bad) == (2, len(lines) + 9, 1)
    for name in ("a-00000.jsonl", "b-00000.jsonl.gz", "_deixis/bad.jsonl"):
        assert (tmp_path / "spark" / name).read_bytes() == (tmp_path / "processes" / name).read_bytes()
    assert link_files(model, files, tmp_path / "spark", runner=runner).n_linked == 0


@needs_java
def test_an_error_of_all_shards_ends_the_run(session, model, tmp_path):
    (tmp_path / "a.jsonl").write_text('{"text": "Troy"}\n', encoding="utf-8")
    with patch.object(Linker, "generation", 7), pytest.raises(Exception, match="is another one here"):
        link_files(model, [tmp_path / "a.jsonl"], tmp_path / "links", runner=spark.PARTS["runner"](session))


@needs_java
@pytest.mark.slow
def test_two_executors_of_a_cluster_link_at_the_console_as_processes_do(deixis, model):
    for number in range(4):
        lines = [json.dumps({"id": f"{number}-{n}", "text": text}) for n, text in enumerate(TEXTS) if text]
        (deixis.folder / f"part-{number}.jsonl").write_text("\n".join(lines), encoding="utf-8")
    files = sorted(deixis.folder.glob("part-*.jsonl"))
    deixis.environment["SPARK_LOCAL_IP"] = "127.0.0.1"
    settings = [word for name, value in ON_THIS_MACHINE.items() for word in ("--conf", f"{name}={value}")]
    done = deixis("spark", "link", model, *files, "-o", "links", "--master", "local-cluster[2,1,1024]", *settings)
    assert "4 shards" in done.stderr
    deixis("link", model, *files, "-o", "expected", "--workers", 1, "-q")
    for path in (deixis.folder / "expected").glob("*.jsonl"):
        assert path.read_bytes() == (deixis.folder / "links" / path.name).read_bytes()


@needs_java
@pytest.mark.slow
def test_a_model_built_by_two_executors_of_a_cluster_has_the_bytes_of_one_process(deixis):
    deixis.environment["SPARK_LOCAL_IP"] = "127.0.0.1"
    settings = [word for name, value in ON_THIS_MACHINE.items() for word in ("--conf", f"{name}={value}")]
    build = (
        "build",
        "--demo",
        "--mentions",
        demo_sentences_path(),
        "--set",
        "candidates.label_tree.ranker.beam.width=7",
    )
    deixis("spark", *build, "-o", "by-spark", "--master", "local-cluster[2,1,1024]", *settings)
    deixis(*build, "-o", "by-one", "-q")
    files = [path.name for path in sorted((deixis.folder / "by-one").iterdir())]
    assert files == [path.name for path in sorted((deixis.folder / "by-spark").iterdir())]
    for name in files:
        assert (deixis.folder / "by-one" / name).read_bytes() == (deixis.folder / "by-spark" / name).read_bytes(), name
    assert not (deixis.folder / ".by-spark.building").exists()


@needs_java
def test_executors_make_the_parts_of_a_build_and_the_driver_puts_them_together(session, tmp_path, monkeypatch):
    part, made = BuildFolder.part, []

    def noting(self, name, make):
        made.extend([] if self.has(name) else [name])
        return part(self, name, make)

    monkeypatch.setattr(BuildFolder, "part", noting)
    with keeping_parts(tmp_path / "model", lambda: "digest", read_demo, always=True) as kb:
        build_parts(kb, None, LinkerConfig(), runner=spark.PARTS["runner"](session))
        built = Linker.build(kb, n_threads=1)
    assert made == ["kb", "sources.label_tree", "ranker"]
    assert built.to_bytes() == Linker.build(read_demo(), n_threads=1).to_bytes()


def test_without_java_or_with_a_wrong_setting_the_way_out_is_named(deixis_inside, model, monkeypatch):
    (deixis_inside.folder / "a.jsonl").write_text('{"text": "Troy"}\n', encoding="utf-8")
    wrong = deixis_inside("spark", "link", model, "a.jsonl", "-o", "links", "--conf", "oops", code=2)
    assert "--conf takes KEY=VALUE" in wrong.stderr
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.delenv("JAVA_HOME", raising=False)
    for command in (("link", model, "a.jsonl", "-o", "links"), ("build", "--demo", "-o", "built")):
        done = deixis_inside("spark", *command, code=1)
        assert "apt-get install openjdk-17-jre-headless" in done.stderr


def test_without_pyspark_the_line_that_installs_it_is_named(model):
    code = (
        "import sys; sys.modules['pyspark'] = sys.modules['pyspark.sql'] = None\n"
        "from deixis.integrations import spark\n"
        f"try: spark.link(None, {str(model)!r})\n"
        "except Exception as error: print(type(error).__name__, error)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "MissingExtraError" in done.stdout and "pip install 'deixis[spark]'" in done.stdout
