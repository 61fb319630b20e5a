"""What `score_weights` learns from: whole lists, lists with entities hidden, short lists, foreign and invented names.

A world is one list with mentions asked of it, and what the ranker says of each. Train and dev splits only.
"""

import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from benchmarks.suites.data import DataFolder, half_of
from benchmarks.suites.suite import KbSource
from benchmarks.suites.wordnet_examples import wordnet_documents
from deixis.documents.reading import read_documents
from deixis.evaluation.pairing import distinct
from deixis.features.tokens import tokenize
from deixis.gold import acceptable_ids
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.linker import Linker
from deixis.linking.batching import mention_batches
from deixis.linking.config import LinkerConfig
from deixis.linking.model import LinkerModel
from deixis.linking.stages.rank import evidence_of_list
from deixis.ranking.ranker import softmax_scores
from deixis.tables import EntityMask
from deixis.types import Document, MentionInContext

WORDNET = "/usr/share/wordnet"
SHARPNESSES = np.round(np.arange(0.7, 1.61, 0.05), 2)  # of the softmax that are tried
N_MENTIONS = 1500  # of one world
N_INVENTED = 300
MAX_DOCUMENTS = 1000  # that are asked of one short list
MELO = {"en": "usa_q_en_c_en", "de": "deu_q_de_c_de", "es": "esp_q_es_c_es", "sv": "swe_q_sv_c_sv"}
LISTS = {2: 60, 10: 30, 100: 10, 1000: 3, 10_000: 1}  # entities of a short list -> how many lists are drawn
CONFIG = LinkerConfig(held_out_share=0.0)
NO_KB = KnowledgeBase.from_records([{"id": "-", "title": "-"}])

Reader = Callable[[DataFolder], list[Document]]


@dataclass(frozen=True, eq=False)
class World:
    """One list and the mentions asked of it; a row of each array for a mention.

    `best_shares` and `right_shares` are the shares of the best candidate and of the right ones by each sharpness.
    """

    name: str
    family: str
    importance: float
    documents: NDArray[np.int64]
    evidence: NDArray[np.float32]
    best_shares: NDArray[np.float64]
    right_shares: NDArray[np.float64]
    is_right: NDArray[np.bool_]
    is_proposed: NDArray[np.bool_]
    is_known: NDArray[np.bool_]

    @property
    def is_small(self) -> bool:
        """Whether its list was drawn from a longer one."""
        return ", list of " in self.name

    @classmethod
    def joined(cls, name: str, family: str, importance: float, parts: Sequence["World"]) -> "World":
        """Worlds of several lists as one; their documents stay apart."""
        first = np.cumsum([0, *(int(part.documents.max(initial=-1)) + 1 for part in parts)])
        documents = np.concatenate([part.documents + start for part, start in zip(parts, first, strict=False)])
        fields = ("evidence", "best_shares", "right_shares", "is_right", "is_proposed", "is_known")
        columns = (np.concatenate([getattr(part, field) for part in parts]) for field in fields)
        return cls(name, family, importance, documents, *columns)


def ask(
    name: str,
    family: str,
    model: LinkerModel,
    mentions: Sequence[MentionInContext],
    accepted: Sequence[frozenset[str]],
    mask: EntityMask | None = None,
    importance: float = 1.0,
) -> World:
    """What the ranker says of the mentions; what the mask hides is no answer."""
    answers = [set(model.kb.rows_of(sorted(ids)).tolist()) for ids in accepted]
    if mask is not None:
        answers = [{row for row in rows if mask[row]} for rows in answers]
    parts = []
    for batch in mention_batches(mentions):
        own, own_answers = mentions[batch], answers[batch]
        table = model.sources.propose(own, mask)
        ranked, best = model.ranker.rank_with_best(own, table, 1)
        totals = model.ranker.totals(own, model.ranker.features(own, table), table)
        pairs = zip(table.mention_numbers.tolist(), table.rows.tolist(), strict=True)
        is_gold = np.array([row in own_answers[number] for number, row in pairs], dtype=bool)
        by_sharpness = [softmax_scores(totals * sharpness, table).astype(np.float64) for sharpness in SHARPNESSES]
        n = len(own)
        best_shares, right_shares = np.zeros((n, len(SHARPNESSES))), np.zeros((n, len(SHARPNESSES)))
        for column, share in enumerate(by_sharpness):
            np.maximum.at(best_shares[:, column], table.mention_numbers, share)
            np.add.at(right_shares[:, column], table.mention_numbers[is_gold], share[is_gold])
        is_right = np.array(
            [row in rows for row, rows in zip(best.rows.tolist(), own_answers, strict=True)], dtype=bool
        )
        is_proposed = np.bincount(table.mention_numbers[is_gold], minlength=n) > 0
        parts.append((evidence_of_list(model.kb, own, best, mask), best_shares, right_shares, is_right, is_proposed))
    columns = [np.concatenate(column) for column in zip(*parts, strict=True)]
    ids = {text: number for number, text in enumerate(dict.fromkeys(each.document_text for each in mentions))}
    documents = np.array([ids[each.document_text] for each in mentions], dtype=np.int64)
    print(f"{name}: {len(mentions)} mentions, {np.mean([bool(a) for a in answers]):.2f} on it", file=sys.stderr)
    return World(name, family, importance, documents, *columns, np.array([bool(a) for a in answers]))


