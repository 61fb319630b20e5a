"""One round trip of every command."""

import gzip
import importlib.metadata
import json
import re
import subprocess

import pytest
from rich.cells import cell_len

from deixis.linker import Linker


def lines_of(text: str) -> list[dict]:
    return [json.loads(line) for line in text.splitlines()]


def rows_of(text: str) -> dict[str, dict]:
    return {row["metric"]: row for row in lines_of(text)}


def test_build_link_eval_info_and_doctor_go_round(deixis):
    built = deixis("build", "kb.jsonl", "-o", "model")
    assert "4 entities" in built.stderr
    assert "peak memory" in built.stderr
    assert built.stdout == ""
    (document,) = lines_of(deixis("link", "model", stdin="To save Troy, Paris had to be sacrificed.").stdout)
    assert [mention["text"] for mention in document["mentions"]] == ["Troy", "Paris"]
    assert document["mentions"][0]["entity"] == "troy"
    assert document["mentions"][0]["candidates"][0]["title"] == "Troy"
    assert "recall@10" in deixis("eval", "model", "gold.jsonl").stdout
    assert "linker" in deixis("info", "model").stdout
    assert "Everything is fine." in deixis("doctor", "model").stdout


def test_build_tells_programs_what_it_did(deixis_inside):
    (summary,) = lines_of(deixis_inside("build", "kb.jsonl", "-o", "model", "--json", "--quiet").stdout)
    assert summary["entities"] == 4
    assert summary["bytes"] > 0
    assert summary["peak_memory_bytes"] > 1e6


def test_the_same_seed_builds_the_same_bytes_on_one_thread_or_two(deixis):
    for name, threads in (("one", 1), ("two", 2)):
        deixis("build", "kb.jsonl", "-o", name, "--seed", 7, "--threads", threads, "--quiet")
    one, two = (deixis.folder / name for name in ("one", "two"))
    assert sorted(file.name for file in one.iterdir()) == sorted(file.name for file in two.iterdir())
    for file in one.iterdir():
        assert file.read_bytes() == (two / file.name).read_bytes(), file.name


def test_build_learns_from_annotated_mentions(deixis_inside):
    annotated = {"text": "Ilios fell", "mentions": [{"start": 0, "end": 5, "entity": "troy"}]}
    (deixis_inside.folder / "more.jsonl").write_text(json.dumps(annotated) + "\n", encoding="utf-8")
    deixis_inside("build", "kb.jsonl", "-o", "model", "--mentions", "more.jsonl", "--mentions", "gold.jsonl")
    question = json.dumps({"text": "Ilios stood", "mentions": [{"start": 0, "end": 5}]})
    (document,) = lines_of(deixis_inside("link", "model", stdin=question).stdout)
    assert document["mentions"][0]["candidates"][0]["id"] == "troy"


def test_build_with_an_encoder_finds_candidates_by_vectors_too(deixis_inside):
    deixis_inside("build", "kb.jsonl", "-o", "model", "--encoder", "chars", "--mentions", "gold.jsonl", "-q")
    config = json.loads(deixis_inside("info", "model", "--json").stdout)["config"]["candidates"]
    assert config["sources"][-1] == "vectors" and config["vectors"]["k"] == 50
    assert config["vectors"]["encoder"]["name"] == "chars"
    (deixis_inside.folder / "asked.txt").write_text("To save Troy, Paris had to be sacrificed.", encoding="utf-8")
    (document,) = lines_of(deixis_inside("link", "model", "asked.txt").stdout)
    assert [mention["entity"] for mention in document["mentions"]] == ["troy", "paris_trojan"]
    deixis_inside("build", "kb.jsonl", "-o", "few", "--encoder", "chars", "--set", "candidates.vectors.k=3", "-q")
    assert json.loads(deixis_inside("info", "few", "--json").stdout)["config"]["candidates"]["vectors"]["k"] == 3


