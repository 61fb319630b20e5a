"""Spans of many lists with what is right, to learn from what a mention looks like: annotated texts, and made ones.

Annotated: AIDA (train), Reddit (dev halves), NCBI and BC5CDR (train), each with its list; GeoNames with other documents
of AIDA; and hundreds of lists of two to fifty entities drawn from these. Made: names of further lists put into
sentences, in the case and number in which people write them. Test splits are never read.
"""

import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from benchmarks.quality.end_to_end import read_tasks
from benchmarks.quality.ranker import SUITES
from benchmarks.suites.data import DataFolder
from benchmarks.suites.melo import melo_records
from benchmarks.suites.suite import read_suite
from deixis.detection.config import FindingConfig
from deixis.detection.detector import SpanDetector, all_spans
from deixis.detection.span_features import own_features
from deixis.detection.spans import Sign, SpanTable
from deixis.detection.words import common_words
from deixis.documents.reading import read_documents
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.store.strings import StringTable
from deixis.training.detector import GoldSpans, build_detector, gold_spans
from deixis.types import Document

N_DOCUMENTS = 150  # of each annotated set
START_FRACTION = 0.15  # of the sentences, which begin with the name
MISSPELT_FRACTION = 0.1  # of the names put into sentences
N_SENTENCES = 700  # of each made set
FOREIGN_WEIGHT = 0.25  # of MeSH names of kinds that BC5CDR does not annotate, as wrong answers
SIZES = (2, 3, 5, 10, 20, 50)  # entities of short lists
N_SHORT_LISTS = 60  # from each corpus
CONFIG = FindingConfig()

KINDS = {
    "species": r"\bis (?:a|an|the) (?:\w+ ){0,3}(?:species|genus|breed|bird|fish|plant|tree|animal|mammal)\b",
    "things": r"\bis (?:a|an) (?:\w+ ){0,2}(?:type|kind|form|tool|device|dish|food|machine|vehicle|instrument|drink)\b",
    "diseases": r"\bis (?:a|an|the) (?:\w+ ){0,4}(?:disease|disorder|syndrome|infection|cancer|condition)\b",
    "towns": r"\bis (?:a|the) (?:\w+ ){0,3}(?:town|city|village|municipality|commune)\b",
    "people": r"\b(?:is|was) an? (?:[\w-]+ ){0,4}(?:player|politician|actor|actress|singer|writer|painter)\b",
    "works": r"\bis (?:a|an|the) (?:[\w-]+ ){0,5}(?:film|album|novel|song|series|video game)\b",
    "firms": r"\bis (?:a|an) (?:[\w-]+ ){0,4}(?:company|corporation|manufacturer|retailer|bank)\b",
}
PROPER = ("towns", "people", "works", "firms")  # kinds whose names are written with a capital
_BEFORE = re.compile(r"\b(the|a|an|of|with|for|by|in|and|his|her|from|to) ([a-z]+)\b")
_VERBAL = re.compile(r"\b(?:to|will|would|can|could|should|must|might|I|you|we|they|he|she|not)\s+$")


@dataclass(frozen=True, eq=False)
class SpanSet:
    """Spans by features, which of them are mentions, and what each weighs; 0 for those of which nothing is known."""

    name: str
    family: str
    features: NDArray[np.float32]
    is_mention: NDArray[np.bool_]
    weights: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class AnnotatedSet:
    """Documents, the list they are about, and the gold spans of its entities."""

    name: str
    family: str
    kb: KnowledgeBase
    documents: list[Document]
    gold: GoldSpans

    @property
    def texts(self) -> list[str]:
        """The texts of the documents."""
        return [document.text for document in self.documents]


def annotated_sets(data: DataFolder) -> list[AnnotatedSet]:
    """The annotated documents of each list."""
    wiki = data.read_kb(read_suite(SUITES / "wiki468k-aida.yaml").kb)
    mesh = data.read_kb(read_suite(SUITES / "mesh-bc5cdr.yaml").kb)
    medic = data.read_kb(read_suite(SUITES / "medic-ncbi.yaml").kb)
    sets = []
    for name, family, kb, suite in (
        ("aida", "wiki468k", wiki, "wiki468k-aida"),
        ("reddit-posts", "wiki468k", wiki, "reddit-posts"),
        ("reddit-comments", "wiki468k", wiki, "reddit-comments"),
        ("ncbi", "medic", medic, "medic-ncbi"),
        ("bc5cdr", "mesh", mesh, "mesh-bc5cdr"),
        ("bc5cdr-diseases", "medic", medic, "mesh-bc5cdr"),
    ):
        sets.append(_annotated(name, family, kb, _documents(data, suite)))
    return sets


