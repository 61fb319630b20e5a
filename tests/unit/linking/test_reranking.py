"""A second look at the best candidates: asked for, decided by rules of its own, saved, and opened only when needed."""

import numpy as np
import pytest
from scipy import sparse

from deixis.detection.config import FindingConfig
from deixis.errors import ConfigError, StoreError
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.linking.calibration import Calibration
from deixis.linking.config import LinkerConfig
from deixis.linking.linker import Linker
from deixis.linking.nil import NilRule
from deixis.linking.reranking import Reranking, StoredReranker
from deixis.linking.seen import SeenDocuments
from deixis.types import Document, Mention

KB = KnowledgeBase.from_records([
    {"id": "city", "title": "Paris", "description": "capital of France on the Seine", "types": ["city"]},
    {"id": "prince", "title": "Paris", "description": "prince of Troy who took Helen", "types": ["man"]},
    {"id": "town", "title": "Paris", "description": "town in Texas", "types": ["city"]},
    {"id": "troy", "title": "Troy", "description": "ancient city besieged by the Greeks", "types": ["city"]},
])  # fmt: skip
TEXT = "The Seine flows through Paris."


class Contrarian:
    """Puts the last of the best candidates first, with a score of its own."""

    n_candidates = 3

    def __init__(self, score=0.9):
        self.score = score
        self.n_read = []

    def rank(self, mentions, ranked):
        data, indices = ranked.data.copy(), ranked.indices.copy()
        for begin, end in zip(ranked.indptr[:-1], ranked.indptr[1:], strict=True):
            self.n_read.append(int(end - begin))
            indices[begin:end] = indices[begin:end][::-1]
            data[begin:end] = self.score / 2 ** np.arange(end - begin)
        return sparse.csr_matrix((data, indices, ranked.indptr), shape=ranked.shape)

    def to_arrays(self, prefix):
        return {f"{prefix}.score": np.array([self.score])}


@pytest.fixture(scope="module")
def linker():
    return Linker.build(KB)


def annotated(n=40):
    texts = [f"{TEXT} {number}" for number in range(n)]
    return [Document(str(i), text, mentions=(Mention(24, 29, "Paris", "city"),)) for i, text in enumerate(texts)]


def entities(document):
    return [mention.entity for mention in document.mentions]


def test_a_linker_without_a_reranker_says_how_to_get_one(linker):
    for ask in (linker.link, linker.link_stream, lambda text, rerank: linker.link([text], rerank=rerank)):
        with pytest.raises(ConfigError, match="deixis learn MODEL --mentions train.jsonl --rerank"):
            ask(TEXT, rerank=True)
    with pytest.raises(ConfigError, match="no re-ranker"):
        linker.calibrate(annotated(), rerank=True)


def test_a_second_look_is_taken_only_when_asked_for(linker):
    ranker = Contrarian()
    contrary = linker.with_reranking(Reranking(ranker))
    assert contrary.link(TEXT) == linker.link(TEXT) and entities(linker.link(TEXT)) == ["city"]
    assert not ranker.n_read
    before = [candidate.id for candidate in linker.link(TEXT).mentions[0].candidates]
    (mention,) = contrary.link(TEXT, rerank=True).mentions
    assert [candidate.id for candidate in mention.candidates] == before[::-1]
    assert mention.score == pytest.approx(0.9)
    assert list(contrary.link_stream([TEXT], rerank=True)) == contrary.link([TEXT], rerank=True)


