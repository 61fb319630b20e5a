"""`deixis eval`: predictions and models, one dataset and several, given mentions and end to end."""

import json

import pytest

from deixis.cli.commands import evaluate as evaluate_command
from deixis.documents.formats import READERS

GUESSES = """\
{"id": "g1", "text": "To save Troy, Paris had to go.", "mentions": [{"start": 8, "end": 12, "entity": "troy", \
"score": 0.9, "candidates": [{"id": "troy", "score": 0.9}, {"id": "london", "score": 0.1}]}]}
{"id": "g2", "text": "London calling", "mentions": [{"start": 0, "end": 6, "entity": "troy", "score": 0.6, \
"candidates": [{"id": "troy", "score": 0.6}, {"id": "london", "score": 0.4}]}]}
{"id": "g3", "text": "Berlin waits", "mentions": [{"start": 0, "end": 6, "entity": null, "score": 0.01}]}
"""


def rows_of(text):
    return {(row["suite"], row["system"], row["metric"]): row for row in map(json.loads, text.splitlines())}


def values_of(text):
    return {metric: row["value"] for (_, _, metric), row in rows_of(text).items()}


@pytest.fixture
def run(deixis_inside):
    (deixis_inside.folder / "guess.jsonl").write_text(GUESSES, encoding="utf-8")
    return deixis_inside


def test_predictions_are_scored_against_gold_and_a_knowledge_base(run):
    values = values_of(run("eval", "--predictions", "guess.jsonl", "gold.jsonl", "--kb", "kb.jsonl", "--json").stdout)
    assert values["accuracy"] == 0.5
    assert values["recall@1"] == 0.5
    assert values["upper_bound"] == pytest.approx(2 / 3, abs=1e-5)
    assert values["nil_f1"] == 1.0
    assert "mentions_per_second" not in values


def test_a_model_says_which_gold_is_known_as_well_as_its_file_does(run, model):
    arguments = ("eval", "--predictions", "guess.jsonl", "gold.jsonl", "--json", "--kb")
    assert values_of(run(*arguments, model).stdout) == values_of(run(*arguments, "kb.jsonl").stdout)


def test_without_a_knowledge_base_it_is_said_that_all_gold_counts(run):
    done = run("eval", "--predictions", "guess.jsonl", "gold.jsonl", "--json")
    assert "every gold entity counts as in the knowledge base" in done.stderr
    values = values_of(done.stdout)
    assert values["accuracy"] == pytest.approx(1 / 3, abs=1e-5)
    assert "upper_bound" not in values
    (first, *_) = rows_of(done.stdout).values()
    assert "every gold entity" in first["settings"]["in_kb"]


def test_recall_is_told_as_deep_as_the_predictions_go_unless_asked(run):
    arguments = ("eval", "--predictions", "guess.jsonl", "gold.jsonl", "--json")
    assert not {"recall@5", "recall@10"} & set(values_of(run(*arguments).stdout))
    assert "recall@5" in values_of(run(*arguments, "--at", "1,5").stdout)


def test_each_k_of_recall_is_told_once_and_in_order(run):
    shown = run("eval", "--predictions", "guess.jsonl", "gold.jsonl", "--at", "5,1,5").stdout
    assert [line.split()[0] for line in shown.splitlines() if line.startswith("recall")] == ["recall@1", "recall@5"]


def test_predictions_may_come_in_another_order(run):
    lines = GUESSES.splitlines()
    (run.folder / "shuffled.jsonl").write_text("\n".join(reversed(lines)), encoding="utf-8")
    straight = values_of(run("eval", "--predictions", "guess.jsonl", "gold.jsonl", "--json").stdout)
    assert values_of(run("eval", "--predictions", "shuffled.jsonl", "gold.jsonl", "--json").stdout) == straight