def _documents(data: DataFolder, name: str) -> list[Document]:
    """Documents to learn from: training documents that are not asked on dev, and Reddit's dev halves."""
    suite = read_suite(SUITES / f"{name}.yaml")
    taught, tasks = read_tasks(data, [suite], "dev", None)
    documents = taught
    if name.startswith("reddit"):
        documents = [document for task in tasks for document in task.documents]
    drawn = np.random.default_rng(0).permutation(len(documents))[:N_DOCUMENTS]
    return [documents[number] for number in drawn]


def _annotated(name: str, family: str, kb: KnowledgeBase, documents: list[Document]) -> AnnotatedSet:
    return AnnotatedSet(name, family, kb, documents, gold_spans(documents, kb.own_id))


def span_sets(data: DataFolder, annotated: Sequence[AnnotatedSet]) -> Iterator[SpanSet]:
    """All sets to learn the weights of features from."""
    detectors: dict[int, SpanDetector] = {}
    for each in annotated:
        detector = detectors.setdefault(id(each.kb), build_detector(each.kb, (), CONFIG))
        table = all_spans(detector.names, (), each.texts, CONFIG)
        weights = np.ones(len(table))
        if each.name == "bc5cdr":
            medic = next(other.kb for other in annotated if other.family == "medic")
            weights[_is_foreign(each, detector, table, medic)] = FOREIGN_WEIGHT
        yield _shown(_set_of(each.name, each.family, detector, table, each.gold, weights))
    yield _shown(geonames_set(data))
    yield _shown(wordnet_set(data))
    yield _shown(short_lists(annotated))
    yield from (_shown(each) for each in made_sets(data, annotated))


def _set_of(
    name: str, family: str, detector: SpanDetector, table: SpanTable, gold: GoldSpans, weights: NDArray[np.float64]
) -> SpanSet:
    is_mention = np.fromiter((place in gold for place in table.positions()), dtype=bool, count=len(table))
    weights[is_mention] = 1.0
    return SpanSet(name, family, own_features(table, detector.scorer.facts), is_mention, weights)


def _shown(each: SpanSet) -> SpanSet:
    print(f"{each.name}: {len(each.weights):,} spans, {each.is_mention.sum():,} mentions", file=sys.stderr, flush=True)
    return each


def _is_foreign(
    each: AnnotatedSet, detector: SpanDetector, table: SpanTable, medic: KnowledgeBase
) -> NDArray[np.bool_]:
    """Which spans name only entities of kinds that the documents do not annotate."""
    annotated = {entity for accepted in each.gold.values() for entity in accepted}
    names, rows = each.kb.names()
    is_own = np.array(
        [name.startswith("C") or name in annotated or medic.row_of(f"MESH:{name}") is not None or
         medic.row_of(name) is not None for name in each.kb.ids]
    )  # fmt: skip
    numbers = detector.names.numbers(names)
    has_own = np.zeros(detector.names.n_numbers + 1, dtype=bool)
    has_own[numbers[is_own[rows] & (numbers >= 0)]] = True
    return (table.names >= 0) & ~has_own[table.names]


def geonames_set(data: DataFolder) -> SpanSet:
    """Places in AIDA's training documents: mentions of pages that are called like a place on the list."""
    kb = KnowledgeBase.read(data.find("geonames/kb.jsonl.gz"))
    documents = list(read_documents(data.find("aida/train.jsonl.gz")))
    drawn = np.random.default_rng(1).permutation(len(documents))[:N_DOCUMENTS]
    documents = [documents[number] for number in drawn]
    detector = build_detector(kb, (), CONFIG)
    titles = [re.sub(r" \(.*\)$", "", m.entity or "") for document in documents for m in document.mentions]
    is_place = iter(detector.names.numbers(StringTable.from_strings(titles)) >= 0)
    gold: GoldSpans = {}
    unclear: list[tuple[int, int, int]] = []
    for number, document in enumerate(documents):
        for mention in document.mentions:
            place, title = (number, mention.start, mention.end), re.sub(r" \(.*\)$", "", mention.entity or "")
            if next(is_place) and mention.text.lower() in title.lower():
                gold[place] = frozenset({title})
            elif not title.endswith(f" {mention.text}"):
                unclear.append(place)
    table = all_spans(detector.names, (), [document.text for document in documents], CONFIG)
    weights = np.ones(len(table))
    for number, start, end in unclear:
        weights[(table.texts == number) & (table.starts < end) & (table.ends > start)] = 0.0
    return _set_of("geonames", "geonames", detector, table, gold, weights)