def test_build_takes_the_sources_it_is_given_and_an_encoder_for_those_that_have_one(deixis_inside):
    names = "alias,names,name_vectors"
    deixis_inside("build", "kb.jsonl", "-o", "model", "--sources", names, "--encoder", "chars", "-q")
    config = json.loads(deixis_inside("info", "model", "--json").stdout)["config"]["candidates"]
    assert config["sources"] == names.split(",") and config["name_vectors"]["encoder"]["name"] == "chars"
    (deixis_inside.folder / "asked.txt").write_text("To save Troy, Paris had to be sacrificed.", encoding="utf-8")
    (document,) = lines_of(deixis_inside("link", "model", "asked.txt").stdout)
    assert document["mentions"][0]["entity"] == "troy"
    wrong = deixis_inside("build", "kb.jsonl", "-o", "other", "--sources", "alias,nmes", code=1)
    assert "No candidate source named 'nmes'" in wrong.stderr and "Did you mean 'names'?" in wrong.stderr


def test_a_config_file_may_name_the_preset_as_the_option_does(deixis_inside):
    (deixis_inside.folder / "mine.toml").write_text('preset = "xmred"\n', encoding="utf-8")
    deixis_inside("build", "kb.jsonl", "-o", "file", "--config", "mine.toml", "-q")
    deixis_inside("build", "kb.jsonl", "-o", "option", "--preset", "xmred", "-q")
    deixis_inside("build", "kb.jsonl", "-o", "default", "-q")
    configs = [
        json.loads(deixis_inside("info", name, "--json").stdout)["config"] for name in ("file", "option", "default")
    ]
    assert configs[0] == configs[1] != configs[2]


def test_link_reads_files_of_every_kind_and_stdin(deixis_inside, model):
    (deixis_inside.folder / "a.txt").write_text("London\n\nTroy", encoding="utf-8")
    with gzip.open(deixis_inside.folder / "b.jsonl.gz", "wt", encoding="utf-8") as stream:
        stream.write('{"id": "b", "text": "Ilion is Troy", "mentions": [{"start": 0, "end": 5}]}\n')
    documents = lines_of(deixis_inside("link", model, "a.txt", "b.jsonl.gz", "-", stdin="Paris").stdout)
    assert [document["id"] for document in documents] == ["a.txt", "b", "stdin"]
    assert [mention["text"] for mention in documents[0]["mentions"]] == ["London", "Troy"]
    assert [mention["text"] for mention in documents[1]["mentions"]] == ["Ilion"]


def test_link_takes_every_line_as_a_document_when_asked(deixis_inside, model):
    documents = lines_of(deixis_inside("link", model, "--format", "lines", stdin="London\n\nTroy\n").stdout)
    assert [(document["id"], document["text"]) for document in documents] == [("1", "London"), ("3", "Troy")]


def test_link_keeps_as_many_candidates_as_asked(deixis_inside, model):
    (document,) = lines_of(deixis_inside("link", model, "--top-k", 1, stdin="Paris").stdout)
    assert len(document["mentions"][0]["candidates"]) == 1


def test_link_hints_once_at_every_name_when_it_finds_none(deixis_inside, model):
    for name, text in (("a.txt", "paris fell"), ("b.txt", "nothing here"), ("c.txt", "Troy fell")):
        (deixis_inside.folder / name).write_text(text, encoding="utf-8")
    (deixis_inside.folder / "blank.jsonl").write_text('{"text": " "}\n', encoding="utf-8")
    files = ("a.txt", "b.txt", "c.txt", "blank.jsonl")
    stderr = deixis_inside("link", model, *files).stderr
    assert stderr.count("--names every") == 1
    assert "without a known name: 2 of 4" in stderr
    assert deixis_inside("link", model, *files, "--quiet").stderr == ""
    assert "--names" not in deixis_inside("link", model, "c.txt", "blank.jsonl").stderr


def test_what_the_hint_at_every_name_says_helps_and_is_not_said_again(deixis_inside, model):
    for name, text in (("a.txt", "paris fell"), ("b.txt", "nothing here")):
        (deixis_inside.folder / name).write_text(text, encoding="utf-8")
    done = deixis_inside("link", model, "a.txt", "b.txt", "--names", "every")
    assert [len(document["mentions"]) for document in lines_of(done.stdout)] == [1, 0]
    assert "--names" not in done.stderr