def test_a_model_and_the_file_it_writes_score_the_same(run, model):
    run("link", model, "gold.jsonl", "-o", "linked.jsonl")
    direct = values_of(run("eval", model, "gold.jsonl", "--json", "--at", "1,2").stdout)
    arguments = ("eval", "--predictions", "linked.jsonl", "gold.jsonl", "--kb", model, "--at", "1,2", "--json")
    del direct["mentions_per_second"]
    # A file keeps six digits of a score, so figures made of scores may differ in the last.
    assert values_of(run(*arguments).stdout) == pytest.approx(direct, abs=5e-6)


def test_several_datasets_get_a_mean_in_which_each_counts_the_same(run, model):
    lines = (run.folder / "gold.jsonl").read_text(encoding="utf-8").splitlines()
    wrong = '{"id": "w", "text": "London calling", "mentions": [{"start": 0, "end": 6, "entity": "troy"}]}'
    (run.folder / "a.jsonl").write_text(lines[0], encoding="utf-8")
    (run.folder / "b.jsonl").write_text(f"{lines[1]}\n{wrong}\n", encoding="utf-8")
    rows = rows_of(run("eval", model, "a.jsonl", "b.jsonl", "--json").stdout)
    accuracies = {
        suite.split("/")[1].split("-")[-1]: row for (suite, _, metric), row in rows.items() if metric == "accuracy"
    }
    assert {name: row["value"] for name, row in accuracies.items()} == {"a": 1.0, "b": 0.5, "mean": 0.75}
    assert accuracies["mean"]["n"] == 2
    shown = run("eval", model, "a.jsonl", "b.jsonl").stdout
    assert "mean over datasets" in shown and "0.750" in shown


def test_files_of_one_name_and_a_run_of_the_same_name_stay_apart(run, model):
    (run.folder / "deixis.jsonl").write_text(GUESSES, encoding="utf-8")
    arguments = ("eval", "--predictions", "guess.jsonl", "--predictions", "guess.jsonl", "gold.jsonl", "gold.jsonl")
    rows = rows_of(run(*arguments, "--compare", "deixis.jsonl", "--compare", "deixis.jsonl", "--json").stdout)
    found = {(suite.rpartition("-")[2], system) for suite, system, metric in rows if metric == "accuracy"}
    assert found == {(suite, system) for suite in ("gold", "2") for system in ("deixis", "deixis-2")} | {
        ("guess/mean", "deixis")
    }
    assert "mean over datasets" in run(*arguments).stdout


def test_a_report_on_nothing_but_nil_has_its_page(run, model):
    line = '{"text": "London calling", "mentions": [{"start": 0, "end": 6, "entity": null}]}'
    (run.folder / "nil.jsonl").write_text(line, encoding="utf-8")
    run("eval", model, "nil.jsonl", "--report", "report.html")
    assert "NIL linked" in (run.folder / "report.html").read_text(encoding="utf-8")


def test_end_to_end_the_model_finds_the_mentions_itself(run, model):
    values = values_of(run("eval", model, "gold.jsonl", "--end-to-end", "--json").stdout)
    assert values["span_recall"] == pytest.approx(2 / 3, abs=1e-5)  # Berlin is no name it knows
    assert values["span_precision"] == pytest.approx(2 / 3, abs=1e-5)  # Paris is no gold
    assert values["inkb_micro_f1"] == pytest.approx(2 * 2 / (3 + 2), abs=1e-5)
    shown = run("eval", model, "gold.jsonl", "--end-to-end").stdout
    assert "span_f1_weak" in shown and "inkb_micro_f1_weak" in shown


def test_given_mentions_are_all_there_are_even_in_a_document_without_any(run, model):
    with open(run.folder / "gold.jsonl", "a", encoding="utf-8") as stream:
        stream.write('{"id": "none", "text": "London and Troy", "mentions": []}\n')
    assert values_of(run("eval", model, "gold.jsonl", "--json").stdout)["span_f1"] == 1.0


def test_predictions_with_spans_of_their_own_are_told_to_be_scored_end_to_end(run):
    moved = GUESSES.replace('"start": 8, "end": 12', '"start": 8, "end": 13')
    (run.folder / "moved.jsonl").write_text(moved, encoding="utf-8")
    done = run("eval", "--predictions", "moved.jsonl", "gold.jsonl")
    assert "scored end to end" in done.stderr
    assert "span_f1" in done.stdout


