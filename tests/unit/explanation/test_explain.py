"""Explanations add up to what linking says."""

import json
import math

import numpy as np
import pytest
from scipy.special import expit, logit

from deixis.candidates.config import SourcesConfig
from deixis.candidates.name_cache import NameCache
from deixis.detection.span_features import FEATURES as SPAN_FEATURES
from deixis.detection.span_features import MEANINGS
from deixis.documents.corrections import Correction
from deixis.errors import DataError
from deixis.explanation.explain import explain
from deixis.kb.demo import read_demo
from deixis.linker import Linker
from deixis.linking import name_candidates
from deixis.linking.config import LinkerConfig
from deixis.ranking.features import FEATURES
from deixis.types import Document, Mention

TEXT = "To save Troy, Paris had to be sacrificed."


@pytest.fixture(scope="module")
def linker():
    return Linker.build(read_demo(), n_threads=1)


def test_contributions_add_up_to_the_score(linker):
    told = linker.explain(TEXT, 14, 19)
    for candidate in (told.entity, told.runner_up):
        assert sum(part.contribution for part in candidate.parts) == pytest.approx(candidate.total, abs=1e-6)
        assert math.exp(candidate.total - told.log_sum) == pytest.approx(candidate.score, rel=1e-4)


def test_it_explains_what_linking_says(linker):
    document = Document("d", TEXT, mentions=(Mention(8, 12, "Troy"), Mention(14, 19, "Paris")))
    for mention in linker.link(document).mentions:
        told = linker.explain(document, mention.start, mention.end)
        assert (told.entity.id, told.is_linked) == (mention.entity, True)
        assert told.entity.probability == pytest.approx(mention.score, rel=1e-5)
        assert told.runner_up.id == mention.candidates[1].id


def test_each_step_through_the_tree_adds_up_and_the_last_is_the_entity(linker):
    told = linker.explain(TEXT, 14, 19)
    for step in told.path:
        together = step.bias + step.rest + sum(ngram.contribution for ngram in step.ngrams)
        assert together == pytest.approx(step.margin, abs=1e-5)
    assert told.path[-1].n_entities == 1 and told.path[-1].topics == (told.entity.title,)
    mentions = Document("d", TEXT, mentions=(Mention(14, 19, "Paris"),)).mentions_in_context()
    ranked = linker.model.sources.get("label_tree").search(mentions, 50)
    row = linker.kb.row_of(told.entity.id)
    assert told.path[-1].path_score == pytest.approx(float(ranked.toarray()[0, row]), abs=2e-3)


def test_another_entity_can_be_asked_about(linker):
    told = linker.explain(TEXT, 14, 19, entity="paris_mythology")
    assert told.entity.id == "paris_mythology" and not told.is_linked
    assert told.runner_up.id == linker.explain(TEXT, 14, 19).entity.id


def test_an_explanation_is_json(linker):
    record = json.loads(json.dumps(linker.explain(TEXT, 14, 19).to_record()))
    assert record["entity"]["name"] == {"name": "Paris", "how": "same", "similarity": 1.0}
    assert np.isclose(sum(part["contribution"] for part in record["entity"]["parts"]), record["entity"]["total"])


@pytest.mark.parametrize(("text", "how"), [("Paris", "same"), ("PARIS", "normalized"), ("Pariss", "similar")])
def test_how_the_name_fits_is_told(linker, text, how):
    assert linker.explain(text, 0, len(text)).entity.name.how == how


@pytest.mark.parametrize(
    ("span", "entity", "words"),
    [
        ((14, 99), None, "text of 41 code points, got 14..99"),
        ((5, 5), None, "got 5..5"),
        ((14, 19), "paris_citty", "Did you mean 'paris_city'"),
        ((14, 19), "java_island", "is not among the"),
    ],
)
def test_what_cannot_be_explained_is_said(linker, span, entity, words):
    with pytest.raises(DataError, match=words):
        linker.explain(TEXT, *span, entity=entity)


def test_a_mention_without_candidates_has_nothing_to_explain(linker):
    with pytest.raises(DataError, match="no candidates"):
        linker.explain("!!! ??? ", 0, 3)


def test_spans_explained_together_are_explained_as_each_alone_and_ranked_once(linker, monkeypatch):
    document = linker.link(TEXT)
    spans = [(mention.start, mention.end) for mention in document.mentions]
    alone = [linker.explain(document, *span).to_record() for span in spans]
    calls, sources = [], type(linker.model.sources)
    propose = sources.propose
    monkeypatch.setattr(name_candidates, "CACHE", NameCache())  # what was searched before is not searched again
    monkeypatch.setattr(sources, "propose", lambda *given: calls.append(given) or propose(*given))
    assert [each.to_record() for each in explain(linker.model, document, spans)] == alone
    assert len(spans) > 1 and len(calls) == 1


def test_what_a_feature_says_is_understood_by_itself():
    sentences = [each.sentence for each in FEATURES.values()]
    assert not [each for each in sentences if each.startswith("the same") or "its logarithm" in each]
    assert len(set(sentences)) == len(sentences)


def test_mentions_without_candidates_do_not_keep_the_others_from_being_explained(linker):
    document = Document("d", "!!! or Paris", mentions=(Mention(0, 3, "!!!"), Mention(7, 12, "Paris")))
    assert [each.text for each in explain(linker.model, document)] == ["Paris"]
    with pytest.raises(DataError, match="no candidates"):
        explain(linker.model, document, [(0, 3), (7, 12)])


