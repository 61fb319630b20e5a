"""The one place of the golden matrix that knows the library: builds models, links and explains as a case says.

When the interface changes, this module changes and the frozen files do not.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Sequence
from contextlib import redirect_stdout
from dataclasses import replace
from hashlib import sha256
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

import numpy as np

from deixis.cli.main import main
from deixis.decision.decision import Decision
from deixis.detection.config import FindingConfig
from deixis.documents.corrections import Correction
from deixis.documents.reading import read_documents
from deixis.explanation.explain import explain
from deixis.kb.demo import demo_sentences_path, read_demo
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.linker import Linker
from deixis.linking.config import LinkerConfig
from deixis.linking.model import LinkerModel, Reader, TrainedReranker
from deixis.linking.options import LinkOptions
from deixis.linking.stages.read import possible_links
from deixis.neural.reader.spans import Reading
from deixis.ranking.rerankers.mixing import RerankerScores
from deixis.store.model_folder import open_model
from deixis.training.calibrate import calibrate
from deixis.training.config import TrainingConfig
from deixis.training.detector import fit_detected
from deixis.training.reader import fit_reading, reader_input_of, train_reader
from deixis.training.reranker import train_reranker
from deixis.types import Candidate, Document, Mention
from tests.aviary import aviary, sightings, tiny_encoder
from tests.golden.pipeline_matrix import CORRECTIONS, GIVEN, TEXTS, Case, Spans
from tests.golden.stand_ins import ChecksumReader, ChecksumReranker

N_CANDIDATES = 5  # of each mention that are kept in the frozen file
READER_WEIGHTS = np.array([1.0, -0.5, 0.8, 0.7, -0.4, 1.0])
RAW = LinkerConfig(held_out_share=0.0, finding=FindingConfig(min_documents=5))

Record = list[Any]


def forget() -> None:
    """Lets go of all models: they would stay in memory while other tests run."""
    for cached in (_model, _corrected, _with_vectors, _neural, _kb, _sentences):
        cached.cache_clear()


def linked(case: Case) -> list[Record]:
    """What linking makes of each text of a case: its mentions as rows."""
    return [rows(document) for document in _link(case)]


def explained(case: Case) -> list[dict[str, Any]]:
    """The explanation of every mention that linking tells in a case, as plain dictionaries."""
    model = _corrected(case.odds, case.calibration, case.corrections).model
    records = []
    for document in documents_of(case.texts, case.spans):
        records += explanations(model, document, _options(case))
    return records


def explanations(model: LinkerModel, text: str | Document, options: LinkOptions | None = None) -> list[dict[str, Any]]:
    """The explanation of every mention of one text, as plain dictionaries without sentences."""
    records = explain(model, text, options=options or LinkOptions())
    return [_without_words(record.to_record()) for record in records]


def _without_words(record: Any) -> Any:  # noqa: ANN401 - any JSON
    """The same without the sentences that say what a part of the evidence means: these are words, not results."""
    if isinstance(record, dict):
        return {key: _without_words(each) for key, each in record.items() if key not in ("meaning", "reranked")}
    return [_without_words(each) for each in record] if isinstance(record, (list, tuple)) else record


def rows(document: Document) -> Record:
    """The mentions as [start, end, text, entity, is NIL, score, candidates as [id, score, title]]."""
    return [_row(mention) for mention in document.mentions]


def _row(mention: Mention) -> Record:
    return [
        mention.start, mention.end, mention.text, mention.entity, mention.is_nil, mention.score,
        _candidates(mention.candidates),
    ]  # fmt: skip


def _candidates(listed: Sequence[Candidate]) -> Record:
    return [[each.id, each.score, each.title] for each in listed[:N_CANDIDATES]]


def documents_of(texts: str, spans: Spans) -> list[Document]:
    """The texts of a case: with mentions, without, or every other one with."""
    documents = []
    for number, (lang, text) in enumerate(TEXTS[texts]):
        is_given = spans == "given" or (spans == "mixture" and number % 2 == 0)
        places = sorted((text.index(word), text.index(word) + len(word)) for word in GIVEN if word in text)
        mentions = tuple(Mention(start, end, text[start:end]) for start, end in places) if is_given else ()
        documents.append(Document(f"{texts}-{number}", text, lang=lang, mentions=mentions))
    return documents


def _link(case: Case) -> list[Document]:
    recognizer = _capitalized if case.recognizer else None
    linker = _corrected(case.odds, case.calibration, case.corrections)
    return list(linker.link_many(documents_of(case.texts, case.spans), _options(case), recognizer=recognizer))


def _options(case: Case) -> LinkOptions:
    return LinkOptions(
        types=case.types or (),
        ids=case.ids or (),
        languages=case.languages or (),
        threshold=case.threshold,
        target_precision=case.target_precision,
        rerank=case.rerank,
        overlaps=case.overlaps,
        reader=case.reader,
    )


def _capitalized(texts: Sequence[str]) -> list[list[tuple[int, int]]]:
    """Stands in for an NER: words of five letters or more that begin with a capital."""
    found = []
    for text in texts:
        places = [(text.index(word), text.index(word) + len(word)) for word in dict.fromkeys(text.split())]
        found.append(sorted(span for span in places if text[span[0]].isupper() and span[1] - span[0] >= 5))
    return found


@functools.cache
def _corrected(odds: str, calibration: str, corrections: str) -> Linker:
    model = _model(odds, calibration)
    if corrections == "none":
        return model
    lang, text = TEXTS["corrected"][0]
    told = [
        Correction(text, text.index(words), text.index(words) + len(words), verdict, entity, lang)
        for words, verdict, entity in CORRECTIONS[corrections]
    ]
    return model.correct(told)


@functools.cache
def _model(odds: str, calibration: str) -> Linker:
    """A linker to the demo's entities with a re-ranker and a reader, which are used by who asks for them."""
    learning, held_out = _sentences()
    plain = _staffed(Linker.build(_kb(), learning if odds == "learned" else None, RAW, n_threads=1))
    if calibration == "none":
        return plain
    given = calibrate(plain.model, held_out)
    model = fit_detected(given, held_out, threshold=given.decisions.given.min_probability)
    model = calibrate(model, held_out, rerank=True)
    links = possible_links(model.reader, held_out, *reader_input_of(model, held_out))
    weights, decision = fit_reading(model.kb, held_out, links, None)
    decisions = replace(model.decisions, read=decision)
    return Linker(replace(model, reader=replace(model.reader, weights=weights), decisions=decisions))