def test_two_files_of_predictions_are_compared(run):
    (run.folder / "right.jsonl").write_text(GUESSES.replace('"entity": "troy", "score": 0.6', '"entity": "london"'))
    arguments = ("eval", "--predictions", "right.jsonl", "gold.jsonl", "--kb", "kb.jsonl", "--compare", "guess.jsonl")
    rows = rows_of(run(*arguments, "--json").stdout)
    ((_, row),) = [(key, row) for key, row in rows.items() if key[2] == "accuracy_difference"]
    assert (row["system"], row["value"]) == ("deixis/guess", 0.5)
    assert row["settings"]["p_value"] == 1.0  # one document that differs proves nothing
    assert {key[1] for key in rows if key[2] == "accuracy"} == {"deixis", "guess"}
    shown = run(*arguments).stdout
    assert "deixis against guess" in shown and "unclear" in shown


def test_a_model_is_compared_with_another_and_with_a_file(run, model):
    for other in (model, "guess.jsonl"):
        rows = rows_of(run("eval", model, "gold.jsonl", "--compare", other, "--json").stdout)
        (difference,) = [row["value"] for key, row in rows.items() if key[2] == "accuracy_difference"]
        assert difference == (0.0 if other == model else 0.5)


def test_rows_go_to_a_file_while_the_table_is_shown(run, model):
    done = run("eval", model, "gold.jsonl", "-o", "rows.jsonl")
    assert "accuracy" in done.stdout and "{" not in done.stdout
    written = values_of((run.folder / "rows.jsonl").read_text(encoding="utf-8"))
    assert written["accuracy"] == 1.0
    assert run("eval", model, "gold.jsonl", "-o", "rows.jsonl", "--json").stdout == ""


def test_the_table_shows_the_main_figures_and_all_on_demand(run, model):
    few, many = (run("eval", model, "gold.jsonl", *more).stdout for more in ((), ("--all",)))
    assert "kilt_accuracy" not in few and "kilt_accuracy" in many
    assert max(map(len, (few + many).splitlines())) <= 80


def test_gold_may_be_in_any_format_that_has_a_reader(run, model):
    (run.folder / "gold.txt").write_text(
        "1|t|London calling\n1|a|Troy\n1\t0\t6\tLondon\tCity\tlondon\n\n", encoding="utf-8"
    )
    values = values_of(run("eval", model, "gold.txt", "--format", "pubtator", "--json").stdout)
    assert values["accuracy"] == 1.0
    unknown = run("eval", model, "gold.txt", "--format", "no-such", code=1).stderr
    assert set(READERS) <= set(unknown.replace(",", " ").replace(".", " ").split())


def test_the_same_seed_gives_the_same_intervals(run, model):
    def strip(text):
        return [
            {k: v for k, v in row.items() if k != "date"}
            for key, row in rows_of(text).items()
            if "second" not in key[2]
        ]

    one, two = (run("eval", model, "gold.jsonl", "--json", "--threads", n).stdout for n in (1, 2))
    assert strip(one) == strip(two)


def test_overlapping_gold_is_scored_and_mentioned(run, model):
    mentions = [{"start": 0, "end": 4, "entity": "troy"}, {"start": 0, "end": 9, "entity": None}]
    (run.folder / "nested.jsonl").write_text(json.dumps({"text": "Troy Town", "mentions": mentions}), encoding="utf-8")
    done = run("eval", model, "nested.jsonl")
    assert "1 gold mentions overlap another; each is scored on its own" in done.stderr


def test_gold_with_ids_of_another_kind_is_warned_about(run, model):
    (run.folder / "q.jsonl").write_text('{"text": "London", "mentions": [{"start": 0, "end": 6, "entity": "Q84"}]}')
    done = run("eval", model, "q.jsonl", "--json")
    assert "none of the gold is in the knowledge base, whose ids look like 'paris_city'" in done.stderr
    values = values_of(done.stdout)
    assert values["upper_bound"] == 0.0
    assert "accuracy" not in values and "recall@1" not in values