def test_link_leaves_out_what_is_below_the_threshold(deixis_inside, model):
    (document,) = lines_of(deixis_inside("link", model, "--threshold", 1, stdin="Paris").stdout)
    assert document["mentions"][0]["entity"] is None
    assert document["mentions"][0]["nil"] is True
    assert document["mentions"][0]["candidates"]


def test_link_writes_a_file_whole_and_compressed_by_its_name(deixis_inside, model):
    deixis_inside("link", model, "-o", "out.jsonl.gz", stdin="Zürich is not London 東京")
    with gzip.open(deixis_inside.folder / "out.jsonl.gz", "rt", encoding="utf-8") as stream:
        assert json.loads(stream.read())["text"] == "Zürich is not London 東京"
    assert {file.name for file in deixis_inside.folder.iterdir()} == {"kb.jsonl", "gold.jsonl", "out.jsonl.gz"}


def test_pretty_marks_the_text_and_shows_the_runner_up_without_colour_in_a_pipe(deixis, model):
    shown = deixis("link", model, "--pretty", stdin="To save Troy, Paris had to be sacrificed.").stdout
    assert "To save Troy[1], Paris[2] had to be sacrificed." in shown
    assert "capital of France" in shown
    assert "prince of Troy" in shown
    assert "\x1b" not in shown
    assert max(map(len, shown.splitlines())) <= 80


def test_pretty_lets_no_control_character_of_a_text_reach_the_terminal(deixis_inside, model):
    shown = deixis_inside("link", model, "--pretty", stdin="London \x1b[31mred\x07 Troy").stdout
    assert "\x1b" not in shown
    assert "\x07" not in shown


def test_eval_writes_rows_that_scripts_read(deixis_inside, model):
    rows = rows_of(deixis_inside("eval", model, "gold.jsonl", "--json", "--at", "1,5").stdout)
    assert {"recall@1", "recall@5", "accuracy", "upper_bound", "inkb_micro_f1", "mentions_per_second"} <= set(rows)
    assert "recall@10" not in rows
    assert (rows["recall@1"]["value"], rows["recall@1"]["n"]) == (1.0, 2)
    assert rows["upper_bound"]["value"] == pytest.approx(2 / 3, abs=1e-5)
    assert rows["upper_bound"]["n"] == 3
    assert rows["recall@1"]["suite"].startswith("model/")


def test_eval_judges_links_by_the_models_own_settings_however_deep_recall_looks(deixis_inside, model):
    shallow = rows_of(deixis_inside("eval", model, "gold.jsonl", "--json", "--at", "1").stdout)
    deep = rows_of(deixis_inside("eval", model, "gold.jsonl", "--json", "--at", "1,1000").stdout)
    assert deep["accuracy"]["value"] == shallow["accuracy"]["value"]
    assert deep["accuracy"]["settings"] == shallow["accuracy"]["settings"]
    assert deep["recall@1000"]["value"] == 1.0


def test_eval_never_shows_the_gold_to_the_linker(deixis_inside, model):
    """A gold id that contradicts the text must not become the answer."""
    wrong = '{"text": "London calling", "mentions": [{"start": 0, "end": 6, "entity": "troy"}]}\n'
    (deixis_inside.folder / "wrong.jsonl").write_text(wrong, encoding="utf-8")
    rows = rows_of(deixis_inside("eval", model, "wrong.jsonl", "--json").stdout)
    assert rows["accuracy"]["value"] == 0.0


def test_info_tells_programs_everything(deixis_inside, model):
    (facts,) = lines_of(deixis_inside("info", model, "--json").stdout)
    assert facts["entities"] == 4
    assert facts["kind"] == "linker"
    assert facts["names"] == facts["config"]["finding"]["names"] == "likely"


def test_info_says_which_names_are_linked_by_default(deixis_inside):
    deixis_inside("build", "kb.jsonl", "-o", "model", "--names", "sure", "-q")
    shown = deixis_inside("info", "model").stdout.splitlines()
    assert ["names", "sure"] in [line.split() for line in shown]


