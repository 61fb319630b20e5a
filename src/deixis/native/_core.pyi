# Types of the compiled core, kernel by kernel.
from typing import Any

import numpy as np
from numpy.typing import NDArray

# sparse_rows.cpp
def check_rows(
    indptr: NDArray[np.int64], indices: NDArray[np.int32], data: NDArray[np.float32], n_columns: int
) -> int: ...

# sparse_text.cpp
def parse_sparse_lines(
    text: bytes, has_labels: bool, first_label: int, first_column: int, n_labels: int, n_columns: int
) -> dict[str, Any]: ...

# clustering.cpp, free_clustering.cpp, rankers.cpp, beam_search.cpp
def row_dots(
    left_indptr: NDArray[np.int64],
    left_indices: NDArray[np.int32],
    left_data: NDArray[np.float32],
    starts: NDArray[np.int64],
    right_indptr: NDArray[np.int64],
    right_indices: NDArray[np.int32],
    right_data: NDArray[np.float32],
    partners: NDArray[np.int64],
    n_threads: int,
) -> NDArray[np.float32]: ...
def balanced_order(
    indptr: NDArray[np.int64],
    indices: NDArray[np.int32],
    data: NDArray[np.float32],
    n_features: int,
    row_starts: list[NDArray[np.int64]],
    child_starts: list[NDArray[np.int64]],
    max_sample: int,
    max_rounds: int,
    seed: int,
    n_threads: int,
) -> NDArray[np.int32]: ...
def free_tree(
    indptr: NDArray[np.int64],
    indices: NDArray[np.int32],
    data: NDArray[np.float32],
    n_features: int,
    branching: int,
    max_leaf_size: int,
    n_levels: int,
    max_sample: int,
    max_rounds: int,
    seed: int,
    n_threads: int,
) -> tuple[NDArray[np.int32], list[NDArray[np.int64]]]: ...
def train_level(
    indptr: NDArray[np.int64],
    indices: NDArray[np.int32],
    data: NDArray[np.float32],
    n_features: int,
    positive_indptr: NDArray[np.int64],
    positive_indices: NDArray[np.int32],
    positive_weights: NDArray[np.float32],
    instance_indptr: NDArray[np.int64],
    instances: NDArray[np.int32],
    child_starts: NDArray[np.int64],
    is_squared_hinge: bool,
    cost: float,
    epsilon: float,
    bias: float,
    min_weight: float,
    max_rounds: int,
    seed: int,
    n_threads: int,
) -> dict[str, NDArray[Any]]: ...
def find_damage(
    child_starts: NDArray[np.int64],
    bucket_offsets: NDArray[np.int64],
    bucket_starts: NDArray[np.uint32],
    entry_starts: NDArray[np.int64],
    entries: NDArray[np.uint8],
    n_features: int,
) -> str: ...

class TreeSearch:
    def __init__(self, levels: list[dict[str, NDArray[Any]]], labels: NDArray[np.int32], n_features: int) -> None: ...
    def search(
        self,
        indptr: NDArray[np.int64],
        indices: NDArray[np.int32],
        data: NDArray[np.float32],
        n_levels: int,
        width: int,
        k: int,
        power: int,
        memory: float,
        n_threads: int,
        n_allowed: list[NDArray[np.int32]],
    ) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.float32]]: ...

# label_walks.cpp
def label_walks(
    doc_indptr: NDArray[np.int64],
    doc_labels: NDArray[np.int32],
    label_indptr: NDArray[np.int64],
    label_docs: NDArray[np.int32],
    walk_length: int,
    restart: float,
    max_neighbours: int,
    seed: int,
    n_threads: int,
) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int32]]: ...

# tokenizer.cpp, name_keys.cpp, tfidf_fit.cpp, tfidf.cpp
def unicode_version() -> str: ...
def tokenize(text: str, nfkc: bool, casefold: bool) -> list[tuple[str, int, int]]: ...
def name_keys(
    data: NDArray[Any],
    offsets: NDArray[Any],
    is_turkic: NDArray[np.uint8],
    ignores_case: bool,
    keeps_dotless_i: bool,
    ignores_punctuation: bool,
    ignores_diacritics: bool,
    n_threads: int,
) -> tuple[NDArray[np.int64], NDArray[np.uint8]]: ...
def tfidf_fit(
    data: NDArray[Any],
    offsets: NDArray[Any],
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
    n_features: int
    def __init__(self, *arrays_and_settings: NDArray[Any] | int) -> None: ...
    def feature_name(self, column: int) -> str: ...

def tfidf_rows(
    vocabularies: list[TfidfVocabulary],
    weights: list[float],
    data: list[NDArray[Any]],
    offsets: list[NDArray[Any]],
    is_normalized: bool,
    n_threads: int,
) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]: ...
def tfidf_row(
    vocabularies: list[TfidfVocabulary], weights: list[float], texts: list[str], is_normalized: bool
) -> tuple[NDArray[Any], NDArray[Any]]: ...

