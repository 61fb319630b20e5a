# Made by tools/make_core_stub.py from the compiled core; do not edit.
import enum
from collections.abc import Sequence
from typing import Any

import numpy
from numpy.typing import NDArray

MAX_COLUMNS: int = 2147483647
MAX_GROUPS: int = 2147483647

class RowsState(enum.IntEnum):
    SOUND = 0
    UNSORTED = 1
    NOT_FINITE = 2
    DAMAGED = 3

def check_rows(
    indptr: NDArray[numpy.int64], indices: NDArray[numpy.int32], data: NDArray[numpy.float32], n_columns: int
) -> RowsState: ...
def balanced_order(
    indptr: NDArray[numpy.int64],
    indices: NDArray[numpy.int32],
    data: NDArray[numpy.float32],
    n_features: int,
    row_starts: Sequence[NDArray[numpy.int64]],
    child_starts: Sequence[NDArray[numpy.int64]],
    max_sample: int,
    max_rounds: int,
    seed: int,
    n_threads: int,
) -> NDArray[numpy.int32]: ...
def free_tree(
    indptr: NDArray[numpy.int64],
    indices: NDArray[numpy.int32],
    data: NDArray[numpy.float32],
    n_features: int,
    branching: int,
    max_leaf_size: int,
    n_levels: int,
    max_sample: int,
    max_rounds: int,
    seed: int,
    n_threads: int,
) -> tuple[NDArray[numpy.int32], list[NDArray[numpy.int64]]]: ...

class LineProblem(enum.IntEnum):
    NONE = 0
    NO_PAIR = 1
    BAD_VALUE = 2
    COLUMN_OUTSIDE = 3
    BAD_LABEL = 4
    LABEL_OUTSIDE = 5
    COLUMN_TWICE = 6

def parse_sparse_lines(
    text: bytes, has_labels: bool, first_label: int, first_column: int, n_labels: int, n_columns: int
) -> dict[str, Any]: ...
def row_dots(
    left_indptr: NDArray[numpy.int64],
    left_indices: NDArray[numpy.int32],
    left_data: NDArray[numpy.float32],
    starts: NDArray[numpy.int64],
    right_indptr: NDArray[numpy.int64],
    right_indices: NDArray[numpy.int32],
    right_data: NDArray[numpy.float32],
    partners: NDArray[numpy.int64],
    n_threads: int,
) -> NDArray[numpy.float32]: ...
def word_sums(
    indptr: NDArray[numpy.int64],
    indices: NDArray[numpy.int32],
    data: NDArray[numpy.float32],
    starts: NDArray[numpy.int64],
    row_starts: NDArray[numpy.uint32],
    row_words: NDArray[numpy.uint16],
    n_kinds: int,
    kind: int,
    entities: NDArray[numpy.int64],
    n_threads: int,
) -> NDArray[numpy.float32]: ...

class EntityNames:
    def __init__(
        self,
        keys: Sequence[NDArray[numpy.uint64]],
        popularity: Sequence[NDArray[numpy.float32]],
        log_sizes: Sequence[NDArray[numpy.float32]],
        initials: Sequence[NDArray[numpy.uint64]],
        is_name_page: Sequence[NDArray[numpy.uint8]],
        stated_starts: Sequence[NDArray[numpy.uint32]],
        stated: Sequence[NDArray[numpy.uint64]],
        begun_starts: Sequence[NDArray[numpy.uint32]],
        begun: Sequence[NDArray[numpy.uint64]],
    ) -> None: ...
    def columns(
        self,
        data: NDArray[numpy.uint8],
        offsets: NDArray[numpy.int64],
        initials: NDArray[numpy.uint64],
        starts: NDArray[numpy.int64],
        rows: NDArray[numpy.int64],
        alias: NDArray[numpy.float32],
        n_threads: int,
    ) -> NDArray[numpy.float32]: ...