def test_where_chances_find_mentions_the_second_look_says_what_they_mean_and_what_that_is_worth():
    config = LinkerConfig(finding=FindingConfig(min_names=0))
    linker, ranker = Linker.build(KB, config=config, n_threads=1), Contrarian()
    contrary = linker.with_reranking(Reranking(ranker))
    told = {"recognize": lambda texts: [[(24, 29)] for _ in texts]}  # or a name of three bearers would be unlikely
    before, after = linker.link(TEXT, **told).mentions, contrary.link(TEXT, rerank=True, **told).mentions
    assert [(m.start, m.end) for m in before] == [(m.start, m.end) for m in after]
    assert len(ranker.n_read) == len(after)  # no span that is no mention costs anything
    first, then = (next(m for m in mentions if m.text == "Paris") for mentions in (before, after))
    assert (first.entity, then.candidates[0].id) == ("city", first.candidates[-1].id)
    assert 0 < then.score < 1 and then.score != first.score
    assert contrary.link([TEXT], rerank=True) == list(contrary.link_stream([TEXT], rerank=True))
    sceptical = linker.with_reranking(Reranking(Contrarian(1e-9)))
    assert all(mention.score < 0.1 and mention.is_nil for mention in sceptical.link(TEXT, rerank=True, **told).mentions)
    given = Document("d", TEXT, mentions=(Mention(24, 29, "Paris"),))
    assert contrary.link(given, rerank=True).mentions[0].score == pytest.approx(0.9)


def test_it_reads_as_many_candidates_as_it_was_taught_to_however_few_are_wanted(linker):
    ranker = Contrarian()
    asked = Document("d", TEXT, mentions=(Mention(24, 29, "Paris"),)).mentions_in_context()
    (best,) = linker.with_reranking(Reranking(ranker)).ranked(asked, k=1, rerank=True)
    assert len(best) == 1 and ranker.n_read == [3]
    deep = linker.ranked(asked, k=3)[0]
    assert best[0].id == deep[-1].id


def test_a_filter_holds_for_the_second_look_too(linker):
    contrary = linker.with_reranking(Reranking(Contrarian()))
    (mention,) = contrary.link(TEXT, types="city", rerank=True).mentions
    assert {candidate.id for candidate in mention.candidates} <= {"city", "town", "troy"}


def test_the_second_look_has_a_threshold_and_a_calibration_of_its_own(linker):
    strict = linker.with_reranking(Reranking(Contrarian(0.4), nil=NilRule(0.5)))
    assert entities(strict.link(TEXT)) == ["city"] and entities(strict.link(TEXT, rerank=True)) == [None]
    calibrated = strict.calibrate(annotated(), NilRule(0.25), rerank=True)
    assert calibrated.calibration is linker.calibration and calibrated.config == linker.config
    assert calibrated.reranking.nil == NilRule(0.25)
    # It is always wrong, and says so now.
    assert calibrated.link(TEXT, rerank=True).mentions[0].score < 0.2
    assert calibrated.link(TEXT) == linker.link(TEXT)


def test_a_model_keeps_its_second_look_and_opens_it_only_when_asked(linker, tmp_path):
    seen = SeenDocuments.of(annotated(3))
    judged = linker.judged(annotated())
    reranking = Reranking(Contrarian(), Calibration.fit(judged), NilRule(0.3, 0.9), seen)
    linker.with_reranking(reranking).save(tmp_path / "model")
    loaded = Linker.load(tmp_path / "model")
    assert loaded.link(TEXT) == linker.link(TEXT)
    again = loaded.reranking
    assert again.nil == NilRule(0.3, 0.9) and again.learned_from.hashes.tolist() == seen.hashes.tolist()
    assert again.calibration.held_out.scores.tolist() == reranking.calibration.held_out.scores.tolist()
    assert isinstance(again.ranker, StoredReranker) and "opened" not in vars(again.ranker)
    loaded.save(tmp_path / "copy")  # also without opening it
    copied = Linker.load(tmp_path / "copy").reranking.ranker.to_arrays("here")
    assert {name: array.tolist() for name, array in copied.items()} == {"here.score": [0.9]}
    assert Linker.load(tmp_path / "model").with_reranking(None).reranking is None


def test_a_damaged_rule_is_refused(linker, tmp_path):
    arrays = Reranking(Contrarian()).to_arrays("reranking")
    with pytest.raises(StoreError, match=r"reranking\.nil"):
        Reranking.from_arrays(arrays | {"reranking.nil": np.zeros(3)}, "reranking", KB)