def questions(
    kb: KnowledgeBase, documents: Sequence[Document], most: int = N_MENTIONS
) -> tuple[list[MentionInContext], list[frozenset[str]]]:
    """The annotated mentions of whole documents until there are enough, and the ids of `kb` that answer each."""
    mentions, accepted = list[MentionInContext](), list[frozenset[str]]()
    for document in documents:
        if len(mentions) >= most:
            break
        for gold, mention in zip(document.mentions, document.mentions_in_context(), strict=True):
            if gold.is_decided:
                mentions.append(mention)
                accepted.append(frozenset() if gold.entity is None else acceptable_ids(gold.entity, kb.own_id))
    return mentions, accepted


def hidden(n_entities: int, share: float, seed: int = 0) -> EntityMask:
    """A mask that hides this share of the entities."""
    return np.random.default_rng(seed).random(n_entities) >= share


def file_documents(path: str) -> Reader:
    """Reads an annotated file; of one without splits the dev half, in an order drawn once."""

    def read(data: DataFolder) -> list[Document]:
        file = data.find(f"{path}.jsonl.gz")
        documents = list(distinct(read_documents(file), str(file), skipped={}))
        documents = [each for each in documents if not path.endswith("/test") or half_of(each.id) == "dev"]
        return drawn(documents)

    return read


def dev_wordnet(data: DataFolder) -> list[Document]:
    """The dev half of WordNet's examples."""
    return drawn([each for each in wordnet_documents(data.find(WORDNET)) if half_of(each.id) == "dev"])


def dev_melo(lang: str) -> Reader:
    """The dev half of a MELO set's queries."""
    from benchmarks.suites.melo import melo_documents

    return lambda data: drawn(
        [each for each in melo_documents(data.find(f"melo/{MELO[lang]}")) if half_of(each.id) == "dev"]
    )


def drawn(documents: list[Document]) -> list[Document]:
    """The documents in an order that is the same in every run."""
    order = np.random.default_rng(0).permutation(len(documents))
    return [documents[number] for number in order.tolist()]


FAMILIES: dict[str, tuple[KbSource, dict[str, Reader], dict[str, tuple[Reader, float]], tuple[int, ...]]] = {
    "Wikipedia": (
        KbSource("wiki468k/kb.jsonl.gz", "kb", "en"),
        {
            "AIDA train": file_documents("aida/train"),
            "Reddit posts": file_documents("reddit_posts/test"),
            "Reddit comments": file_documents("reddit_comments/test"),
        },
        {"AIDA train": (file_documents("aida/train"), 0.3), "Reddit posts": (file_documents("reddit_posts/test"), 0.4)},
        (2, 10, 100, 1000, 10_000),
    ),
    "MEDIC": (
        KbSource("medic/kb.jsonl.gz", "kb", "en"),
        {"NCBI dev": file_documents("ncbi/dev")},
        {"NCBI train": (file_documents("ncbi/train"), 0.3)},
        (2, 10, 100, 1000),
    ),
    "MeSH": (
        KbSource("mesh/kb.jsonl.gz", "kb", "en"),
        {"BC5CDR dev": file_documents("bc5cdr/dev")},
        {"BC5CDR train": (file_documents("bc5cdr/train"), 0.3)},
        (),
    ),
    "ESCO": (
        KbSource("melo/usa_q_en_c_en", "melo", "en"),
        {"MELO en": dev_melo("en")},
        {"MELO en": (dev_melo("en"), 0.35)},
        (2, 10, 100),
    ),
    "WordNet": (
        KbSource(WORDNET, "wordnet", "en"),
        {"WordNet dev": dev_wordnet},
        {"WordNet dev": (dev_wordnet, 0.35)},
        (2, 10, 100, 1000),
    ),
}
"""Family -> its list, whole sets, sets with a share of the entities hidden, and sizes of short lists."""
FOREIGN = ("MEDIC", "ESCO")  # of which AIDA's mentions are asked; countries are MeSH descriptors


def worlds_of(data: DataFolder, family: str) -> Iterator[World]:
    """All worlds of one family."""
    source, whole, masked, sizes = FAMILIES[family]
    kb = data.read_kb(source)
    model = Linker.build(kb, config=CONFIG, n_threads=1).model
    for name, read in whole.items():
        yield ask(name, family, model, *questions(kb, read(data)))
    for name, (read, share) in masked.items():
        # The other end of the order: other documents, as far as there are enough.
        yield ask(
            f"{name}, {share:.0%} hidden", family, model, *questions(kb, read(data)[::-1]), hidden(len(kb), share)
        )
    if family in FOREIGN:
        mentions, _ = questions(NO_KB, file_documents("aida/train")(data), 800)
        yield ask(f"AIDA train on {family}", family, model, mentions, [frozenset()] * len(mentions), importance=0.12)
    mentions = invented_mentions(N_INVENTED)
    yield ask(f"invented on {family}", family, model, mentions, [frozenset()] * len(mentions), importance=0.12)
    if family == "ESCO":
        yield from other_melo(data)
    documents = [document for read in whole.values() for document in read(data)]
    for size in sizes:
        yield small_world(family, kb, documents, size)[0]


