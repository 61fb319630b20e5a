"""Each system on lists so small that the answer can be told by hand."""

import math

import numpy as np
import pytest

from benchmarks.systems import SYSTEMS
from benchmarks.systems.bm25 import Bm25Descriptions, Bm25Names
from benchmarks.systems.brute_force import BruteForceCosine
from benchmarks.systems.exact import ExactNames
from benchmarks.systems.ours import LinkerSystem
from benchmarks.systems.prior import PriorNames
from benchmarks.systems.scispacy import ScispacyNames
from deixis.errors import DataError
from deixis.kb.demo import read_demo
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.types import Document, Mention, MentionInContext

KB = KnowledgeBase.from_records(
    [
        {"id": "capital", "title": "Paris", "aliases": ["City of Light"], "description": "capital of France"},
        {"id": "prince", "title": "Alexandros", "aliases": ["Paris"], "description": "prince of Troy"},
        {"id": "texas", "title": "Paris, Texas", "description": "a town in the United States"},
        {"id": "troy", "title": "Troy", "description": "city besieged for Helen, whom Paris carried off"},
    ]
)
APART = ("prior", "scispacy", "minilm", "deixis+rerank")  # they have tests of their own
PACKAGES = {"lemma": "simplemma", "loose": "anyascii", "loose-string": "anyascii"}


def mention(text, context=""):
    return MentionInContext(text, context or text, 0, len(text))


def ids(system, text, k=10):
    return [candidate.id for candidate in system.generate([mention(text)], k)[0]]


def annotated(*links):
    return [
        Document(f"d{number}", name, mentions=(Mention(0, len(name), name, entity=entity),))
        for number, (name, entity) in enumerate(links)
    ]


@pytest.mark.parametrize("name", [name for name in SYSTEMS if name not in APART])
def test_every_system_answers_like_a_candidate_generator(name):
    if name in PACKAGES:
        pytest.importorskip(PACKAGES[name])
    taught = annotated(("Paris", "prince")) if SYSTEMS[name].needs != "nothing" else ()
    system = SYSTEMS[name].build(KB, taught, 1)
    assert system.generate([], 10) == []
    prince = "Alexandros" if name == "cased" else "alexandros"
    found = system.generate([mention("Paris"), mention("qqqq"), mention(prince)], 2)
    assert [len(listed) for listed in found[1:]] == [0, len(found[2])]
    assert found[2][0].id == "prince"
    assert found[2][0].title == "Alexandros"
    for listed in found:
        assert len({candidate.id for candidate in listed}) == len(listed) <= 2
        assert [c.score for c in listed] == sorted((c.score for c in listed), reverse=True)
    assert system.generate([mention(prince)], 2) == found[2:]
    assert isinstance(SYSTEMS[name].settings(), dict)


def test_exact_finds_titles_before_aliases_whatever_the_case_and_width():
    system = ExactNames.build(KB)
    assert ids(system, "ＰＡＲＩＳ") == ["capital", "prince"]
    assert ids(system, "city  of light") == ["capital"]
    assert ids(system, "Pari") == []


def test_exact_prefers_the_popular_among_titles():
    kb = KnowledgeBase.from_records([{"id": "a", "title": "X"}, {"id": "b", "title": "x", "count": 5}])
    assert ids(ExactNames.build(kb), "X") == ["b", "a"]


def test_the_prior_is_the_share_of_a_names_uses():
    system = PriorNames.build(KB, annotated(*[("paris", "prince")] * 3, ("Paris", "texas"), ("Ilium", "troy")))
    found = system.generate([mention("Paris"), mention("ilium")], 10)
    assert [(c.id, c.score) for c in found[0]] == [("prince", 0.75), ("texas", 0.25), ("capital", 0.0)]
    assert [c.id for c in found[1]] == ["troy"]


def test_the_prior_takes_counts_of_aliases_too():
    kb = KnowledgeBase.from_records(
        [
            {"id": "a", "title": "A", "aliases": [{"text": "it", "count": 2}]},
            {"id": "b", "title": "B", "aliases": [{"text": "It", "count": 6}]},
        ]
    )
    assert [(c.id, c.score) for c in PriorNames.build(kb).generate([mention("it")], 5)[0]] == [("b", 0.75), ("a", 0.25)]