TEXTS = [TEXT, "In May Java may rain; Paris Hilton and Paris, Texas, too. java is not Java", " ".join([TEXT] * 300)]


@pytest.mark.parametrize("text", TEXTS, ids=["short", "mixed", "long"])
def test_what_is_found_in_a_text_is_explained_with_the_numbers_of_linking(linker, text):
    linked = linker.link(text)
    spans = [(mention.start, mention.end) for mention in linked.mentions]
    every = explain(linker.model, text)
    assert every
    for told in every:
        mention = linked.mentions[spans.index((told.start, told.end))]
        assert (told.entity.id, told.is_linked) == (mention.candidates[0].id, mention.entity is not None)
        assert told.entity.probability == pytest.approx(mention.score, rel=1e-5)
        assert told.runner_up.probability == pytest.approx(mention.candidates[1].score, rel=1e-4)
        assert told.threshold in (0.0, linker.model.decisions.detected.min_probability)
        evidence = told.mention_evidence
        assert told.entity.probability == pytest.approx(evidence.probability) == pytest.approx(expit(evidence.log_odds))
        assert sum(part.contribution for part in evidence.parts) == pytest.approx(evidence.log_odds)
        assert sum(part.contribution for part in evidence.span_parts) == pytest.approx(evidence.span_log_odds)
        (span,) = [part for part in evidence.parts if part.name == "span"]
        assert span.value == pytest.approx(np.clip(evidence.span_log_odds, -8, 8))


def explained(linker, text, span):
    """The explanation of a span, or nothing where it has no candidates."""
    try:
        return [linker.explain(text, *span)]
    except DataError as error:
        assert "no candidates" in str(error)
        return []


MANY = "Paris Hilton left Paris, Texas, for New York City; York and Java, the Java of Troy, New Jersey"


@pytest.mark.parametrize("kind", ["plain", "corrected"])
def test_linked_is_said_of_what_linking_links_and_of_nothing_else(linker, kind):
    asked = linker
    if kind == "corrected":
        told = [Correction(MANY, 6, 12, "gold", "paris_city"), Correction(MANY, 18, 23, "not_an_entity")]
        asked = asked.correct(told)
    table = asked.model.detector.table([MANY])
    spans = list(zip(table.starts.tolist(), table.ends.tolist(), strict=True))
    every = [each for span in spans for each in explained(asked, MANY, span)]
    links = {(each.start, each.end) for each in asked.link(MANY).mentions if each.entity is not None}
    assert {(told.start, told.end) for told in every if told.is_linked} == links and len(links) > 2


def test_a_span_says_how_its_case_speaks_for_it_and_one_that_nobody_looks_at_says_nothing(linker):
    upper, lower = (linker.explain(f"It rained in {name}.", 13, 17) for name in ("Java", "java"))
    assert lower.mention_evidence.span_log_odds < upper.mention_evidence.span_log_odds
    lower_parts, upper_parts = ({part.name for part in each.mention_evidence.span_parts} for each in (lower, upper))
    assert "lower_word" in lower_parts - upper_parts and "title_word" in upper_parts - lower_parts
    assert linker.explain("It rained in Java.", 10, 17).mention_evidence is None  # "in Java"


def test_what_a_search_passes_over_is_told(linker):
    text = "Paris carried Helen off to an all-java shop."
    detector = linker.model.detector
    table = detector.table([text])
    unlikely = np.flatnonzero(detector.log_odds(table) < logit(linker.config.finding.min_chance))
    place = int(table.starts[unlikely[0]]), int(table.ends[unlikely[0]])
    assert linker.explain(text, 0, 5).detection == "likely"
    assert linker.explain(text, 6, 13).detection == "not_considered"
    assert linker.explain(text, *place).detection == "unlikely"
    given = Document("d", text, mentions=(Mention(6, 13, "carried"),))
    assert linker.explain(given, 6, 13).detection == "given"


def test_what_corrections_say_of_a_span_is_a_part_of_its_chance(linker):
    corrected = [Correction(f"He met Java {number}.", 7, 11, "not_an_entity") for number in range(9)]
    before, after = (
        asked.explain("They like Java.", 10, 14).mention_evidence for asked in (linker, linker.correct(corrected))
    )
    (part,) = [part for part in after.span_parts if part.name == "corrected"]
    assert part.contribution < 0 and after.probability < before.probability
    assert sum(part.contribution for part in after.span_parts) == pytest.approx(after.span_log_odds)


def test_given_mentions_have_no_chance_of_a_span(linker):
    assert linker.explain(Document("d", TEXT, mentions=(Mention(14, 19, "Paris"),)), 14, 19).mention_evidence is None


def test_every_feature_of_a_span_has_words():
    assert set(MEANINGS) == {*SPAN_FEATURES, "corrected", "short_form"}


def test_a_model_without_a_label_tree_is_explained_without_a_path():
    config = LinkerConfig(candidates=SourcesConfig(("alias", "names")))
    explanation = Linker.build(read_demo(), config=config, n_threads=1).explain(TEXT, 14, 19)
    assert explanation.path == () and explanation.entity.title == "Paris"
