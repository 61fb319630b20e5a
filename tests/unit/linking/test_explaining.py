"""Explanations add up to what linking says."""

import json
import math

import numpy as np
import pytest

from deixis.errors import DataError
from deixis.kb.demo import read_demo
from deixis.linking.explaining import explain, explain_spans
from deixis.linking.linker import Linker
from deixis.ranking.fusion_features import FEATURES
from deixis.types import Document, Mention

TEXT = "To save Troy, Paris had to be sacrificed."


@pytest.fixture(scope="module")
def linker():
    return Linker.build(read_demo(), n_threads=1)


def test_contributions_add_up_to_the_score(linker):
    told = explain(linker, TEXT, 14, 19)
    for candidate in (told.entity, told.runner_up):
        assert sum(part.contribution for part in candidate.parts) == pytest.approx(candidate.total, abs=1e-6)
        assert math.exp(candidate.total - told.log_sum) == pytest.approx(candidate.score, rel=1e-4)


def test_it_explains_what_linking_says(linker):
    document = Document("d", TEXT, mentions=(Mention(8, 12, "Troy"), Mention(14, 19, "Paris")))
    for mention in linker.link(document).mentions:
        told = explain(linker, document, mention.start, mention.end)
        assert (told.entity.id, told.is_linked) == (mention.entity, True)
        assert told.entity.confidence == pytest.approx(mention.score, rel=1e-5)
        assert told.runner_up.id == mention.candidates[1].id


def test_each_step_through_the_tree_adds_up_and_the_last_is_the_entity(linker):
    told = explain(linker, TEXT, 14, 19)
    for step in told.path:
        together = step.bias + step.rest + sum(ngram.contribution for ngram in step.ngrams)
        assert together == pytest.approx(step.margin, abs=1e-5)
    assert told.path[-1].n_entities == 1 and told.path[-1].topics == (told.entity.title,)
    ranked = linker.generator.tree.rank_by_tree(Document("d", TEXT, mentions=(Mention(14, 19, "Paris"),))
                                                .mentions_in_context(), 50)  # fmt: skip
    row = linker.kb.row_of(told.entity.id)
    assert told.path[-1].path_score == pytest.approx(float(ranked[0, row]), abs=2e-3)


def test_another_entity_can_be_asked_about(linker):
    told = explain(linker, TEXT, 14, 19, "paris_mythology")
    assert told.entity.id == "paris_mythology" and not told.is_linked
    assert told.runner_up.id == explain(linker, TEXT, 14, 19).entity.id


def test_an_explanation_is_json(linker):
    record = json.loads(json.dumps(explain(linker, TEXT, 14, 19).to_record()))
    assert record["entity"]["name"] == {"name": "Paris", "how": "same", "likeness": 1.0}
    assert np.isclose(sum(part["contribution"] for part in record["entity"]["parts"]), record["entity"]["total"])


@pytest.mark.parametrize(("text", "how"), [("Paris", "same"), ("PARIS", "normalized"), ("Pariss", "alike")])
def test_how_the_name_fits_is_told(linker, text, how):
    assert explain(linker, text, 0, len(text)).entity.name.how == how


@pytest.mark.parametrize(
    ("span", "entity", "words"),
    [
        ((14, 99), None, "has 41 code points; got 14..99"),
        ((5, 5), None, "got 5..5"),
        ((14, 19), "paris_citty", "Did you mean 'paris_city'"),
        ((14, 19), "java_island", "is not among the"),
    ],
)
def test_what_cannot_be_explained_is_said(linker, span, entity, words):
    with pytest.raises(DataError, match=words):
        explain(linker, TEXT, *span, entity)


def test_a_mention_without_candidates_has_nothing_to_explain(linker):
    with pytest.raises(DataError, match="no candidates"):
        explain(linker, "!!! ??? ", 0, 3)


def test_spans_explained_together_are_explained_as_each_alone_and_judged_once(linker, monkeypatch):
    document = linker.link(TEXT)
    spans = [(mention.start, mention.end) for mention in document.mentions]
    alone = [explain(linker, document, *span).to_record() for span in spans]
    calls = []
    propose = type(linker.generator).propose
    monkeypatch.setattr(
        type(linker.generator), "propose", lambda self, mentions: calls.append(mentions) or propose(self, mentions)
    )
    assert [told.to_record() for told in explain_spans(linker, document, spans)] == alone
    assert len(spans) > 1 and len(calls) == 1


def test_what_a_feature_says_is_understood_by_itself():
    assert not [says for says in FEATURES.values() if says.startswith("the same") or "its logarithm" in says]


def test_mentions_without_candidates_do_not_keep_the_others_from_being_explained(linker):
    document = Document("d", "!!! or Paris", mentions=(Mention(0, 3, "!!!"), Mention(7, 12, "Paris")))
    told = list(explain_spans(linker, document, [(0, 3), (7, 12)], skip_unknown=True))
    assert [each.text for each in told] == ["Paris"]
    with pytest.raises(DataError, match="no candidates"):
        list(explain_spans(linker, document, [(0, 3), (7, 12)]))