def _staffed(linker: Linker) -> Linker:
    model = linker.model
    titles = [model.kb.titles[row] for row in range(len(model.kb))]
    stored: Any = SimpleNamespace(opened=ChecksumReader(titles, Reading))
    decisions = replace(model.decisions, reranked=Decision(threshold=0.3), read=Decision(threshold=0.4))
    reader, reranker = Reader(stored, READER_WEIGHTS), TrainedReranker(ChecksumReranker())
    return Linker(replace(model, reranker=reranker, reader=reader, decisions=decisions))


@functools.cache
def _kb() -> KnowledgeBase:
    return read_demo()


@functools.cache
def _sentences() -> tuple[list[Document], list[Document]]:
    """The demo's sentences: those to learn from, and those held out."""
    documents = list(read_documents(demo_sentences_path()))
    return documents[::2], documents[1::2]


def names_linked() -> dict[str, Callable[[], list[Record]]]:
    """Columns of names, alone and with texts about them."""
    names = ["Paris", "paris", None, "Jordan", "Basaltville", "Michael Jordan", "Москва", ""]
    contexts = ["Helen of Troy", "on the Seine", "nothing", "Amman", None, None, None, "Helen"]
    plain, learned = functools.partial(_model, "rules", "none"), functools.partial(_model, "learned", "annotated")

    def column(make: Callable[[], Linker], about: list[str | None] | None, **options: Any) -> list[Record]:  # noqa: ANN401
        return [_row(mention) for mention in make().link_names(names, about, **options)]

    return {
        f"names, {odds}, {how}": functools.partial(column, make, about, **options)
        for odds, make in (("rules", plain), ("learned", learned))
        for how, about, options in (
            ("alone", None, {}),
            ("in context", contexts, {}),
            ("in context, types=city", contexts, {"types": ("city",)}),
            ("in context, ids", contexts, {"ids": ("paris_mythology", "jordan_country")}),
            ("in context, rerank", contexts, {"rerank": True}),
        )
    }


@functools.cache
def _with_vectors() -> Linker:
    learning, held_out = _sentences()
    config = replace(RAW, candidates=RAW.candidates.with_encoder("chars"))
    return Linker.build(_kb(), learning, config, n_threads=1).calibrate(held_out)


def vectors_linked(contents: str, spans: Spans, types: tuple[str, ...] | None = None) -> list[Record]:
    """What a linker makes of the plain texts that also asks vectors, of descriptions, of contexts, or of both."""
    linker = _with_vectors()
    linked = linker.link_many(documents_of("plain", spans), types=types, vectors=contents)
    return [rows(document) for document in linked]


