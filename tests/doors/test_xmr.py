"""`deixis xmr train`, `predict` and `eval`, round and round: texts, tables, matrices."""

import errno
import gzip
import json
import signal
import subprocess
import sys

import numpy as np
import pytest
from scipy import sparse

from deixis.labelling.labeller import Labeller
from tests.doors.conftest import INTERRUPTED
from tests.library import books, library_vocabulary, write_books, write_vocabulary
from tests.processes import PATIENCE


@pytest.fixture(scope="session")
def library(tmp_path_factory):
    """A folder with books, a vocabulary and a model of them; tests must not change it."""
    folder = tmp_path_factory.mktemp("library")
    write_books(folder / "train.jsonl", books(150))
    write_books(folder / "dev.jsonl", books(50, seed=1))
    write_vocabulary(folder / "subjects.jsonl")
    Labeller.build(books(150), library_vocabulary(), n_threads=1).save(folder / "model")
    return folder


@pytest.fixture
def matrices(tmp_path):
    """Rows of features and labels as files of every kind."""
    rng = np.random.default_rng(2)
    labels = books(80).docs_by_labels[:, :4]
    features = sparse.csr_matrix((labels @ (8 * np.eye(4, 10) + rng.integers(0, 2, (4, 10)))).astype(np.float32))
    sparse.save_npz(tmp_path / "X.npz", features)
    sparse.save_npz(tmp_path / "Y.npz", labels)
    with open(tmp_path / "rows.txt", "w") as xc, open(tmp_path / "rows.svm", "w") as svmlight:
        xc.write("80 10 4\n")
        for x, y in zip(features, labels, strict=True):
            words = ",".join(map(str, y.indices))
            xc.write(f"{words} {' '.join(f'{c}:{v:g}' for c, v in zip(x.indices, x.data, strict=True))}\n")
            svmlight.write(f"{words} {' '.join(f'{c + 1}:{v:g}' for c, v in zip(x.indices, x.data, strict=True))}\n")
    return tmp_path


def lines(done):
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_train_predict_eval_by_console(deixis, library):
    made = deixis(
        "xmr", "train", library / "train.jsonl", "--labels", library / "subjects.jsonl", "-o", "model", "--json"
    )
    told = json.loads(made.stdout)
    assert told["documents"] == 150 and told["labels"] == 5 and told["labels_learned"] == 5
    assert "150 documents with 4 of 5 labels" in made.stderr
    predicted = deixis("xmr", "predict", "model", "-k", "2", stdin="a kitten under the mast\n\nzxqwv\n")
    first, second = lines(predicted)
    assert {label["title"] for label in first["labels"]} == {"Cats", "Ships"} and first["id"] == "1"
    assert second == {"id": "3", "labels": []}
    measured = deixis("xmr", "eval", "model", library / "dev.jsonl")
    assert "precision@1" in measured.stdout and "by label frequency in training" in measured.stdout


def test_the_same_seed_writes_the_same_bytes(deixis_inside, library):
    for name in ("one", "two"):
        deixis_inside(
            "xmr", "train", library / "train.jsonl", "--labels", library / "subjects.jsonl", "-o", name,
            "--trees", 2, "--augment", "soft", "--seed", 7, "--threads", 1 if name == "one" else 3,
        )  # fmt: skip
    one, two = deixis_inside.folder / "one", deixis_inside.folder / "two"
    assert {path.name: path.read_bytes() for path in one.iterdir()} == {
        path.name: path.read_bytes() for path in two.iterdir()
    }


def test_options_reach_the_model(deixis_inside, library):
    (deixis_inside.folder / "mine.toml").write_text("[features]\nmax_features = 30\n[tree]\nn_trees = 4\n")
    deixis_inside(
        "xmr", "train", library / "train.jsonl", "--labels", library / "subjects.jsonl", "-o", "m",
        "--config", "mine.toml", "--trees", 2, "--beam-width", 7, "--augment", "self",
    )  # fmt: skip
    config = Labeller.load("m").config
    assert (config.features.max_features, config.tree.n_trees, config.tree.beam.width) == (30, 2, 7)
    assert config.augmentation.kind == "self"


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--encoder", "minilm"], "elias.encoder is a setting of --engine elias or elias++, not of tree"),
        (["--set", "combined.n_held_out=5"], "combined.n_held_out is a setting of --engine tree++"),
        (["--set", "one_vs_all.n_epochs=2"], "is a setting of --engine one-vs-all"),
    ],
)
def test_settings_of_another_engine_are_refused(deixis_inside, library, options, words):
    done = deixis_inside("xmr", "train", library / "train.jsonl", "-o", "m", *options, code=2)
    assert words in done.stderr and not (deixis_inside.folder / "m").exists()