def string_hashes(data: NDArray[numpy.uint8], offsets: NDArray[numpy.int64]) -> NDArray[numpy.uint64]: ...
def weighted_sums(
    columns: Sequence[NDArray[numpy.float32]], weights: NDArray[numpy.float64], n: int
) -> NDArray[numpy.float64]: ...
def best_places(
    starts: NDArray[numpy.int64], rows: NDArray[numpy.int64], scores: NDArray[numpy.float64], k: int, n_threads: int
) -> tuple[NDArray[numpy.int64], NDArray[numpy.int64]]: ...
def ranked_candidates(
    starts: NDArray[numpy.int64], rows: NDArray[numpy.int64], totals: NDArray[numpy.float64], k: int, n_threads: int
) -> tuple[
    NDArray[numpy.int64], NDArray[numpy.int64], NDArray[numpy.float32], NDArray[numpy.int64], NDArray[numpy.float64]
]: ...
def on_list_evidence(
    spelled: NDArray[numpy.float64],
    counts: NDArray[numpy.float64],
    rows: NDArray[numpy.int64],
    aliases: NDArray[numpy.float32],
    titles: NDArray[numpy.float32],
    label_tree: NDArray[numpy.float32],
    leads: NDArray[numpy.float64],
    described: NDArray[numpy.float32],
    known: NDArray[numpy.float64],
    n_known: NDArray[numpy.int64],
    max_idf: float,
    size: float,
    is_described: bool,
) -> NDArray[numpy.float32]: ...
def merged_rows(
    indptrs: Sequence[NDArray[numpy.int64]],
    indices: Sequence[NDArray[numpy.int32]],
    data: Sequence[NDArray[numpy.float32]],
) -> tuple[NDArray[numpy.int64], NDArray[numpy.int64], NDArray[numpy.float32]]: ...
def best_of_both(
    first_indptr: NDArray[numpy.int64],
    first_indices: NDArray[numpy.int32],
    first_data: NDArray[numpy.float32],
    second_indptr: NDArray[numpy.int64],
    second_indices: NDArray[numpy.int32],
    second_data: NDArray[numpy.float32],
    k: int,
) -> tuple[NDArray[numpy.int64], NDArray[numpy.int32], NDArray[numpy.float32]]: ...
def open_rows(
    indptr: NDArray[numpy.int64], data: NDArray[numpy.float32], k: int, enough: float
) -> tuple[NDArray[numpy.int64], NDArray[numpy.float64]]: ...
def with_last_column(
    indptr: NDArray[numpy.int64],
    indices: NDArray[numpy.int32],
    data: NDArray[numpy.float32],
    values: NDArray[numpy.float32],
    column: int,
) -> tuple[NDArray[numpy.int64], NDArray[numpy.int32], NDArray[numpy.float32]]: ...
def with_last_one(
    indptr: NDArray[numpy.int64], indices: NDArray[numpy.int32], data: NDArray[numpy.float32], last: int
) -> tuple[NDArray[numpy.int64], NDArray[numpy.int32], NDArray[numpy.float32]]: ...
def row_sums(indptr: NDArray[numpy.int64], data: NDArray[numpy.float32]) -> NDArray[numpy.float64]: ...
def row_fractions(indptr: NDArray[numpy.int64], data: NDArray[numpy.float32]) -> NDArray[numpy.float32]: ...
def rows_above(
    indptr: NDArray[numpy.int64],
    indices: NDArray[numpy.int32],
    data: NDArray[numpy.float32],
    gains: NDArray[numpy.float32],
    least: float,
) -> tuple[NDArray[numpy.int64], NDArray[numpy.int32], NDArray[numpy.float32]]: ...
def key_entries(
    hashes: NDArray[numpy.uint64],
    starts: NDArray[numpy.uint32],
    rows: NDArray[numpy.int32],
    kinds: NDArray[numpy.int16],
    spellings: NDArray[numpy.uint32],
    weights: NDArray[numpy.float32],
    counts: NDArray[numpy.float32],
    n_rows: int,
    data: NDArray[numpy.uint8],
    offsets: NDArray[numpy.int64],
) -> tuple[
    NDArray[numpy.int64],
    NDArray[numpy.int32],
    NDArray[numpy.int16],
    NDArray[numpy.uint32],
    NDArray[numpy.float32],
    NDArray[numpy.float32],
]: ...
def key_priors(
    keys: NDArray[numpy.int64],
    rows: NDArray[numpy.int32],
    spellings: NDArray[numpy.uint32],
    weights: NDArray[numpy.float32],
    counts: NDArray[numpy.float32],
    own_spellings: NDArray[numpy.uint32],
    strength: float,
    close_share: float,
) -> tuple[NDArray[numpy.int64], NDArray[numpy.int64], NDArray[numpy.float32]]: ...
def expit(log_odds: NDArray[numpy.float64]) -> NDArray[numpy.float64]: ...
def logit(probabilities: NDArray[numpy.float64]) -> NDArray[numpy.float64]: ...

