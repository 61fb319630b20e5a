"""The label tree over HTTP, and the page's files."""

from __future__ import annotations

import pytest

from deixis.candidates.config import SourcesConfig
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.linker import Linker
from deixis.linking.config import LinkerConfig
from deixis.types import NIL_WORDS


def test_the_tree_is_walked_down_to_its_entities(client):
    way = client.get("/tree/way", params={"entity": "parma"}).json()["way"]
    assert way[0] == {"level": 0, "node": 0}
    below = client.get("/tree", params=way[-1]).json()["branches"]
    assert "parma" in {branch["entity"] for branch in below}
    assert all(branch["n_entities"] == 1 and branch["topics"] for branch in below if branch["entity"])


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("/tree?level=99", "levels 0.."),
        ("/tree?node=99", "there is no node 99"),
        ("/tree?level=-1", "greater than or equal"),
        ("/tree/way?entity=nowhere", "has the id 'nowhere'"),
    ],
)
def test_what_the_tree_does_not_have_is_told(client, path, words):
    answer = client.get(path)
    assert answer.status_code == 422 and words in answer.text


def test_a_model_without_a_tree_says_so(serve, tmp_path):
    config = LinkerConfig(candidates=SourcesConfig(("alias",)))
    Linker.build(KnowledgeBase.from_records([{"id": "a", "title": "Parma"}]), config=config).save(tmp_path / "model")
    answer = serve(tmp_path / "model").get("/tree")
    assert answer.status_code == 422 and "no label tree" in answer.text


def test_the_page_is_found_and_may_load_nothing_from_elsewhere(client):
    answer = client.get("/", follow_redirects=True)
    assert answer.status_code == 200 and "<title>Deixis workbench</title>" in answer.text
    assert "http://" not in answer.text and "https://" not in answer.text
    for name in ("app.js", "style.css", "icon.svg"):
        file = client.get(f"/workbench/{name}")
        assert file.status_code == 200 and file.headers["x-content-type-options"] == "nosniff"
        assert "default-src 'none'" in file.headers["content-security-policy"]


@pytest.mark.parametrize("name", ["nothing.js", "..%2fapp.py", "%2e%2e/app.py"])
def test_only_the_page_s_own_files_are_served(client, name):
    assert client.get(f"/workbench/{name}").status_code == 404


def test_the_page_tells_every_reason_of_nil_in_the_words_of_the_other_doors(client):
    script = client.get("/workbench/details.js").text
    for reason, words in NIL_WORDS.items():
        assert f'"{reason}": "{words}"' in script