def other_melo(data: DataFolder) -> Iterator[World]:
    """MELO in other languages, each with its own names, a third of the entities hidden."""
    for lang in ("de", "es", "sv"):
        kb = data.read_kb(KbSource(f"melo/{MELO[lang]}", "melo", lang))
        model = Linker.build(kb, config=CONFIG, n_threads=1).model
        yield ask(
            f"MELO {lang}, 35% hidden", "ESCO", model, *questions(kb, dev_melo(lang)(data)), hidden(len(kb), 0.35)
        )


def small_world(
    family: str,
    kb: KnowledgeBase,
    documents: list[Document],
    size: int,
    seed: int = 0,
    unknown: Sequence[MentionInContext] = (),
) -> tuple[World, World | None]:
    """Lists of a size, built anew: half meant in some documents, a quarter of like titles, a quarter at random.

    Names `unknown` to all lists are dealt out to them, as a world of their own.
    """
    rng = np.random.default_rng([size, seed])
    by_word: dict[str, list[int]] = {}
    for row, title in enumerate(kb.titles.strings(range(len(kb)))):
        for token in tokenize(title):
            by_word.setdefault(token.text, []).append(row)
    parts, nothing = list[World](), list[World]()
    for number in range(LISTS[size]):
        rows, own = drawn_list(kb, documents, by_word, size, rng)
        short = kb.take(np.sort(rows))
        mentions, accepted = questions(short, own, most=4 * N_MENTIONS)
        if size < 1000:
            mentions, accepted = two_to_one(mentions, accepted, rng)
        model = Linker.build(short, config=CONFIG, n_threads=1).model
        if mentions:
            parts.append(ask(f"{family} {size}", family, model, mentions, accepted))
        if dealt := unknown[number :: LISTS[size]]:
            nothing.append(ask(f"unknown to {family} {size}", family, model, dealt, [frozenset()] * len(dealt)))
    name, importance = f"{family}, list of {size:,}", 0.6 if size <= 10 else 1.0
    return World.joined(name, family, importance, parts), World.joined(name, family, 1.0, nothing) if nothing else None


def drawn_list(
    kb: KnowledgeBase, documents: list[Document], by_word: dict[str, list[int]], size: int, rng: np.random.Generator
) -> tuple[NDArray[np.int64], list[Document]]:
    """The rows of a short list, and documents some of whose entities are on it."""
    own, meant = list[Document](), dict[int, None]()
    for number in rng.permutation(len(documents)).tolist():
        own.append(documents[number])
        for mention in documents[number].mentions:
            ids = frozenset() if mention.entity is None else acceptable_ids(mention.entity, kb.own_id)
            meant |= dict.fromkeys(kb.rows_of(sorted(ids))[:1].tolist())
        if len(meant) >= (3 if size < 1000 else 2) * size or len(own) >= MAX_DOCUMENTS:
            break
    chosen = rng.permutation(np.array(list(meant), dtype=np.int64))[: max(1, size // 2)]
    alike = [
        row for each in chosen.tolist() for token in tokenize(kb.titles[each]) for row in by_word[token.text][:200]
    ]
    alike = list(dict.fromkeys(rng.permutation(alike).tolist()))[: max(1, size // 4)] if alike else []
    others = rng.choice(len(kb), min(2 * size, len(kb)), replace=False).tolist()
    rows = list(dict.fromkeys([*chosen.tolist(), *alike, *others]))[:size]
    return np.array(rows, dtype=np.int64), own


def two_to_one(
    mentions: list[MentionInContext], accepted: list[frozenset[str]], rng: np.random.Generator
) -> tuple[list[MentionInContext], list[frozenset[str]]]:
    """At most two mentions of something off the list for each of something on it."""
    off = [number for number, ids in enumerate(accepted) if not ids]
    n_on = len(accepted) - len(off)
    dropped = set(rng.permutation(off)[2 * n_on :].tolist()) if off else set()
    kept = [number for number in range(len(mentions)) if number not in dropped]
    return [mentions[number] for number in kept], [accepted[number] for number in kept]


def invented_mentions(n: int, seed: int = 0) -> list[MentionInContext]:
    """Names of nothing at all, each in a sentence."""
    rng = np.random.default_rng(seed)

    def word() -> str:
        n_syllables = int(rng.integers(2, 4))
        return "".join(rng.choice(list("bdfgklmnprstvz")) + rng.choice(list("aeiou")) for _ in range(n_syllables))

    def name() -> str:
        own = word().capitalize()
        kinds = (own, f"{own} Corporation", f"University of {own}", f"{own} Syndrome", f"{word().capitalize()} {own}")
        return str(rng.choice(kinds))

    mentions = []
    for number in range(n):
        text = name()
        mentions.append(MentionInContext(text, f"We heard of {text} today.", 12, 12 + len(text), "en", f"i{number}"))
    return mentions