# dictionary_build.cpp, dictionary.cpp
def dictionary_build(
    name_data: NDArray[Any],
    name_offsets: NDArray[Any],
    text_data: NDArray[Any],
    text_offsets: NDArray[Any],
    stop_data: NDArray[Any],
    stop_offsets: NDArray[Any],
    min_chars: int,
    min_chars_unspaced: int,
    max_tokens: int,
    ignores_case: bool,
    common_share: float,
    frequent_share: float,
    stop_share: float,
    min_common_texts: int,
) -> dict[str, NDArray[Any]]: ...

class DictionaryMatcher:
    def __init__(self, *arrays: NDArray[Any]) -> None: ...
    def match(self, texts: list[str], n_threads: int) -> list[list[tuple[int, int]]]: ...
    def match_all(
        self, texts: list[str], any_case: bool, plurals: bool, max_run: int, n_threads: int
    ) -> dict[str, NDArray[Any]]: ...
    def match_table(
        self, data: NDArray[np.uint8], offsets: NDArray[np.int64], is_inner: bool, n_threads: int
    ) -> tuple[NDArray[np.int64], NDArray[np.int32]]: ...
    def numbers(self, data: NDArray[np.uint8], offsets: NDArray[np.int64], n_threads: int) -> NDArray[np.int32]: ...

# block_search.cpp
def build_blocks(
    indptr: NDArray[np.int64], indices: NDArray[np.int32], data: NDArray[np.float32], n_columns: int, block_size: int
) -> tuple[NDArray[Any], ...]: ...

class BlockSearch:
    def __init__(self, *arrays_and_sizes: NDArray[Any] | int) -> None: ...
    def allowed_rows(self, is_allowed_group: NDArray[np.uint8]) -> tuple[NDArray[np.uint8], NDArray[np.int32]]: ...
    def search(
        self,
        indptr: NDArray[np.int64],
        indices: NDArray[np.int32],
        data: NDArray[np.float32],
        k: int,
        max_blocks: int,
        n_threads: int,
        is_allowed_row: NDArray[np.uint8],
        n_allowed_in_block: NDArray[np.int32],
    ) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.float32]]: ...

# blending.cpp
def blend_rankings(
    first_indptr: NDArray[np.int64],
    first_labels: NDArray[np.int32],
    first_scores: NDArray[np.float32],
    second_indptr: NDArray[np.int64],
    second_labels: NDArray[np.int32],
    second_scores: NDArray[np.float32],
    first_shares: NDArray[np.float32],
    k: int,
    n_threads: int,
) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.float32]]: ...

# indel_build.cpp, indel_search.cpp
def build_indel(data: NDArray[np.uint8], offsets: NDArray[np.int64]) -> tuple[NDArray[Any], ...]: ...
def indel_similarity(name: str, query: str) -> float: ...
def indel_bits_agree(
    sketches: NDArray[np.uint64], others: NDArray[np.uint64], sketch: int, other: int, length: int, least: int
) -> bool: ...

class IndelSearch:
    def __init__(self, *arrays_and_sizes: NDArray[Any] | int) -> None: ...
    def search(
        self,
        data: NDArray[np.uint8],
        offsets: NDArray[np.int64],
        k: int,
        min_similarity: float,
        stops_at_exact: bool,
        allowed: NDArray[np.bool_],
        n_threads: int,
    ) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.float32]]: ...

# learned_search.cpp
def learned_shortlist(
    cluster_scores: NDArray[np.float32],
    forced_cluster_starts: NDArray[np.int64],
    forced_clusters: NDArray[np.int32],
    forced_label_starts: NDArray[np.int64],
    forced_labels: NDArray[np.int32],
    edge_starts: NDArray[np.int64],
    edge_labels: NDArray[np.int32],
    edge_scores: NDArray[np.float32],
    n_labels: int,
    beam: int,
    k: int,
    n_threads: int,
) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.float32], NDArray[np.int64]]: ...
def shortlist_dots(
    vectors: NDArray[np.float32],
    classifiers: NDArray[np.float32],
    indptr: NDArray[np.int64],
    labels: NDArray[np.int32],
    n_threads: int,
) -> NDArray[np.float32]: ...
def best_of_rows(
    indptr: NDArray[np.int64], scores: NDArray[np.float32], k: int, n_threads: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]: ...