def wordnet_set(data: DataFolder) -> SpanSet:
    """The words of WordNet in its own examples, of the dev half; most of what else is found there is a word of it."""
    suite = read_suite(SUITES / "wordnet.yaml")
    kb = data.read_kb(suite.kb)
    documents = [document for part in suite.parts("dev") for document in data.read_part(suite, part)]
    drawn = np.random.default_rng(7).permutation(len(documents))[:N_SENTENCES]
    documents = [documents[number] for number in drawn]
    detector = build_detector(kb, (), CONFIG, n_threads=1)
    table = all_spans(detector.names, (), [document.text for document in documents], CONFIG)
    gold = gold_spans(documents, kb.own_id)
    is_wrong = table.has(Sign.STOP_WORDS) | (table.names < 0)
    is_wrong |= table.has(Sign.LISTED_CAPITALS) & ~table.has(Sign.CAPITALS)
    by_document: dict[int, list[tuple[int, int]]] = {}
    for number, start, end in gold:
        by_document.setdefault(number, []).append((start, end))
    for row, (number, start, end) in enumerate(table.positions()):
        is_wrong[row] |= any(start < other_end and other < end for other, other_end in by_document.get(number, ()))
    return _set_of("wordnet", "wordnet", detector, table, gold, is_wrong.astype(np.float64))