def test_the_report_shows_nasty_titles_and_texts_as_they_are_and_runs_none(run):
    nasty = "</script><script>alert(1)</script>"
    records = [{"id": "<b>", "title": nasty, "description": nasty}, {"id": "2", "title": nasty, "types": [nasty]}]
    (run.folder / "nasty.jsonl").write_text("\n".join(map(json.dumps, records)), encoding="utf-8")
    gold = {"id": nasty, "text": f"{nasty} x", "mentions": [{"start": 0, "end": len(nasty), "entity": "2"}]}
    gold["mentions"].append({"start": len(nasty) + 1, "end": len(nasty) + 2, "entity": "<b>"})
    (run.folder / "<gold>.jsonl").write_text(json.dumps(gold), encoding="utf-8")
    run("build", "nasty.jsonl", "-o", "<model>")
    run("eval", "<model>", "<gold>.jsonl", "--report", "report.html")
    page = (run.folder / "report.html").read_text(encoding="utf-8")
    assert page.count("<script") == page.count("</script") == 1
    assert "&lt;script&gt;alert(1)" in page
    assert "<model>" not in page and "<gold>" not in page and "<b>2" not in page


def test_the_report_of_two_runs_on_two_datasets_holds_all_of_them(run, model):
    (run.folder / "more.jsonl").write_text((run.folder / "gold.jsonl").read_text(encoding="utf-8"), encoding="utf-8")
    run("eval", model, "gold.jsonl", "more.jsonl", "--compare", model, "--report", "report.html", "--examples", "1")
    page = (run.folder / "report.html").read_text(encoding="utf-8")
    assert page.count("<section") == 2 and page.count("Compared with") == 2
    assert "mean over datasets" in page and "Gold not in KB" in page


def test_a_failed_run_leaves_the_old_report(run, model):
    (run.folder / "report.html").write_text("old", encoding="utf-8")
    run("eval", model, "none.jsonl", "--report", "report.html", code=1)
    assert (run.folder / "report.html").read_text(encoding="utf-8") == "old"


def test_rows_of_a_file_are_written_when_it_ends_even_if_a_later_one_fails(run, model):
    (run.folder / "bad.jsonl").write_text('{"id": "x", "text": "no gold"}', encoding="utf-8")
    for arguments in (("--json",), ("-o", "rows.jsonl")):
        done = run("eval", model, "gold.jsonl", "bad.jsonl", *arguments, code=1)
        written = done.stdout if "--json" in arguments else (run.folder / "rows.jsonl").read_text(encoding="utf-8")
        assert "bad.jsonl: has no gold" in done.stderr and "Measured before the error: gold.jsonl" in done.stderr
        assert values_of(written)["accuracy"] == 1.0
        assert {suite.rpartition("-")[2] for suite, _, _ in rows_of(written)} == {"gold"}


def test_all_files_are_looked_for_before_a_model_is_loaded(run):
    for arguments in (("gold.jsonl", "none.jsonl"), ("gold.jsonl", "--compare", "none.jsonl")):
        assert "none.jsonl: no such file" in run("eval", "no-model", *arguments, code=1).stderr


@pytest.mark.parametrize("content", ["{broken", '{"id": 1}', '{"text": "a", "mentions": [{"start": 3, "end": 9}]}'])
def test_the_first_document_of_every_file_is_read_before_a_model_is_loaded(run, content):
    (run.folder / "bad.jsonl").write_text(content, encoding="utf-8")
    for arguments in (("gold.jsonl", "bad.jsonl"), ("gold.jsonl", "--compare", "bad.jsonl")):
        assert "bad.jsonl, line 1" in run("eval", "no-model", *arguments, code=1).stderr