MAX_BLOCK_SIZE: int = 256
SHARD_BLOCKS: int = 65536
MARK_RUNS: int = 256

def build_blocks(
    indptr: NDArray[numpy.int64],
    indices: NDArray[numpy.int32],
    data: NDArray[numpy.float32],
    n_columns: int,
    block_size: int,
) -> tuple[
    NDArray[numpy.uint32],
    NDArray[numpy.uint16],
    NDArray[numpy.uint8],
    NDArray[numpy.uint16],
    NDArray[numpy.int64],
    NDArray[numpy.uint8],
    NDArray[numpy.uint8],
    NDArray[numpy.float32],
]: ...

class BlockSearch:
    def __init__(
        self,
        column_starts: NDArray[numpy.uint32],
        blocks: NDArray[numpy.uint16],
        maxima: NDArray[numpy.uint8],
        entry_starts: NDArray[numpy.uint16],
        entry_marks: NDArray[numpy.int64],
        places: NDArray[numpy.uint8],
        codes: NDArray[numpy.uint8],
        scales: NDArray[numpy.float32],
        groups: NDArray[numpy.int32],
        n_groups: int,
        block_size: int,
    ) -> None: ...
    def allowed_rows(
        self, is_allowed_group: NDArray[numpy.uint8]
    ) -> tuple[NDArray[numpy.uint8], NDArray[numpy.int32]]: ...
    def search(
        self,
        indptr: NDArray[numpy.int64],
        indices: NDArray[numpy.int32],
        data: NDArray[numpy.float32],
        k: int,
        max_blocks: int,
        n_threads: int,
        is_allowed_row: NDArray[numpy.uint8],
        n_allowed_in_block: NDArray[numpy.int32],
    ) -> tuple[NDArray[numpy.int64], NDArray[numpy.int32], NDArray[numpy.float32]]: ...

def build_indel(
    data: NDArray[numpy.uint8], offsets: NDArray[numpy.int64]
) -> tuple[
    NDArray[numpy.uint32],
    NDArray[numpy.uint8],
    NDArray[numpy.uint8],
    NDArray[numpy.uint8],
    NDArray[numpy.uint32],
    NDArray[numpy.uint64],
    NDArray[numpy.int32],
    NDArray[numpy.int32],
    NDArray[numpy.int32],
]: ...
def indel_planes(
    buckets: NDArray[numpy.uint8],
    levels: NDArray[numpy.uint8],
    sketches: NDArray[numpy.uint64],
    block_starts: NDArray[numpy.int32],
) -> tuple[
    NDArray[numpy.uint8], NDArray[numpy.uint8], NDArray[numpy.uint64], NDArray[numpy.uint64], NDArray[numpy.uint8]
]: ...

class IndelSearch:
    def __init__(
        self,
        alphabet: NDArray[numpy.uint32],
        buckets: NDArray[numpy.uint8],
        levels: NDArray[numpy.uint8],
        characters: NDArray[numpy.uint8],
        starts: NDArray[numpy.uint32],
        planes: NDArray[numpy.uint64],
        section_planes: NDArray[numpy.uint64],
        bit_counts: NDArray[numpy.uint8],
        block_starts: NDArray[numpy.int32],
        block_lengths: NDArray[numpy.int32],
        group_starts: NDArray[numpy.uint32],
        groups: NDArray[numpy.int32],
        n_groups: int,
    ) -> None: ...
    def search(
        self,
        data: NDArray[numpy.uint8],
        offsets: NDArray[numpy.int64],
        k: int,
        min_similarity: NDArray[numpy.float64],
        stops_at_exact: bool,
        allowed: NDArray[numpy.bool_],
        n_threads: int,
    ) -> tuple[NDArray[numpy.int64], NDArray[numpy.int32], NDArray[numpy.float32]]: ...

def learned_shortlist(
    cluster_scores: NDArray[numpy.float32],
    forced_cluster_starts: NDArray[numpy.int64],
    forced_clusters: NDArray[numpy.int32],
    forced_label_starts: NDArray[numpy.int64],
    forced_labels: NDArray[numpy.int32],
    edge_starts: NDArray[numpy.int64],
    edge_labels: NDArray[numpy.int32],
    edge_scores: NDArray[numpy.float32],
    n_labels: int,
    beam: int,
    k: int,
    n_threads: int,
) -> tuple[NDArray[numpy.int64], NDArray[numpy.int32], NDArray[numpy.float32], NDArray[numpy.int64]]: ...
def shortlist_dots(
    vectors: NDArray[numpy.float32],
    classifiers: NDArray[numpy.float32],
    indptr: NDArray[numpy.int64],
    labels: NDArray[numpy.int32],
    n_threads: int,
) -> NDArray[numpy.float32]: ...
def best_of_rows(
    indptr: NDArray[numpy.int64], scores: NDArray[numpy.float32], k: int, n_threads: int
) -> tuple[NDArray[numpy.int64], NDArray[numpy.int64]]: ...

