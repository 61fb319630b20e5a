"""`deixis info`: what a model folder holds, without loading more than its manifest."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from typing import Any

import click
from numpy.typing import NDArray

from deixis.cli.render import console_on
from deixis.cli.session import Session, examples, session_options
from deixis.cli.timing import folder_size, format_bytes
from deixis.decision.decision import Decision, Decisions
from deixis.detection.config import SURE_THRESHOLD, FindingConfig
from deixis.store.manifest import FORMAT_VERSION
from deixis.store.model_folder import StoredModel, open_model

N_LARGEST = 3
SITUATIONS = {
    "given": "mentions that a document brings",
    "detected": "mentions detected in text",
    "reranked": "reranked mentions",
    "read": "mentions a reader found",
}
"""Each decision of a linker, and the mentions that it is about."""


@click.command(epilog=examples("deixis info model", "deixis info model --json | jq .config"))
@click.argument("model", type=click.Path())
@click.option("--settings", "is_listing", is_flag=True, help="List every setting, too.")
@session_options("json")
def info(session: Session, model: str, is_listing: bool) -> None:
    """Say what is in MODEL: its kind, entities or labels, what it learned, its thresholds, its size on disk."""
    stored = open_model(model)
    facts = _facts(stored)
    if session.is_json:
        click.echo(json.dumps(facts, ensure_ascii=False))
        return
    console = console_on(sys.stdout)
    for key, value in facts.items():
        if isinstance(value, str):
            console.print(f"{key.replace('_', ' '):<22} {value}")
        elif isinstance(value, int):
            console.print(f"{key.replace('_', ' '):<22} {_shown(key, value)}")
    if stored.manifest.format_version < FORMAT_VERSION:
        console.print(f"It is read as it is; saving the model again makes it format version {FORMAT_VERSION}.")
    if facts.get("thresholds"):
        console.print("\nThresholds: links below them are NIL")
        for name, words in _threshold_lines(stored):
            console.print(f"  {SITUATIONS[name]:<32} {words}")
    console.print("\nLargest arrays")
    largest = sorted(_arrays(stored).items(), key=lambda item: -item[1].nbytes)[:N_LARGEST]
    for name, array in largest:
        console.print(f"  {name:<48} {format_bytes(array.nbytes):>8}")
    if not is_listing:
        console.print("\nEvery setting, too: --settings")
        return
    console.print("\nSettings")
    for name, value in _flat(stored.config):
        console.print(f"  {name} = {json.dumps(value, ensure_ascii=False)}")


def _threshold_lines(stored: StoredModel) -> Iterator[tuple[str, str]]:
    """Each decision that the model has, and its threshold in words."""
    names = _names(stored)
    for name, decision in _decisions(stored).items():
        words = f"{_in_force(name, decision, names):g}"
        if decision.target_precision is not None:
            words += f", chosen for a precision of {decision.target_precision:g}"
        elif decision.threshold is None:
            words += ", the default"
        is_by_name = name == "detected" and decision.threshold is None and names != "sure"
        yield name, f"{words}; names go by --names {names}" if is_by_name else words


def _in_force(name: str, decision: Decision, names: str) -> float:
    """The threshold that `deixis link` uses if none is given."""
    is_sure = name == "detected" and names == "sure"
    return max(SURE_THRESHOLD, decision.min_probability) if is_sure else decision.min_probability


def _decisions(stored: StoredModel) -> dict[str, Decision]:
    decisions = Decisions.from_arrays(stored.arrays, "decisions")
    return {name: each for name in SITUATIONS if (each := getattr(decisions, name)) is not None}


def _names(stored: StoredModel) -> str:
    finding: Mapping[str, Any] = stored.config.get("finding", {})
    return str(finding.get("names", FindingConfig().names))


def _facts(stored: StoredModel) -> dict[str, Any]:
    manifest = stored.manifest
    own = _labeller_facts(stored) if stored.kind == "labeller" else _linker_facts(stored)
    return {
        "path": str(stored.path),
        "kind": stored.kind,
        **own,
        "bytes": folder_size(stored.path),
        "deixis_version": manifest.deixis_version,
        "format_version": manifest.format_version,
        "arrays": {
            name: {"dtype": array.dtype.name, "shape": list(array.shape), "bytes": array.nbytes}
            for name, array in _arrays(stored).items()
        },
        "values": {name: array.item() for name, array in stored.arrays.items() if array.ndim == 0},
        "config": stored.config,
    }


def _linker_facts(stored: StoredModel) -> dict[str, Any]:
    arrays = _arrays(stored)
    seen, corrected = arrays.get("seen.hashes"), arrays.get("corrections.entities.offsets")
    return {
        "entities": _n_entities(stored),
        "names": _names(stored),
        "thresholds": {name: _in_force(name, each, _names(stored)) for name, each in _decisions(stored).items()},
        "candidates": ", ".join(stored.config.get("candidates", {}).get("sources", ())),
        "annotated_documents": 0 if seen is None else len(seen),
        "corrections": 0 if corrected is None else len(corrected) - 1,
        "reranker_bytes": sum(each.nbytes for name, each in arrays.items() if name.startswith("reranker.")),
        "reader_bytes": sum(each.nbytes for name, each in arrays.items() if name.startswith("reader.")),
    }


def _labeller_facts(stored: StoredModel) -> dict[str, Any]:
    arrays, n_documents = stored.arrays, stored.arrays.get("frequencies.n_documents")
    label_rows, idf = arrays.get("label_rows"), arrays.get("features.idf")
    return {
        "engine": str(stored.config.get("engine", "")),
        "labels": _n_entities(stored),
        "labels_learned": 0 if label_rows is None else label_rows.shape[0],
        "documents_learned_from": 0 if n_documents is None else int(n_documents.sum()),
        "reads": "rows of features" if idf is None else f"texts, by {idf.shape[0]:,} words and phrases",
    }


def _n_entities(stored: StoredModel) -> int | None:
    offsets = stored.arrays.get("kb.ids.offsets")
    return None if offsets is None else offsets.shape[0] - 1


def _arrays(stored: StoredModel) -> dict[str, NDArray[Any]]:
    """Its arrays without the values of its manifest."""
    return {name: array for name, array in stored.arrays.items() if array.ndim}


def _shown(key: str, value: int) -> str:
    if not value:
        return "none"
    return format_bytes(value) if key.endswith("bytes") else f"{value:,}"


def _flat(config: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    for key, value in config.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}", value