def test_rows_of_a_file_are_kept_if_a_later_one_is_interrupted(run, model, monkeypatch):
    measure, n_runs = evaluate_command._measured, []

    def interrupted(*arguments):
        n_runs.append(1)
        if len(n_runs) == 2:
            raise KeyboardInterrupt
        return measure(*arguments)

    monkeypatch.setattr(evaluate_command, "_measured", interrupted)
    (run.folder / "again.jsonl").write_text((run.folder / "gold.jsonl").read_text(encoding="utf-8"), encoding="utf-8")
    done = run("eval", model, "gold.jsonl", "again.jsonl", "-o", "rows.jsonl", code=130)
    assert "Measured before the error: gold.jsonl" in done.stderr
    rows = rows_of((run.folder / "rows.jsonl").read_text(encoding="utf-8"))
    assert {suite.rpartition("-")[2] for suite, _, _ in rows} == {"gold"}


def test_given_mentions_and_raw_text_are_measured_side_by_side(run, model):
    both = values_of(run("eval", model, "gold.jsonl", "--both", "--json").stdout)
    for prefix, flag in (("", ()), ("raw_", ("--end-to-end",))):
        alone = values_of(run("eval", model, "gold.jsonl", "--json", *flag).stdout)
        alone.pop("mentions_per_second")
        assert {name: both[f"{prefix}{name}"] for name in alone} == alone
    lines = run("eval", model, "gold.jsonl", "--both").stdout.splitlines()
    assert lines[1].split() == ["recall@1", "accuracy_with_nil", "inkb_micro_f1", "raw_inkb_micro_f1"]
    assert all(len(line) <= 80 for line in lines)


def test_the_three_figures_that_matter_come_first(run, model):
    table = [line.split() for line in run("eval", model, "gold.jsonl").stdout.splitlines()]
    assert table[1] == ["recall@1", "accuracy_with_nil", "inkb_micro_f1", "upper_bound"]
    names = [words[0] for words in table if words]
    first = names.index("metric") + 1
    assert names[first : first + 3] == ["recall@1", "accuracy_with_nil", "inkb_micro_f1"]


@pytest.mark.parametrize(
    ("guesses", "words"),
    [
        (GUESSES.splitlines()[0], "guess2.jsonl: lacks 2 of the 3 documents of gold.jsonl: 'g2', 'g3'"),
        (GUESSES + '{"id": "g4", "text": "Rome"}', "gold.jsonl: lacks 1 of the 4 documents of guess2.jsonl: 'g4'"),
        (GUESSES + GUESSES, "guess2.jsonl: has the document 'g1' twice"),
        (GUESSES.replace("London calling", "London Calling"), "guess2.jsonl: document 'g2' has another text"),
        (GUESSES.replace('"end": 6', '"end": 60', 1), "guess2.jsonl, line 2: the mention 0-60 lies outside the text"),
        ("", "guess2.jsonl: lacks 3 of the 3 documents"),
    ],
    ids=["too few", "too many", "twice", "another text", "outside", "empty"],
)
def test_predictions_that_do_not_fit_the_gold_are_an_error_and_no_silent_zero(run, guesses, words):
    (run.folder / "guess2.jsonl").write_text(guesses, encoding="utf-8")
    done = run("eval", "--predictions", "guess2.jsonl", "gold.jsonl", code=1)
    assert words in done.stderr
    assert done.stdout == ""


def test_of_documents_with_one_id_the_first_counts_on_demand(run, model):
    gold = (run.folder / "gold.jsonl").read_text(encoding="utf-8")
    (run.folder / "gold2.jsonl").write_text(gold + gold.splitlines()[1].replace('"london"', '"troy"'), encoding="utf-8")
    refused = run("eval", model, "gold2.jsonl", code=1).stderr
    assert "gold2.jsonl: has the document 'g2' twice" in refused and "--skip-duplicates" in refused
    arguments = (model, "gold2.jsonl", "--skip-duplicates", "--compare", model, "--report", "report.html")
    done = run("eval", *arguments, "--json")
    assert "gold2.jsonl: skipped 1 whose id came before" in done.stderr
    assert "documents whose id came before: 1 of gold2.jsonl" in (run.folder / "report.html").read_text("utf-8")
    rows = [row for row in map(json.loads, done.stdout.splitlines()) if row["metric"] == "accuracy"]
    assert [(row["value"], row["settings"]["n_duplicates_skipped"]) for row in rows] == [(1.0, 1), (1.0, 1)]