MAX_CHILDREN: int = 256

def train_level(
    indptr: NDArray[numpy.int64],
    indices: NDArray[numpy.int32],
    data: NDArray[numpy.float32],
    n_features: int,
    positive_indptr: NDArray[numpy.int64],
    positive_indices: NDArray[numpy.int32],
    positive_weights: NDArray[numpy.float32],
    instance_indptr: NDArray[numpy.int64],
    instances: NDArray[numpy.int32],
    child_starts: NDArray[numpy.int64],
    is_squared_hinge: bool,
    cost: float,
    epsilon: float,
    bias: float,
    min_weight: float,
    max_rounds: int,
    seed: int,
    first_parent: int,
    n_threads: int,
) -> dict[str, NDArray[Any]]: ...

MAX_WALK: int = 10000000

def label_walks(
    doc_indptr: NDArray[numpy.int64],
    doc_labels: NDArray[numpy.int32],
    label_indptr: NDArray[numpy.int64],
    label_docs: NDArray[numpy.int32],
    walk_length: int,
    restart: float,
    max_neighbours: int,
    seed: int,
    n_threads: int,
) -> tuple[NDArray[numpy.int64], NDArray[numpy.int32], NDArray[numpy.int32]]: ...

FEATURE_HASH: int = 2654435761

def pack_level(
    child_starts: NDArray[numpy.int64],
    entry_starts: NDArray[numpy.int64],
    hashes: NDArray[numpy.uint32],
    children: NDArray[numpy.uint8],
    weights: NDArray[numpy.uint16],
    n_features: int,
) -> dict[str, NDArray[Any]]: ...
def unpack_level(
    block_starts: NDArray[numpy.int64],
    blocks: NDArray[numpy.uint64],
    byte_starts: NDArray[numpy.int64],
    bytes: NDArray[numpy.uint8],
    entry_sizes: NDArray[numpy.uint8],
    n_features: int,
    first: int,
    last: int,
) -> tuple[NDArray[numpy.int64], NDArray[numpy.uint32], NDArray[numpy.uint8], NDArray[numpy.uint16]]: ...
def find_damage(
    child_starts: NDArray[numpy.int64],
    block_starts: NDArray[numpy.int64],
    blocks: NDArray[numpy.uint64],
    byte_starts: NDArray[numpy.int64],
    bytes: NDArray[numpy.uint8],
    entry_sizes: NDArray[numpy.uint8],
    n_features: int,
) -> str: ...

SIGMOID_POWER: int = 0

class TreeSearch:
    def __init__(
        self, levels: Sequence[dict[str, NDArray[Any]]], labels: NDArray[numpy.int32], n_features: int
    ) -> None: ...
    def search(
        self,
        indptr: NDArray[numpy.int64],
        indices: NDArray[numpy.int32],
        data: NDArray[numpy.float32],
        n_levels: int,
        width: int,
        k: int,
        power: int,
        memory: float,
        n_threads: int,
        n_allowed: Sequence[NDArray[numpy.int32]],
    ) -> tuple[NDArray[numpy.int64], NDArray[numpy.int32], NDArray[numpy.float32]]: ...
    def search_row(
        self,
        columns: NDArray[numpy.int32],
        values: NDArray[numpy.float32],
        width: int,
        k: int,
        power: int,
        memory: float,
    ) -> tuple[NDArray[numpy.int32], NDArray[numpy.float32]]: ...

