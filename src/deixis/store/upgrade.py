"""Reads models of format 1: their arrays under the names and in the shapes of format 2. Nothing is computed anew."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deixis.errors import StoreError
from deixis.store.strings import StringTable

Arrays = dict[str, NDArray[Any]]

_DECISIONS = {"": "given", "finding.": "detected", "reranking.": "reranked", "reading.": "read"}
"""What the names of a decision's arrays began with -> the decision."""
_RENAMED = {
    r"detector\.": "detector.names.",
    r"finding\.scorer\.facts$": "detector.scorer.facts.table",
    r"finding\.scorer\.(seen|before|after)\.odds$": r"detector.scorer.\1.values",
    r"finding\.(scorer|learned)\.": r"detector.\1.",
    r"finding\.decider\.": "decisions.detected.model.",
    r"candidates\.words\.words\.": "sources.words.vectorizer.",
    r"candidates\.string\.": "sources.spelling.",
    r"candidates\.tree\.names\.": "sources.names.",
    r"candidates\.tree\.": "sources.label_tree.",
    r"candidates\.described\.": "sources.descriptions.",
    r"candidates\.dense\.": "sources.vectors.",
    r"candidates\.": "sources.",
    r"ranking\.weights$": "ranker.weights",
    r"ranking\.facts$": "ranker.facts.log_sizes",
    r"ranking\.learned$": "ranker.facts.seen_names.hashes",
    r"ranking\.": "ranker.facts.",
    r"reranking\.ranker\.": "reranker.part.",
    r"reading\.reader\.": "reader.part.",
    r"reading\.weights$": "reader.weights",
    r"learned_from$": "seen.hashes",
    r"reranking\.learned_from$": "reranker.seen.hashes",
    r"reading\.learned_from$": "reader.seen.hashes",
    r"uncorrected\.weights$": "uncorrected_weights",
}
"""How a linker's names began, or what they were -> the same today; the first that fits holds."""
_COLUMNS = {"detector.scorer.facts.table": 4, "ranker.facts.log_sizes": 2, "ranker.facts.keys": 2}
"""Matrices that were kept flat -> their columns."""
_NUMBER = re.compile(r"\.(n_rows|n_features|n_labels|n_documents|scale|alpha|beta)$")
"""Numbers that were kept as arrays of one."""
_SOURCES = ("annotated", "synthetic")


def upgraded(kind: str, config: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> Arrays:
    """The arrays of a model of format 1 as format 2 has them; what cannot be is a `StoreError`."""
    changes = {"linker": _linker, "labeller": _labeller}
    if kind not in changes:
        return dict(arrays)
    try:
        changed = changes[kind](dict(arrays), config)
        return {name: _plain_number(name, array) for name, array in _with_identities(changed).items()}
    except (ValueError, IndexError, KeyError, TypeError, AttributeError) as error:
        raise StoreError(f"The model of format 1 is damaged ({error}). Restore or build the model again.") from error


def _linker(arrays: Arrays, config: Mapping[str, Any]) -> Arrays:
    decisions: Arrays = {}
    for start, name in _DECISIONS.items():
        decisions |= _decision(arrays, start, f"decisions.{name}")
    for name, number in config.get("nil", {}).items():
        if number is not None:
            decisions[f"decisions.given.{name}"] = np.array(number)
    renamed = {_renamed(name): array for name, array in arrays.items()}
    for name, n_columns in _COLUMNS.items():
        if name in renamed:
            renamed[name] = renamed[name].reshape(-1, n_columns)
    # Those that saw no documents had no array for them.
    for part in ("", "reranker.", "reader."):
        if not part or any(name.startswith(part) for name in renamed):
            renamed.setdefault(f"{part}seen.hashes", np.zeros(0, dtype=np.uint64))
    return renamed | decisions


def _decision(arrays: Arrays, start: str, name: str) -> Arrays:
    """One decision's arrays, taken out of `arrays`; none if the model does not have it."""
    decision: Arrays = {}
    if start == "finding.":
        decision[f"{name}.model.kind"] = np.array("link_model")
    for old in [each for each in arrays if each.startswith(f"{start}calibration.")]:
        rest = old.removeprefix(f"{start}calibration.")
        if rest == "source":
            decision[f"{name}.source"] = np.array(_SOURCES[int(arrays.pop(old)[0])])
        else:
            part, _, last = rest.partition(".")
            decision[f"{name}.{ {'curve': 'model', 'held_out': 'curve'}[part] }.{last}"] = arrays.pop(old)
    if f"{name}.model.places" in decision:
        decision[f"{name}.model.kind"] = np.array("calibrator")
    numbers = _numbers(arrays, f"{start}threshold", ("threshold",)) | _numbers(
        arrays, f"{start}nil", ("threshold", "target_precision")
    )
    decision |= {f"{name}.{each}": np.array(number) for each, number in numbers.items()}
    is_there = start in ("", "finding.") or numbers
    return ({f"{name}.source": np.array("annotated")} if is_there else {}) | decision


def _numbers(arrays: Arrays, name: str, names: tuple[str, ...]) -> dict[str, float]:
    """The numbers of an array that is taken out, by name; NaN stood for none."""
    if name not in arrays:
        return {}
    pairs = zip(names, arrays.pop(name).tolist(), strict=True)
    return {each: number for each, number in pairs if not np.isnan(number)}


def _renamed(name: str) -> str:
    for pattern, new in _RENAMED.items():
        match = re.match(pattern, name)
        if match:
            return match.expand(new) + name[match.end() :]
    return name


def _labeller(arrays: Arrays, config: Mapping[str, Any]) -> Arrays:
    """Learned indexes kept three numbers in one array; their encoders did not say of what kind they are."""
    del config
    for name in [each for each in arrays if each.endswith(".index.sizes")]:
        index, ranker = name.removesuffix(".sizes"), name.removesuffix(".index.sizes")
        sizes = zip(("n_labels", "beam", "n_shortlist"), arrays.pop(name).tolist(), strict=True)
        arrays |= {f"{index}.{each}": np.array(number) for each, number in sizes}
        kind = "text" if f"{ranker}.encoder.onnx" in arrays else "bag"
        arrays[f"{ranker}.encoder.kind"] = np.array(kind)
    return arrays


def _with_identities(arrays: Arrays) -> Arrays:
    """Encoders were named by three words in one table."""
    for name in [each for each in arrays if each.endswith(".identity.offsets")]:
        prefix = name.removesuffix(".offsets")
        table = StringTable.from_arrays(arrays, prefix)
        digits: tuple[Callable[[str], int | str], ...] = (str, str, int)
        words = zip(("id", "digest", "n_dims"), digits, table, strict=True)
        arrays = {each: array for each, array in arrays.items() if not each.startswith(f"{prefix}.")}
        arrays |= {f"{prefix}.{each}": np.array(convert(word)) for each, convert, word in words}
    return arrays


def _plain_number(name: str, array: NDArray[Any]) -> NDArray[Any]:
    return array.reshape(()) if _NUMBER.search(name) and array.shape == (1,) else array