def test_duplicates_are_skipped_in_predictions_too(run):
    (run.folder / "guess2.jsonl").write_text(GUESSES + GUESSES, encoding="utf-8")
    plain = values_of(run("eval", "--predictions", "guess.jsonl", "gold.jsonl", "--json").stdout)
    done = run("eval", "--predictions", "guess2.jsonl", "gold.jsonl", "--skip-duplicates", "--json")
    assert values_of(done.stdout) == plain
    assert "guess2.jsonl: skipped 3 whose id came before" in done.stderr and "gold.jsonl:" not in done.stderr


def test_the_row_of_a_compared_run_has_the_settings_of_that_run(run, model):
    rows = rows_of(run("eval", model, "gold.jsonl", "--compare", model, "--end-to-end", "--json").stdout)
    settings = [row["settings"] for (_, _, metric), row in rows.items() if metric == "accuracy"]
    assert len(settings) == 2 and settings[0] == settings[1]
    assert settings[0]["end_to_end"] and "n_candidates" in settings[0]


@pytest.mark.parametrize(
    ("gold", "words"),
    [
        ("", "gold2.jsonl: has no gold"),
        ('{"text": "London", "mentions": [{"start": 0, "end": 6}]}', "gold2.jsonl: has no gold"),
        ('{"id": "a", "text": "x"}\n{"id": "a", "text": "y"}', "gold2.jsonl: has the document 'a' twice"),
        ('{"text": "x", "mentions": [{"start": 0, "end": 6, "entity": "a"}]}', "gold2.jsonl, line 1: the mention 0-6"),
    ],
    ids=["empty", "undecided", "twice", "outside"],
)
def test_gold_that_cannot_be_scored_is_an_error_that_names_the_file(run, model, gold, words):
    (run.folder / "gold2.jsonl").write_text(gold, encoding="utf-8")
    assert words in run("eval", model, "gold2.jsonl", code=1).stderr


@pytest.mark.parametrize(
    ("arguments", "words", "code"),
    [
        (("model",), "Missing argument", 2),
        (("--predictions", "guess.jsonl", "gold.jsonl", "gold.jsonl"), "1 times for 2 files", 2),
        (("--predictions", "guess.jsonl", ".", "gold.jsonl"), "--kb .", 2),
        (("model", "gold.jsonl", "--kb", "kb.jsonl"), "a model brings its own", 2),
        (("model", "-", "--compare", "guess.jsonl"), "give a file instead of -", 2),
        (("model", "gold.jsonl", "--both", "--end-to-end"), "in both ways: leave out --end-to-end", 2),
        (("model", "-", "--both"), "give a file instead of -", 2),
        (("model", "gold.jsonl", "--at", "0"), "whole numbers from 1 up", 2),
        (("model", "gold.jsonl", "--at", "1,ten"), "give whole numbers with commas between them", 2),
        (("model", "gold.jsonl", "-o", "x.html", "--report", "./x.html"), "a file of its own", 2),
        (("model", "gold.jsonl", "-o", "-", "--report", "-"), "a file of its own", 2),
        (("model", "gold.jsonl", "-o", "./gold.jsonl"), "would be written over", 2),
        (("--predictions", "guess.jsonl", "gold.jsonl", "--report", "guess.jsonl"), "would be written over", 2),
        (("model", "gold.jsonl", "--format", "adia"), "Did you mean 'aida'", 1),
        (("model", "gold.jsonl", "--report", "no/where.html"), "make it first", 1),
        (("--predictions", "none.jsonl", "gold.jsonl"), "none.jsonl: no such file", 1),
        (("--predictions", "guess.jsonl", "gold.jsonl", "--kb", "none.csv"), "none.csv: no such file", 1),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_words_that_do_not_go_together_are_told_before_the_work(run, arguments, words, code):
    assert words in run("eval", *arguments, code=code).stderr