def short_lists(annotated: Sequence[AnnotatedSet]) -> SpanSet:
    """Lists of a few entities of each corpus, half of them meant in the documents that are searched."""
    rng = np.random.default_rng(2)
    parts: list[SpanSet] = []
    for each in annotated:
        by_document: dict[int, list[tuple[tuple[int, int, int], frozenset[str]]]] = {}
        for place, accepted in each.gold.items():
            by_document.setdefault(place[0], []).append((place, accepted))
        numbers = sorted(by_document)
        for k in range(N_SHORT_LISTS):
            own = rng.choice(numbers, size=min(6, len(numbers)), replace=False).tolist()
            size = SIZES[k % len(SIZES)]
            meant = sorted({min(accepted) for number in own for _, accepted in by_document[number]})
            meant = [meant[place] for place in rng.permutation(len(meant))[: max(1, size // 2)]]
            rows = {*each.kb.rows_of(meant).tolist(), *rng.integers(len(each.kb), size=size - len(meant)).tolist()}
            chosen = {each.kb.ids[row] for row in rows}
            detector = build_detector(each.kb.take(sorted(rows)), (), CONFIG, n_threads=1)
            table = all_spans(detector.names, (), [each.documents[number].text for number in own], CONFIG)
            gold: GoldSpans = {
                (at, place[1], place[2]): accepted
                for at, number in enumerate(own)
                for place, accepted in by_document[number]
                if accepted & chosen
            }
            part = _set_of(each.name, "short", detector, table, gold, np.ones(len(table)))
            # A list of two has a handful of names in a text, and thousands of runs that no list has.
            is_run = table.names < 0
            is_kept = ~is_run | (rng.random(len(table)) < 0.1)
            parts.append(SpanSet("", "", part.features[is_kept], part.is_mention[is_kept], part.weights[is_kept]))
    return _joined("short lists", "short", parts)


def made_sets(data: DataFolder, annotated: Sequence[AnnotatedSet]) -> Iterator[SpanSet]:
    """Names of further lists in sentences: occupations, chemicals, and kinds of entities by their first sentence."""
    wiki = next(each.kb for each in annotated if each.family == "wiki468k")
    mesh = next(each.kb for each in annotated if each.family == "mesh")
    sentences = _sentences(wiki)
    esco = KnowledgeBase.from_records(melo_records(data.find("melo/usa_q_en_c_en")))
    yield _made("occupations", "esco", esco, sentences[:N_SENTENCES])
    chemicals = [row for row, name in enumerate(mesh.ids) if name.startswith("C")]
    yield _made("chemicals", "mesh", mesh.take(chemicals[::10]), sentences[:N_SENTENCES])
    starts = [text[:160] for text in wiki.description_texts()]
    short: list[SpanSet] = []
    for kind, pattern in KINDS.items():
        rows = [row for row, text in enumerate(starts) if re.search(pattern, text)]
        rows = np.random.default_rng(3).permutation(rows)[:5_000].tolist()
        kb, is_lower = wiki.take(sorted(rows)), kind not in PROPER
        yield _made(kind, "wiki468k", kb, sentences[:N_SENTENCES], is_lower)
        short += _short_made(kind, kb, sentences, is_lower)
    yield _joined("short made lists", "short", short)


def _short_made(kind: str, kb: KnowledgeBase, sentences: list[str], is_lower: bool) -> Iterator[SpanSet]:
    """Lists of a few entities of a kind in sentences, many of them called like a common word.

    Among proper names the sentences that have this word in lower case are searched, too: it is not the name there.
    """
    rng = np.random.default_rng(6)
    by_word: dict[str, list[str]] = {}
    for sentence in sentences:
        for word in set(re.findall(r"\b[a-z]{3,}\b", sentence)):
            by_word.setdefault(word, []).append(sentence)
    common = set(common_words())
    has_common = np.array([title.casefold() in common and title.casefold() in by_word for title in kb.titles])
    for k in range(N_SHORT_LISTS):
        size = SIZES[k % len(SIZES)]
        likely = rng.permutation(np.flatnonzero(has_common))[: (size + 1) // 2]
        rows = {*likely.tolist(), *rng.integers(len(kb), size=size - len(likely)).tolist()}
        own = kb.take(sorted(rows))
        with_word = [text for title in own.titles for text in by_word.get(title.casefold(), ())[:3]]
        chosen = [sentences[place] for place in rng.integers(len(sentences), size=10).tolist()]
        yield _made(kind, "short", own, chosen, is_lower, [] if is_lower else with_word[:20])


def _joined(name: str, family: str, parts: Sequence[SpanSet]) -> SpanSet:
    return SpanSet(
        name, family, np.concatenate([part.features for part in parts]),
        np.concatenate([part.is_mention for part in parts]), np.concatenate([part.weights for part in parts]),
    )  # fmt: skip


def _sentences(kb: KnowledgeBase) -> list[str]:
    """Sentences of descriptions, without the first, which names the entity."""
    rng = np.random.default_rng(4)
    sentences: list[str] = []
    for text in kb.description_texts(rng.permutation(len(kb))[:60_000]):
        for sentence in re.split(r"(?<=[a-z]\.) +", text)[1:-1]:
            if 40 <= len(sentence) <= 200 and _BEFORE.search(sentence):
                sentences.append(sentence)
        if len(sentences) >= 20 * N_SENTENCES:
            return sentences
    return sentences


def _made(
    name: str, family: str, kb: KnowledgeBase, sentences: list[str], is_lower: bool = True, others: Sequence[str] = ()
) -> SpanSet:
    """Names of a list in sentences; what else is found there counts as wrong only where it surely is.

    `is_lower` says that the list's names are common nouns; `others` are sentences without such a name.
    """
    rng = np.random.default_rng(5)
    detector = build_detector(kb, (), CONFIG, n_threads=1)
    names = [re.sub(r" \(.*\)$", "", each) for each in kb.names()[0]]
    texts, gold, places = [], {}, []
    for number, sentence in enumerate(sentences):
        matches = list(_BEFORE.finditer(sentence))
        match = matches[int(rng.integers(len(matches)))]
        written = names[int(rng.integers(len(names)))]
        if is_lower:
            if rng.random() < 0.75 and not written.isupper():
                written = written.lower()
            if rng.random() < 0.2 and written[-1:].isalpha() and written.islower() and not written.endswith("s"):
                written += "s"
        if rng.random() < MISSPELT_FRACTION:
            written = _misspelt(written, rng)
        start = match.start(2)
        if rng.random() < START_FRACTION:
            start, written = 0, written[:1].upper() + written[1:]
            verb = ("is", "was", "has", "can be")[int(rng.integers(4))]
            texts.append(f"{written} {verb} {sentence[match.start() :]}")
        else:
            texts.append(sentence[:start] + written + sentence[match.end(2) :])
        gold[number, start, start + len(written)] = frozenset({written})
        places.append((start, start + len(written)))
    texts += others
    places += [(-1, -1)] * len(others)
    table = all_spans(detector.names, (), texts, CONFIG)
    is_wrong = table.has(Sign.STOP_WORDS) | (table.names < 0)
    is_wrong |= table.has(Sign.LISTED_CAPITALS) & ~table.has(Sign.CAPITALS)
    if not is_lower:
        is_wrong |= table.has(Sign.LOWER_CASE)
        is_wrong |= table.has(Sign.BEGINS_SENTENCE) & (table.lower_shares > 0.5) & (table.n_words == 1)
    for row, (number, start, end) in enumerate(table.positions()):
        is_wrong[row] |= _VERBAL.search(texts[number][:start]) is not None
        # A span that overlaps the name is another reading of it.
        is_wrong[row] |= start < places[number][1] and places[number][0] < end
    return _set_of(name, family, detector, table, gold, is_wrong.astype(np.float64))


def _misspelt(name: str, rng: np.random.Generator) -> str:
    """The name with one letter of a long word left out, doubled or changed, if it has a long word."""
    words = [match for match in re.finditer(r"[A-Za-z]{7,}", name)]
    if not words:
        return name
    word = words[int(rng.integers(len(words)))]
    at = int(rng.integers(word.start() + 1, word.end()))
    letter = "abcdefghijklmnopqrstuvwxyz"[int(rng.integers(26))]
    changed = (name[:at] + name[at + 1 :], name[:at] + name[at - 1] + name[at:], name[:at] + letter + name[at + 1 :])
    return changed[int(rng.integers(3))]