def unicode_version() -> str: ...
def tokenize(text: str, nfkc: bool, casefold: bool) -> list[tuple[str, int, int]]: ...
def name_keys(
    data: NDArray[numpy.uint8],
    offsets: NDArray[numpy.int64],
    is_turkic: NDArray[numpy.uint8],
    ignores_case: bool,
    keeps_dotless_i: bool,
    ignores_punctuation: bool,
    ignores_diacritics: bool,
    n_threads: int,
) -> tuple[NDArray[numpy.int64], NDArray[numpy.uint8]]: ...
def key_beginnings(data: NDArray[numpy.uint8], offsets: NDArray[numpy.int64]) -> NDArray[numpy.uint64]: ...
def name_spellings(
    data: NDArray[numpy.uint8], offsets: NDArray[numpy.int64], n_threads: int
) -> NDArray[numpy.uint32]: ...
def indel_similarity(name: str, query: str) -> float: ...
def name_spelling(
    data: NDArray[numpy.uint8],
    offsets: NDArray[numpy.int64],
    queries: NDArray[numpy.int64],
    starts: NDArray[numpy.int64],
    names: NDArray[numpy.int64],
    fillers: NDArray[numpy.uint64],
) -> NDArray[numpy.float64]: ...
def tfidf_fit(
    data: NDArray[numpy.uint8],
    offsets: NDArray[numpy.int64],
    ngrams_max: int,
    max_df: float,
    min_df: int,
    char_ngrams_min: int,
    char_ngrams_max: int,
    nfkc: bool,
    casefold: bool,
    n_threads: int,
) -> dict[str, NDArray[Any]]: ...

class TfidfVocabulary:
    def __init__(
        self,
        tokens_data: NDArray[numpy.uint8],
        tokens_offsets: NDArray[numpy.uint32],
        tokens_slots: NDArray[numpy.uint32],
        trie_child_ptr: NDArray[numpy.int32],
        trie_labels: NDArray[numpy.uint32],
        dropped: NDArray[numpy.int32],
        idf: NDArray[numpy.float32],
        grams_data: NDArray[numpy.uint8],
        grams_offsets: NDArray[numpy.uint32],
        grams_slots: NDArray[numpy.uint32],
        ngrams_max: int,
        char_ngrams_min: int,
        char_ngrams_max: int,
        nfkc: bool,
        casefold: bool,
        sublinear_tf: bool,
    ) -> None: ...
    @property
    def n_features(self) -> int: ...
    def feature_name(self, column: int) -> str: ...
    def knows(self, other: TfidfVocabulary) -> NDArray[numpy.uint8]: ...

def tfidf_rows(
    vocabularies: Sequence[TfidfVocabulary],
    weights: Sequence[float],
    data: Sequence[NDArray[numpy.uint8]],
    offsets: Sequence[NDArray[numpy.int64]],
    is_normalized: bool,
    n_threads: int,
) -> tuple[NDArray[numpy.int64], NDArray[numpy.int32], NDArray[numpy.float32]]: ...
def tfidf_row(
    vocabularies: Sequence[TfidfVocabulary], weights: Sequence[float], texts: list[str], is_normalized: bool
) -> tuple[NDArray[numpy.int32], NDArray[numpy.float32]]: ...
def context_words(
    vocabularies: Sequence[TfidfVocabulary],
    idf: NDArray[numpy.float32],
    columns_of: NDArray[numpy.int32],
    texts: list[str],
    documents: NDArray[numpy.int64],
    starts: NDArray[numpy.int64],
    ends: NDArray[numpy.int64],
    word_indptr: NDArray[numpy.int64],
    word_columns: NDArray[numpy.int32],
    word_weights: NDArray[numpy.float32],
    windows: Sequence[int],
    sentence_margin: int,
    min_rest: float,
    pair_starts: NDArray[numpy.int64],
    rows: NDArray[numpy.int64],
    row_starts: Sequence[NDArray[numpy.uint32]],
    row_words: Sequence[NDArray[numpy.uint16]],
    scales: Sequence[NDArray[numpy.float32]],
    has_descriptions: bool,
    n_threads: int,
) -> tuple[NDArray[numpy.float32], NDArray[numpy.float32]]: ...
def pack_words(
    indptrs: Sequence[NDArray[numpy.int64]], columns: Sequence[NDArray[numpy.int32]]
) -> tuple[NDArray[numpy.int64], NDArray[numpy.uint16]]: ...
def unpack_words(
    starts: NDArray[numpy.uint32], words: NDArray[numpy.uint16], rows: NDArray[numpy.int64]
) -> tuple[NDArray[numpy.int64], NDArray[numpy.int32]]: ...
def dictionary_build(
    name_data: NDArray[numpy.uint8],
    name_offsets: NDArray[numpy.int64],
    text_data: NDArray[numpy.uint8],
    text_offsets: NDArray[numpy.int64],
    stop_data: NDArray[numpy.uint8],
    stop_offsets: NDArray[numpy.int64],
    min_chars: int,
    min_chars_unspaced: int,
    max_tokens: int,
    common_share: float,
    frequent_share: float,
    stop_share: float,
    min_common_texts: int,
) -> dict[str, NDArray[Any]]: ...

