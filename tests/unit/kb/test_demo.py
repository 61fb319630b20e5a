"""The knowledge base that ships with the package."""

import json
import unicodedata

from deixis.kb.checking.check import check_file
from deixis.kb.demo import demo_path, demo_sentences_path, read_demo


def test_the_demo_reads_without_a_finding_that_would_stop_a_build():
    report = check_file(demo_path())
    assert report.ok, report.findings
    assert report.n_entities >= 600
    assert report.coverage["description"] == report.coverage["types"] == 1.0
    assert not {"mojibake", "replacement_character", "control_character"} & {f.kind for f in report.findings}


def test_the_demo_is_about_namesakes_in_several_languages():
    kb = read_demo()
    titles = [unicodedata.normalize("NFC", title) for title in kb.titles]
    assert sum(titles.count(title) > 1 for title in titles) >= 100
    assert len(kb.langs) >= 6


def test_every_gold_sentence_points_to_an_entity_of_the_demo():
    kb = read_demo()
    lines = demo_sentences_path().read_text(encoding="utf-8").splitlines()
    sentences = [json.loads(line) for line in lines]
    assert len(sentences) >= 36
    assert len({sentence["lang"] for sentence in sentences}) >= 6
    for sentence in sentences:
        for mention in sentence["mentions"]:
            assert sentence["text"][mention["start"] : mention["end"]] == mention["text"]
            assert mention["entity"] is None or kb.row_of(mention["entity"]) is not None, mention


def test_no_two_entities_of_the_demo_have_the_same_id():
    kb = read_demo()
    assert len(set(kb.ids)) == len(kb)
    assert kb.rows_of(kb.ids).tolist() == list(range(len(kb)))
