"""An answer is of one model, though another is loaded while it is made."""

from dataclasses import replace

import pytest

from deixis.kb.knowledge_base import KnowledgeBase
from deixis.linker import Linker
from deixis.service.served import EntityNames
from tests.unit.service.conftest import TEXT

TURTLE = f'<http://x.org/1> <http://persistence.uni-leipzig.org/nlp2rdf/ontologies/nif-core#isString> "{TEXT}" .'
OTHER = KnowledgeBase.from_records([{"id": "x", "title": "Xanthippe"}, {"id": "y", "title": "Ymir"}])


@pytest.mark.parametrize(
    ("path", "asked"),
    [
        ("/rel", {"json": {"text": TEXT}}),
        ("/rest/annotate", {"data": {"text": TEXT}}),
        ("/rest/annotate", {"data": {"text": TEXT}, "headers": {"accept": "text/turtle"}}),
        ("/rest/candidates", {"data": {"text": TEXT}}),
        ("/nif", {"content": TURTLE, "headers": {"content-type": "text/turtle"}}),
        ("/reconcile", {"data": {"queries": '{"a": {"query": "Troy"}, "b": {"query": "Paris", "type": "city"}}'}}),
    ],
)
def test_a_model_that_comes_meanwhile_does_not_change_the_answer(client, monkeypatch, path, asked):
    state, wanted = client.state, client.post(path, **asked)
    linker = Linker.build(OTHER, n_threads=1)
    link, other = state.link, replace(state.served, model=linker, names=EntityNames.of(linker))

    async def reloaded_then_linked(documents, choices, served=None):
        monkeypatch.setattr(state, "newest", lambda: other)
        return await link(documents, choices, served)

    monkeypatch.setattr(state, "link", reloaded_then_linked)
    answer = client.post(path, **asked)
    assert answer.status_code == 200 and answer.text == wanted.text