def test_the_prior_of_a_name_nobody_counted_is_the_popularity_of_its_namesakes():
    kb = KnowledgeBase.from_records([{"id": "a", "title": "X", "count": 1}, {"id": "b", "title": "x", "count": 3}])
    assert [(c.id, c.score) for c in PriorNames.build(kb).generate([mention("X")], 5)[0]] == [("b", 0.75), ("a", 0.25)]


def test_a_prior_without_counts_is_refused():
    with pytest.raises(DataError, match="there is no prior"):
        PriorNames.build(KB, annotated(("Paris", "someone else")))


def test_bm25_scores_are_those_of_the_formula():
    """Lucene's BM25: ln(1 + (N - df + .5) / (df + .5)) * tf / (tf + k1 * (1 - b + b * length / mean length))."""
    kb = KnowledgeBase.from_records(
        [{"id": "1", "title": "red red fox"}, {"id": "2", "title": "red car"}, {"id": "3", "title": "blue"}]
    )
    found = Bm25Names.build(kb).generate([mention("Red")], 10)[0]
    idf, mean_length = math.log(1 + (3 - 2 + 0.5) / (2 + 0.5)), (3 + 2 + 1) / 3

    def score(tf, length):
        return idf * tf / (tf + 1.5 * (1 - 0.75 + 0.75 * length / mean_length))

    assert [c.id for c in found] == ["1", "2"]
    assert [c.score for c in found] == pytest.approx([score(2, 3), score(1, 2)], rel=1e-5)


def test_bm25_reads_descriptions_only_when_told_to():
    assert ids(Bm25Names.build(KB), "Helen") == []
    assert ids(Bm25Descriptions.build(KB), "Helen") == ["troy"]
    assert Bm25Names.settings()["document"] == "names"


def test_bm25_keeps_short_words_and_stop_words():
    kb = KnowledgeBase.from_records([{"id": "who", "title": "The Who"}, {"id": "x", "title": "X"}])
    assert ids(Bm25Names.build(kb), "the") == ["who"]
    assert ids(Bm25Names.build(kb), "x") == ["x"]


def dense_order(system, kb, text, k):
    """Cosines of all names in one dense product, then the best name of each entity."""
    names, rows = kb.names()
    matrix = np.asarray(system.vectorizer.transform(list(names)).todense(), dtype=np.float64)
    cosines = matrix @ np.asarray(system.vectorizer.transform([text]).todense(), dtype=np.float64)[0]
    best = {}
    for row, cosine in zip(rows.tolist(), cosines.tolist(), strict=True):
        best[row] = max(cosine, best.get(row, 0.0))
    return sorted((value for value in best.values() if value > 0), reverse=True)[:k], best


@pytest.mark.parametrize("cls", [BruteForceCosine, ScispacyNames])
@pytest.mark.parametrize("text", ["Paris", "washington", "Apple Inc.", "Michael Jordans", "zzzz"])
def test_nearest_names_are_those_of_a_dense_product(cls, text):
    kb = read_demo().take(range(200))
    system = cls.build(kb)
    found = system.generate([mention(text)], 20)[0]
    scores, best = dense_order(system, kb, text, 20)
    assert [c.score for c in found] == pytest.approx(scores, abs=1e-5)
    for candidate in found:
        assert best[kb.row_of(candidate.id)] == pytest.approx(candidate.score, abs=1e-5)


def test_scispacys_method_has_nothing_to_say_about_a_list_of_four():
    """A piece must be in ten names, as there, to be a feature."""
    assert ids(ScispacyNames.build(KB), "Paris") == []


def test_the_linker_ranks_as_many_as_are_asked_for_and_links_to_the_first():
    linker = LinkerSystem.build(read_demo())
    asked = [mention("Paris", "Paris fled from Troy with Helen.")]
    ranked = [candidate.id for candidate in linker.generate(asked, 60)[0]]
    assert len(ranked) == len(set(ranked)) > linker.linker.config.n_candidates
    assert ranked[0] == linker.linker.link(Document("d", asked[0].document_text)).mentions[0].entity
