"""How many of the shipped sentences the default linker gets right, frozen; the README says the same number."""

import json
import re
from pathlib import Path

from deixis.documents.reading import read_documents
from deixis.evaluation.sentences import Scoreboard, judge
from deixis.kb.demo import demo_sentences_path, read_demo
from deixis.linker import Linker
from deixis.types import Mention

ROOT = Path(__file__).resolve().parents[2]
README = ROOT / "README.md"
FIGURE = re.compile(r"<!-- figure:demo -->(.*?)<!-- /figure:demo -->")
FROZEN = Path(__file__).parent / "data" / "demo.json"
TOLERANCE = 3  # sentences: other processors round otherwise, and a tie may fall the other way


def test_the_demo_gets_as_many_sentences_right_as_when_it_was_frozen(golden_reason):
    gold = list(read_documents(demo_sentences_path()))
    bare = [d.with_mentions([Mention(m.start, m.end, m.text) for m in d.mentions]) for d in gold]
    linked = Linker.build(read_demo()).link_many(bare)
    board = Scoreboard.of([judge(truth, guess) for truth, guess in zip(gold, linked, strict=True)]).to_dict()
    if golden_reason is not None:
        FROZEN.write_text(json.dumps({"reason": golden_reason} | board, indent=1) + "\n", encoding="utf-8")
        said = f"<!-- figure:demo -->{board['sentences_right']} of {board['sentences']}<!-- /figure:demo -->"
        README.write_text(FIGURE.sub(said, README.read_text(encoding="utf-8")), encoding="utf-8")
    frozen = json.loads(FROZEN.read_text(encoding="utf-8"))
    assert board["sentences"] == frozen["sentences"]
    assert abs(board["sentences_right"] - frozen["sentences_right"]) <= TOLERANCE


def test_the_readme_says_how_many_sentences_are_right():
    frozen = json.loads(FROZEN.read_text(encoding="utf-8"))
    said = FIGURE.search(README.read_text(encoding="utf-8"))
    assert said is not None
    assert said[1] == f"{frozen['sentences_right']} of {frozen['sentences']}"