def test_labels_of_the_documents_will_do_for_a_vocabulary(deixis_inside, library):
    deixis_inside("xmr", "train", library / "train.jsonl", "-o", "m")
    assert sorted(Labeller.load("m").vocabulary.ids) == ["s0", "s1", "s2", "s3"]


def test_a_label_outside_the_vocabulary_names_the_line_and_the_way_out(deixis_inside, library):
    text = (library / "train.jsonl").read_text() + '{"text": "a cat", "labels": ["s0", "s77"]}\n'
    (deixis_inside.folder / "odd.jsonl").write_text(text)
    command = ["xmr", "train", "odd.jsonl", "--labels", library / "subjects.jsonl", "-o", "m"]
    done = deixis_inside(*command, code=1)
    assert "odd.jsonl, line 151" in done.stderr and "'s77'" in done.stderr and "--skip-unknown" in done.stderr
    assert not (deixis_inside.folder / "m").exists()
    assert "Labels left out: 1" in deixis_inside(*command, "--skip-unknown").stderr


def test_an_empty_document_names_the_line_and_can_be_skipped(deixis_inside, library):
    text = (library / "train.jsonl").read_text() + '{"text": " ", "labels": ["s0"]}\n'
    (deixis_inside.folder / "odd.jsonl").write_text(text)
    done = deixis_inside("xmr", "train", "odd.jsonl", "-o", "m", code=1)
    assert "odd.jsonl, line 151: the text is empty" in done.stderr
    assert "Documents left out: 1" in deixis_inside("xmr", "train", "odd.jsonl", "-o", "m", "--skip-bad").stderr
    assert "line 151" in deixis_inside("xmr", "predict", library / "model", "odd.jsonl", code=1).stderr
    predicted = deixis_inside("xmr", "predict", library / "model", "odd.jsonl", "--skip-bad")
    assert len(lines(predicted)) == 150 and "Documents left out: 1" in predicted.stderr


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["train", "train.jsonl", "-o", "m", "--engine", "tre"], "Did you mean 'tree'?"),
        (["train", "train.jsonl", "-o", "m", "--format", "jsonn"], "Did you mean 'jsonl'?"),
        (["train", "nowhere.jsonl", "-o", "m"], "no such file"),
        (["train", "train.jsonl", "-o", "train.jsonl"], "a model is a folder"),
        (["predict", "nowhere", "dev.jsonl"], "No model at"),
        (["predict", "model", "dev.jsonl", "--to", "npz", "-o", "nowhere/x.npz"], "no folder"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_what_is_wrong_is_told(deixis_inside, library, monkeypatch, arguments, words):
    monkeypatch.chdir(library)
    assert words in deixis_inside("xmr", *arguments, code=1).stderr
    assert not (library / "m").exists()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["train", "train.jsonl"], "Missing option '-o'"),
        (["train", "X.npz", "-o", "m"], "--label-matrix"),
        (["predict", "model", "--to", "npz"], "with -o"),
        (["predict", "model", "--to", "npz", "-o", "x"], ".npz"),
        (["predict", "model", "--pretty", "--to", "annif"], "contradict"),
        (["eval", "model"], "Missing argument 'DOCS...'"),
        (["eval", "model", "X.npz"], "MODEL reads texts"),
        (["predict", "model", "X.npz"], "MODEL reads texts"),
        (["tarin"], "Did you mean 'train'?"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_wrong_usage_says_what_is_right(deixis_inside, library, matrices, monkeypatch, arguments, words):
    (matrices / "model").symlink_to(library / "model")
    (matrices / "train.jsonl").symlink_to(library / "train.jsonl")
    monkeypatch.chdir(matrices)
    assert words in deixis_inside("xmr", *arguments, code=2).stderr


def test_json_lines_tell_id_title_and_score_best_first(deixis_inside, library):
    found = lines(deixis_inside("xmr", "predict", library / "model", library / "dev.jsonl", "-k", 3))
    assert [each["id"] for each in found] == list(books(50, seed=1).ids)
    expected = Labeller.load(library / "model").label(books(50, seed=1).texts, 3)
    assert [[label["id"] for label in each["labels"]] for each in found] == [
        [label.id for label in labels] for labels in expected
    ]
    assert found[0]["labels"][0]["score"] == pytest.approx(expected[0][0].score, abs=1e-5)


def test_a_threshold_leaves_labels_out(deixis_inside, library):
    found = lines(deixis_inside("xmr", "predict", library / "model", library / "dev.jsonl", "--threshold", 0.5))
    scores = [label["score"] for each in found for label in each["labels"]]
    assert min(scores) >= 0.5 and len(scores) < 200


def test_a_document_left_out_keeps_its_row_in_a_matrix(deixis_inside, library):
    (deixis_inside.folder / "odd.jsonl").write_text('{"text": "cats and a kitten"}\n{"txt": 1}\n{"text": "a comet"}\n')
    refused = deixis_inside("xmr", "predict", library / "model", "odd.jsonl", code=1).stderr
    assert "odd.jsonl, line 2" in refused and "(--skip-bad leaves bad documents out)" in refused
    asked = ("xmr", "predict", library / "model", "odd.jsonl", "--skip-bad", "-k", 1)
    told = deixis_inside(*asked, "--to", "npz", "-o", "odd.npz").stderr
    assert "Documents left out: 1" in told
    assert np.diff(sparse.load_npz(deixis_inside.folder / "odd.npz").indptr).tolist() == [1, 0, 1]
    assert len(deixis_inside(*asked).stdout.splitlines()) == 2


def test_matrices_of_scores_agree_with_each_other(deixis_inside, library):
    for to, name in (("npz", "s.npz"), ("xc", "s.txt"), ("xc", "s.txt.gz")):
        deixis_inside("xmr", "predict", library / "model", library / "dev.jsonl", "-k", 2, "--to", to, "-o", name)
    saved = sparse.load_npz(deixis_inside.folder / "s.npz")
    assert saved.shape == (50, 5) and saved.nnz == 100
    head, *rows = (deixis_inside.folder / "s.txt").read_text().splitlines()
    assert head == "50 5" and len(rows) == 50
    with gzip.open(deixis_inside.folder / "s.txt.gz", "rt") as packed:
        assert packed.read().splitlines() == [head, *rows]
    done = deixis_inside("xmr", "predict", library / "model", library / "dev.jsonl", "-k", 2, "--to", "xc")
    assert done.stdout.splitlines() == [head, *rows]
    assert [int(cell.split(":")[0]) for row in rows for cell in row.split()] == saved.indices.tolist()
    assert not list(deixis_inside.folder.glob(".*part*"))


def test_an_empty_file_has_no_documents_to_label(deixis_inside, library):
    (deixis_inside.folder / "none.txt").write_text("")
    assert deixis_inside("xmr", "predict", library / "model", "none.txt").stdout == ""
    assert "the file is empty" in deixis_inside("xmr", "train", "none.txt", "-o", "m", code=1).stderr


@pytest.mark.parametrize("to", ["npz", "xc", "jsonl"])
def test_no_room_is_told_of_the_file_and_leaves_nothing(deixis_inside, library, monkeypatch, to):
    def full(*_, **__):
        raise OSError(errno.ENOSPC, "No space left on device")

    for name in ("write_npz", "write_matrix_lines", "write_predictions"):
        monkeypatch.setattr(f"deixis.cli.commands.xmr.predict.{name}", full)
    arguments = ("predict", library / "model", library / "dev.jsonl", "--to", to, "-o", f"out.{to}")
    assert f"out.{to}: cannot be written: No space left" in deixis_inside("xmr", *arguments, code=1).stderr
    assert not [*deixis_inside.folder.glob("out*"), *deixis_inside.folder.glob(".out*")]


def test_a_missing_extra_is_told_before_anything_is_read(deixis_inside, library, monkeypatch):
    monkeypatch.setitem(sys.modules, "sklearn.tree", None)
    done = deixis_inside("xmr", "train", library / "train.jsonl", "-o", "m", "--engine", "tree++", code=1)
    assert done.stderr.startswith("Error: ") and "deixis[sklearn]" in done.stderr


def test_annif_gets_its_suggestions(deixis_inside, library):
    done = deixis_inside("xmr", "predict", library / "model", library / "dev.jsonl", "-k", 1, "--to", "annif")
    name, suggestion = done.stdout.splitlines()[:2]
    assert name == "Suggestions for b1-0"
    uri, title, score = suggestion.split("\t")
    assert uri.startswith("<s") and title in {"Cats", "Ships", "Bread", "Stars"} and 0 <= float(score) <= 1


def test_annif_tables_are_read(deixis_inside, library):
    table = "".join(
        f"{text}\t{' '.join(f'<s{column}>' for column in row.indices)}\n"
        for text, row in zip(books(150).texts, books(150).docs_by_labels, strict=True)
    )
    (deixis_inside.folder / "train.tsv").write_text(table)
    deixis_inside("xmr", "train", "train.tsv", "--labels", library / "subjects.jsonl", "-o", "m")
    one, other = Labeller.load("m"), Labeller.load(library / "model")
    assert one.label(["a cat on a ship"], 3) == other.label(["a cat on a ship"], 3)


def test_pretty_is_for_people(deixis_inside, library):
    (deixis_inside.folder / "two.txt").write_text("a cat that purrs\nzxqwv\n")
    shown = deixis_inside("xmr", "predict", library / "model", "two.txt", "-k", 1, "--pretty").stdout
    assert "a cat that purrs" in shown and "Cats  s0" in shown and "no label" in shown


def test_eval_rows_have_the_shape_of_all_rows(deixis_inside, library):
    rows = lines(deixis_inside("xmr", "eval", library / "model", library / "dev.jsonl", "--at", "1,2", "--json"))
    by_metric = {row["metric"]: row for row in rows}
    for name in ("precision@1", "ndcg@2", "psp@1", "recall@2"):
        assert by_metric[name]["low"] <= by_metric[name]["value"] <= by_metric[name]["high"]
        assert by_metric[name]["n"] == 50 and by_metric[name]["settings"]["engine"] == "tree"
    assert by_metric["precision@1"]["value"] > 0.9
    assert any("_decile_" in name for name in by_metric) and by_metric["documents_per_second"]["value"] > 0


@pytest.fixture
def titles(deixis_inside):
    """Two inputs that are called as labels are, one of which has itself among its labels; and one that is not."""
    lines = [{"text": "CATS", "labels": ["s0", "s1"]}, {"text": "Ships", "labels": ["s3"]}, {"text": "bread oven"}]
    (deixis_inside.folder / "titles.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    (deixis_inside.folder / "pairs.txt").write_text("0 0\n1 1\n")
    return "titles.jsonl"


@pytest.mark.parametrize("option", ["own", "pairs.txt"])
def test_filtered_labels_are_neither_predicted_nor_counted(deixis_inside, library, titles, option):
    filtered = ["--filter-labels", option]
    plain = lines(deixis_inside("xmr", "predict", library / "model", titles, "-k", 4))
    assert [each["labels"][0]["title"] for each in plain] == ["Cats", "Ships", "Bread"]
    left = lines(deixis_inside("xmr", "predict", library / "model", titles, "-k", 4, *filtered))
    ids = [{label["id"] for label in each["labels"]} for each in left]
    assert ids[:2] == [{"s1", "s2", "s3", "s9"}, {"s0", "s2", "s3", "s9"}] and left[2] == plain[2]
    done = deixis_inside("xmr", "eval", library / "model", titles, "--at", "1,4", "--json", *filtered)
    assert "Filtered: 2 labels of 2 documents are neither ranked nor true." in done.stderr
    by_metric = {row["metric"]: row for row in lines(done)}
    assert by_metric["recall@4"]["value"] == 1 and by_metric["precision@4"]["value"] == 0.25  # s0 is no truth any more
    assert by_metric["precision@1"]["settings"]["filter_labels"] == option


def test_training_says_when_it_learns_from_names_for_related_labels(deixis_inside):
    names = [f"page{row} word{row % 5}" for row in range(12)]
    lines_ = [{"text": name, "labels": [names[row - 1]]} for row, name in enumerate(names)]
    (deixis_inside.folder / "pages.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines_))
    (deixis_inside.folder / "names.jsonl").write_text(
        "".join(json.dumps({"id": name, "title": name}) + "\n" for name in names)
    )
    command = ["xmr", "train", "pages.jsonl", "--labels", "names.jsonl", "-o", "m"]
    noted = deixis_inside(*command).stderr
    assert "At least 10% of the texts are names of labels" in noted and "--filter-labels own" in noted
    assert Labeller.load("m").config.augmentation.kind == "soft"
    assert "names of labels" not in deixis_inside(*command, "--augment", "self").stderr


def test_a_filter_that_does_not_fit_the_documents_is_refused(deixis_inside, library, titles, matrices):
    (deixis_inside.folder / "far.txt").write_text("0 0\n9 1\n")
    for command in ("predict", "eval"):
        done = deixis_inside("xmr", command, library / "model", titles, "--filter-labels", "far.txt", code=1)
        assert "far.txt" in done.stderr and "document 9, but there are 3" in done.stderr
        skipping = ("--filter-labels", "pairs.txt", "--skip-bad")
        assert "--skip-bad" in deixis_inside("xmr", command, library / "model", titles, *skipping, code=2).stderr
        assert "nowhere" in deixis_inside(
            "xmr", command, library / "model", titles, "--filter-labels", "nowhere", code=1
        ).stderr  # fmt: skip


def test_rows_of_features_are_filtered_by_pairs_and_not_by_their_texts(deixis_inside, matrices):
    given = ["X.npz", "--label-matrix", "Y.npz"]
    deixis_inside("xmr", "train", *given, "-o", "m", "--threads", 1)
    assert "Give a file of pairs" in deixis_inside("xmr", "eval", "m", *given, "--filter-labels", "own", code=2).stderr
    best = [each["labels"][0]["id"] for each in lines(deixis_inside("xmr", "predict", "m", "X.npz", "-k", 1))]
    (deixis_inside.folder / "best.txt").write_text("".join(f"{row} {label}\n" for row, label in enumerate(best)))
    left = lines(deixis_inside("xmr", "predict", "m", "X.npz", "-k", 1, "--filter-labels", "best.txt"))
    assert len(left) == 80 and all(each["labels"][0]["id"] != id_ for each, id_ in zip(left, best, strict=True))


def test_eval_draws_and_shows_what_was_missed(deixis_inside, library):
    shown = deixis_inside(
        "xmr", "eval", library / "model", library / "dev.jsonl", "--at", "1", "--figure", "f.svg", "-o", "r.jsonl"
    ).stdout
    assert "documents with a label that was missed" in shown and "x)" in shown and "missed" in shown
    picture = (deixis_inside.folder / "f.svg").read_text()
    assert picture.startswith("<svg") and "rare and of frequent labels" in picture
    assert (deixis_inside.folder / "r.jsonl").read_text().count("\n") > 10


def test_eval_without_labels_says_so(deixis_inside, library):
    (deixis_inside.folder / "bare.jsonl").write_text('{"text": "a cat"}\n')
    assert (
        "none of the documents has a label"
        in deixis_inside("xmr", "eval", library / "model", "bare.jsonl", code=1).stderr
    )


@pytest.mark.parametrize(
    "given",
    [["X.npz", "--label-matrix", "Y.npz"], ["rows.txt"], ["rows.svm"], ["rows.txt", "--format", "xc"]],
    ids=lambda given: " ".join(given),
)
def test_matrices_go_through_all_three(deixis_inside, matrices, given):
    deixis_inside("xmr", "train", *given, "-o", "m", "--threads", 1)
    rows = lines(deixis_inside("xmr", "eval", "m", *given, "--json"))
    assert next(row["value"] for row in rows if row["metric"] == "precision@1") > 0.9
    found = lines(deixis_inside("xmr", "predict", "m", given[0], "-k", 1))
    assert len(found) == 80 and found[0]["labels"][0]["id"] in "0123"
    assert "row " in deixis_inside("xmr", "eval", "m", *given, "--at", "1").stdout


def test_matrices_that_do_not_fit_are_told(deixis_inside, matrices):
    sparse.save_npz("few.npz", sparse.load_npz("Y.npz")[:7])
    done = deixis_inside("xmr", "train", "X.npz", "--label-matrix", "few.npz", "-o", "m", code=1)
    assert "7 rows" in done.stderr and "80" in done.stderr
    deixis_inside("xmr", "train", "X.npz", "--label-matrix", "Y.npz", "-o", "m")
    sparse.save_npz("wide.npz", sparse.csr_matrix(np.ones((3, 11), np.float32)))
    assert "11" in deixis_inside("xmr", "predict", "m", "wide.npz", code=1).stderr
    done = deixis_inside("xmr", "train", "X.npz", "--label-matrix", "Y.npz", "-o", "n", "--augment", "self", code=1)
    assert "names of labels" in done.stderr


def test_rows_for_the_labels_can_be_given(deixis_inside, matrices):
    sparse.save_npz("names.npz", sparse.identity(10, np.float32, format="csr")[:4])
    deixis_inside(
        "xmr",
        "train",
        "X.npz",
        "--label-matrix",
        "Y.npz",
        "--label-features",
        "names.npz",
        "--augment",
        "self",
        "-o",
        "m",
    )
    assert Labeller.load("m").engine.n_labels == 4


def test_info_doctor_and_link_know_a_labeller(deixis_inside, library, model):
    told = json.loads(deixis_inside("info", library / "model", "--json").stdout)
    assert (told["kind"], told["labels"], told["labels_learned"]) == ("labeller", 5, 5)
    assert told["documents_learned_from"] == 150 and "reranker_bytes" not in told
    assert "labels learned" in deixis_inside("info", library / "model").stdout
    assert "Everything is fine" in deixis_inside("doctor", library / "model").stdout
    assert "deixis xmr predict" in deixis_inside("link", library / "model", "kb.jsonl", code=1).stderr
    assert "deixis link" in deixis_inside("xmr", "predict", model, "kb.jsonl", code=1).stderr


def test_an_interrupted_training_leaves_no_half_model(deixis, library):
    with open(deixis.folder / "large.jsonl", "w") as stream:
        rng = np.random.default_rng(0)
        for number in range(20_000):
            text = " ".join(f"w{word}" for word in rng.integers(0, 5000, 40))
            stream.write(json.dumps({"id": str(number), "text": text, "labels": [f"l{number % 4000}"]}) + "\n")
    running = deixis.start("xmr", "train", "large.jsonl", "-o", "m", "--trees", 50)
    while b"documents with" not in (line := running.stderr.readline()):
        assert line, "it ended before it began to train"
    running.send_signal(signal.SIGINT)
    try:
        _, told = running.communicate(timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        running.kill()
        raise
    assert running.returncode in INTERRUPTED, told
    assert not list(deixis.folder.glob("*m")) and not list(deixis.folder.glob(".m*"))


def test_labels_can_be_called_by_their_names_in_a_language(deixis_inside, library):
    records = [
        {"id": f"s{n}", "title": f"T{n}", "aliases": [{"text": name, "lang": "de"}]}
        for n, name in enumerate(["Katzen", "Schiffe", "Brot", "Sterne"])
    ]
    (deixis_inside.folder / "de.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records))
    command = ["xmr", "train", library / "train.jsonl", "--label-language", "de", "-o", "m"]
    deixis_inside(*command, "--labels", "de.jsonl")
    assert Labeller.load("m").label(["a cat that purrs"], 1)[0][0].title == "Katzen"
    assert "--labels" in deixis_inside(*command, code=2).stderr


def test_another_engine_and_several_of_them(deixis_inside, library):
    deixis_inside(
        "xmr", "train", library / "train.jsonl", "-o", "m", "--engine", "tree++", "--engines", 2, "--threads", 1
    )
    rows = lines(deixis_inside("xmr", "eval", "m", library / "dev.jsonl", "--json"))
    assert next(row["value"] for row in rows if row["metric"] == "precision@1") > 0.9