class DictionaryMatcher:
    def __init__(
        self,
        tokens_data: NDArray[numpy.uint8],
        tokens_offsets: NDArray[numpy.uint32],
        tokens_slots: NDArray[numpy.uint32],
        trie_child_ptr: NDArray[numpy.int32],
        trie_labels: NDArray[numpy.uint32],
        flags: NDArray[numpy.uint8],
    ) -> None: ...
    def match(self, texts: list[str], n_threads: int) -> list[list[tuple[int, int]]]: ...
    def match_table(
        self, data: NDArray[numpy.uint8], offsets: NDArray[numpy.int64], is_inner: bool, n_threads: int
    ) -> tuple[NDArray[numpy.int64], NDArray[numpy.int32]]: ...
    def numbers(
        self, data: NDArray[numpy.uint8], offsets: NDArray[numpy.int64], n_threads: int
    ) -> NDArray[numpy.int32]: ...

def names_build(
    data: NDArray[numpy.uint8], offsets: NDArray[numpy.int64], min_chars: int, min_chars_unspaced: int, max_words: int
) -> dict[str, NDArray[Any]]: ...

class Sign(enum.IntFlag):
    NAME = 1
    LISTED_CASE = 2
    LISTED_LOWER = 4
    LISTED_CAPITALS = 8
    LOWER_CASE = 16
    TITLE_CASE = 32
    CAPITALS = 64
    MIXED_CASE = 128
    BEGINS_SENTENCE = 256
    CAPITALS_AROUND = 512
    FOLLOWS_UPPER = 1024
    PRECEDES_UPPER = 2048
    IN_LONGER_NAME = 4096
    HYPHEN_BEFORE = 8192
    HYPHEN_AFTER = 16384
    HAS_NUMBER = 32768
    HAS_LOWER_WORD = 65536
    STOP_WORDS = 131072
    KNOWN_WORDS = 262144
    OTHER_LANGUAGE = 524288
    LEARNED_NAME = 1048576
    RECOGNIZED = 2097152
    SHORT_FORM = 4194304
    MISSPELT = 8388608

class WordTable:
    def __init__(
        self,
        data: NDArray[numpy.uint8],
        offsets: NDArray[numpy.int64],
        log_counts: NDArray[numpy.float32],
        lower_shares: NDArray[numpy.float32],
        is_stop: NDArray[numpy.uint8],
    ) -> None: ...

class NameMatcher:
    def __init__(
        self,
        tokens_data: NDArray[numpy.uint8],
        tokens_offsets: NDArray[numpy.uint32],
        tokens_slots: NDArray[numpy.uint32],
        trie_child_ptr: NDArray[numpy.int32],
        trie_labels: NDArray[numpy.uint32],
        writing: NDArray[numpy.uint8],
    ) -> None: ...
    def spans(self, texts: list[str], words: WordTable, max_run: int, n_threads: int) -> dict[str, NDArray[Any]]: ...
    def numbers(
        self, data: NDArray[numpy.uint8], offsets: NDArray[numpy.int64], n_threads: int
    ) -> NDArray[numpy.int32]: ...
    def n_longer(self, data: NDArray[numpy.uint8], offsets: NDArray[numpy.int64]) -> NDArray[numpy.int32]: ...

def stems(text: str) -> list[str]: ...
def text_counts(
    texts: NDArray[numpy.int32], keys: NDArray[numpy.uint64], signs: NDArray[numpy.uint32]
) -> NDArray[numpy.float32]: ...
def span_features(
    signs: NDArray[numpy.uint32],
    names: NDArray[numpy.int32],
    starts: NDArray[numpy.int32],
    ends: NDArray[numpy.int32],
    n_words: NDArray[numpy.int32],
    n_content: NDArray[numpy.int32],
    keys: NDArray[numpy.uint64],
    before: NDArray[numpy.uint32],
    log_counts: NDArray[numpy.float32],
    lower_shares: NDArray[numpy.float32],
    facts: NDArray[numpy.float32],
    logs: NDArray[numpy.float32],
    odds: NDArray[numpy.float32],
    words_before: Sequence[NDArray[numpy.uint32]],
    calendar: NDArray[numpy.uint64],
    common: float,
    lower: float,
    few: float,
    log_names: float,
) -> NDArray[numpy.float32]: ...