def test_info_and_build_tell_the_same_size(deixis_inside):
    (built,) = lines_of(deixis_inside("build", "kb.jsonl", "-o", "model", "--json", "-q").stdout)
    (facts,) = lines_of(deixis_inside("info", "model", "--json").stdout)
    files = (deixis_inside.folder / "model").iterdir()
    assert facts["bytes"] == built["bytes"] == sum(file.stat().st_size for file in files)


def test_doctor_sums_up_sound_files_and_lists_them_for_programs(deixis_inside, model):
    n_files = len(list(model.iterdir()))
    shown = deixis_inside("doctor", model).stdout.splitlines()
    assert [line.split() for line in shown[:-1]] == [
        ["ok", str(n_files), "files", "all", "as", "they", "were", "saved"]
    ]
    (report,) = lines_of(deixis_inside("doctor", model, "--json").stdout)
    assert len(report["findings"]) == n_files


def test_doctor_looks_at_the_installation(deixis):
    (report,) = lines_of(deixis("doctor", "--json").stdout)
    assert report["ok"] is True
    assert {"deixis", "python", "numpy", "compiled core"} <= {finding["what"] for finding in report["findings"]}


def test_doctor_tells_of_every_extra_and_every_dependency(deixis_inside):
    (report,) = lines_of(deixis_inside("doctor", "--json").stdout)
    said = {finding["what"]: finding["detail"] for finding in report["findings"]}
    about = importlib.metadata.metadata("deixis")
    assert {f"extra {extra}" for extra in about.get_all("Provides-Extra")} <= said.keys()
    needed = [each for each in about.get_all("Requires-Dist") if "extra ==" not in each]
    assert {re.match(r"[\w-]+", each)[0] for each in needed} <= said.keys()
    assert f"torch {importlib.metadata.version('torch')}" in said["extra neural"]