def nearest_by_vectors(contents: str) -> list[Record]:
    """The candidates that vectors alone list for each given mention."""
    dense = _with_vectors().model.sources.get("vectors").with_contents(contents)
    mentions = [each for document in documents_of("plain", "given") for each in document.mentions_in_context()]
    return [
        [mention.text, _candidates(found)] for mention, found in zip(mentions, dense.generate(mentions, 5), strict=True)
    ]


def neural_linked(part: str, spans: Spans) -> list[Record]:
    """What real ones of the smallest size, hardly trained, make of birds and stones: a `reranker` or a `reader`."""
    asked = [
        document.with_mentions([Mention(m.start, m.end, m.text) for m in document.mentions] if spans == "given" else ())
        for document in sightings(6, seed=2)
    ]
    linked = _neural(part).link_many(asked, rerank=part == "reranker", reader=part == "reader")
    return [rows(document) for document in linked]


@functools.cache
def _neural(part: str) -> Linker:
    with TemporaryDirectory() as folder:
        return _taught(part, Path(folder))


def _taught(part: str, folder: Path) -> Linker:
    from deixis.neural.cross_encoder.config import CrossEncoderConfig
    from deixis.neural.cross_encoder.pairs import PairConfig
    from deixis.neural.reader.config import ReaderConfig

    encoder = tiny_encoder(folder / "encoder")
    model, taught, held_out = Linker.build(aviary(), n_threads=1).model, sightings(16), sightings(24, seed=1)
    if part == "reader":
        reader = ReaderConfig(
            encoder=encoder, n_tokens=16, overlap=4, entity_tokens=12, n_steps=4, batch_size=4, learning_rate=1e-3,
            head_rate=1e-2, n_candidates=4, n_taught=3,
        )  # fmt: skip
        trained = train_reader(model, taught, held_out, TrainingConfig(reader=reader)).model
        return Linker(trained).with_options(threshold=0.3)
    rerank = CrossEncoderConfig(
        encoder=encoder, pairs=PairConfig(n_tokens=48), epochs=1, batch_size=8, learning_rate=1e-3, n_taught=3,
        n_candidates=3, max_checked=30,
    )  # fmt: skip
    with patch.object(RerankerScores, "gains", return_value=True):  # so hardly trained it would not count
        trained = train_reranker(model, taught, held_out, TrainingConfig(reranker=rerank), folder / "work").model
    return Linker(trained).with_options(
        threshold=0.05, rerank=True
    )  # its own one lies among scores that differ by rounding


def evaluated() -> list[dict[str, Any]]:
    """The rows of `deixis eval --json` of a small model, without what depends on the machine's speed."""
    with TemporaryDirectory() as folder:
        return _evaluated(Path(folder))


def _evaluated(folder: Path) -> list[dict[str, Any]]:
    Linker.build(aviary(), n_threads=1).save(folder / "model")
    gold = folder / "gold.jsonl"
    lines = [
        json.dumps({"id": d.id, "text": d.text, "mentions": [_gold(m) for m in d.mentions]}) for d in sightings(12)
    ]
    gold.write_text("\n".join(lines) + "\n", encoding="utf-8")
    with redirect_stdout(StringIO()) as out:
        assert main(["eval", str(folder / "model"), str(gold), "--json", "--threads", "1"]) == 0
    found = [json.loads(line) for line in out.getvalue().splitlines()]
    return [
        {key: row[key] for key in ("system", "metric", "value", "low", "high", "n") if key in row}
        for row in found
        if "per_second" not in row["metric"]
    ]


def _gold(mention: Mention) -> dict[str, Any]:
    return {"start": mention.start, "end": mention.end, "entity": mention.entity}


def demo_arrays() -> dict[str, dict[str, Any]]:
    """Type, shape and checksum of every array of a saved demo model, by name."""
    with TemporaryDirectory() as folder:
        Linker.build(read_demo(), n_threads=1).save(Path(folder) / "demo")
        return {name: _array(array) for name, array in sorted(open_model(Path(folder) / "demo").arrays.items())}


def _array(array: Any) -> dict[str, Any]:  # noqa: ANN401 - any array
    checksum = sha256(np.ascontiguousarray(array).tobytes()).hexdigest()
    return {"dtype": str(array.dtype), "shape": list(array.shape), "sha256": checksum}