def test_doctor_finds_a_flipped_bit_and_says_in_which_file(deixis_inside):
    deixis_inside("build", "kb.jsonl", "-o", "model")
    victim = max((deixis_inside.folder / "model").glob("*.bin"), key=lambda file: file.stat().st_size)
    content = bytearray(victim.read_bytes())
    content[len(content) // 2] ^= 1
    victim.write_bytes(content)
    done = deixis_inside("doctor", "model", code=1)
    bad, others, verdict = done.stdout.splitlines()
    assert bad.startswith("BAD") and victim.name in bad
    assert "other files" in others and verdict.startswith("Something is wrong")


def test_kb_check_reports_and_its_exit_code_says_whether_the_file_would_do(deixis_inside):
    assert "4 entities" in deixis_inside("kb", "check", "kb.jsonl").stdout
    with open(deixis_inside.folder / "kb.jsonl", "a", encoding="utf-8") as stream:
        stream.write('{"id": "troy", "title": "Troy again"}\n{"id": 5\n')
    shown = deixis_inside("kb", "check", "kb.jsonl", code=1).stdout
    assert "line 5" in shown
    assert "line 6" in shown


def test_kb_check_warns_of_names_that_no_text_is_searched_for(deixis_inside):
    lines = '{"id": "1", "title": "C++", "aliases": ["cpp"]}\n{"id": "2", "title": "Go"}\n{"id": "3", "title": "R"}\n'
    (deixis_inside.folder / "odd.jsonl").write_text(lines, encoding="utf-8")
    shown = deixis_inside("kb", "check", "odd.jsonl").stdout
    assert "never looked for" in shown and "mentions you give are linked" in shown and "(2)" in shown
    assert "line 1: '1' has the name 'C++'" in shown
    assert "line 3: '3' has the name 'R'" in shown


def test_kb_check_names_no_line_that_is_not_there(deixis_inside):
    (deixis_inside.folder / "bad.jsonl").write_text("x\n", encoding="utf-8")
    shown = deixis_inside("kb", "check", "bad.jsonl", code=1).stdout
    assert "no entity among them" in shown
    assert "line 0" not in shown


def test_kb_check_is_done_when_it_has_reported(deixis):
    with open(deixis.folder / "both", "w+", encoding="utf-8") as stream:
        arguments = deixis.command("kb", "check", "kb.jsonl", "kb.jsonl")
        subprocess.run(arguments, cwd=deixis.folder, env=deixis.environment, stdout=stream, stderr=stream, check=True)
        stream.seek(0)
        shown = stream.read().splitlines()
    assert [number for number, line in enumerate(shown) if line.startswith("Done in")] == [len(shown) - 1]


def test_kb_check_tells_programs(deixis_inside):
    (report,) = lines_of(deixis_inside("kb", "check", "kb.jsonl", "--json").stdout)
    assert report["n_entities"] == 4
    assert report["ok"] is True


def test_skip_bad_builds_without_the_bad_lines_and_counts_them(deixis_inside):
    with open(deixis_inside.folder / "kb.jsonl", "a", encoding="utf-8") as stream:
        stream.write("not json\n")
    assert "line 5" in deixis_inside("build", "kb.jsonl", "-o", "m", code=1).stderr
    assert not (deixis_inside.folder / "m").exists()
    assert deixis_inside("build", "kb.jsonl", "-o", "m", "--skip-bad").stderr.count("line 5") == 1


def test_quiet_is_quiet(deixis):
    done = deixis("build", "kb.jsonl", "-o", "model", "--quiet")
    assert (done.stdout, done.stderr) == ("", "")


def test_the_demo_is_honest_and_fits_eighty_columns_without_colour_in_a_pipe(deixis):
    shown = deixis("demo").stdout
    assert "annotated sentences right" in shown
    assert "deixis build my.csv -o model" in shown
    assert re.search(r"\[\w+\].*\n +yes ", shown, re.DOTALL)
    assert re.search(r"\[\w+\].*\n +no ", shown, re.DOTALL)
    assert "\x1b" not in shown
    assert not any(line.endswith(" ") for line in shown.splitlines())
    assert max(map(cell_len, shown.splitlines())) <= 80


def test_the_demo_tells_programs_its_score(deixis_inside):
    (score,) = lines_of(deixis_inside("demo", "--json").stdout)
    assert score["entities"] >= 600
    assert score["sentences_right"] <= score["sentences"]
    assert sum(lang["of"] for lang in score["by_language"].values()) == score["sentences"]
    assert len(score["by_language"]) >= 6


def test_the_sentence_that_build_suggests_has_a_name_in_it(deixis_inside):
    records = [{"id": "1", "title": "!!!"}, {"id": "3", "title": "Troy"}]
    lines = "".join(json.dumps(record) + "\n" for record in records)
    (deixis_inside.folder / "odd.jsonl").write_text(lines, encoding="utf-8")
    assert "Tell me about Troy." in deixis_inside("build", "odd.jsonl", "-o", "m").stderr


def test_build_keeps_the_description_of_the_language_asked_for(deixis_inside):
    run = deixis_inside
    descriptions = '{"en": "capital of Austria", "de": "Hauptstadt von Österreich"}'
    (run.folder / "wien.jsonl").write_text(
        f'{{"id": "Q1741", "title": "Wien", "descriptions": {descriptions}}}\n', encoding="utf-8"
    )
    mention = '{"start": 0, "end": 4, "entity": "Q1741"}'
    (run.folder / "seen.jsonl").write_text(
        f'{{"id": "1", "text": "Wien", "lang": "de", "mentions": [{mention}]}}\n', encoding="utf-8"
    )
    for language, kept in (("all", {"en", "de"}), ("en", {"en"}), ("mentions", {"de"})):
        run("build", "wien.jsonl", "-o", language, "--mentions", "seen.jsonl", "--description-language", language)
        assert set(Linker.load(run.folder / language).kb.entity("Q1741").descriptions) == kept
    done = run("build", "wien.jsonl", "-o", "none", "--description-language", "fr", code=1)
    assert "No description language named 'fr'" in done.stderr
