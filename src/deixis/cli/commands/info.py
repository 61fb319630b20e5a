"""`deixis info`: what a model folder holds, without loading more than its manifest and its list."""

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
from deixis.errors import ConfigError
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.linking.model_state import ModelState
from deixis.store.manifest import FORMAT_VERSION, quoted
from deixis.store.model_folder import StoredModel
from deixis.store.origin import Origin, open_origin
from deixis.training.folder_model import current_state

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
    stored, origin = open_origin(model)
    facts = _facts(stored, origin)
    if session.is_json:
        click.echo(json.dumps(facts, ensure_ascii=False))
        return
    console = console_on(sys.stdout)
    for key, words in _lines(facts):
        console.print(f"{key.replace('_', ' '):<22} {words}")
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
    return str(_setting(stored, "finding", "names", FindingConfig().names))


def _setting(stored: StoredModel, table: str, name: str, default: Any) -> Any:  # noqa: ANN401 - of the default's type
    """A setting as the manifest has it, where it may be of any type; one of another type is an error."""
    settings = stored.config.get(table, {})
    value = settings.get(name, default) if isinstance(settings, dict) else settings
    if type(value) is not type(default) or not all(isinstance(each, str) for each in value):
        raise stored.unusable(ConfigError(f"{table}.{name} is {quoted(value)}."))
    return value


def _facts(stored: StoredModel, origin: Origin) -> dict[str, Any]:
    manifest = stored.manifest
    own = _labeller_facts(stored) if stored.kind == "labeller" else _linker_facts(stored, origin)
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


def _changes(state: ModelState, origin: Origin) -> dict[str, int]:
    """What was changed since the build; nothing where nothing was."""
    if not state.generation and not state.entities:
        return {}
    return {
        "generation": state.generation,
        "uncompacted_changes": state.generation - origin.generation,
        "edited_entities": len(state.entities),
    }


def _linker_facts(stored: StoredModel, origin: Origin) -> dict[str, Any]:
    arrays, kb = _arrays(stored), KnowledgeBase.from_arrays(stored.arrays, "kb")
    seen, state = arrays.get("seen.hashes"), current_state(stored, origin, kb)
    return {
        "entities": state.n_entities(kb),
        **_changes(state, origin),
        "names": _names(stored),
        "thresholds": {name: _in_force(name, each, _names(stored)) for name, each in _decisions(stored).items()},
        "candidates": ", ".join(_setting(stored, "candidates", "sources", [])),
        "annotated_documents": 0 if seen is None else len(seen),
        "corrections": len(state.corrections),
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


def _lines(facts: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """The facts that fit a line each: those of changes share one, parts that the model has not have none."""
    for key, value in facts.items():
        if key == "generation":
            yield "changes", f"{value:,}, {facts['uncompacted_changes']:,} not compacted"
        elif isinstance(value, str):
            yield key, value
        elif isinstance(value, int) and key.endswith("bytes"):
            if value:
                yield key, format_bytes(value)
        elif isinstance(value, int) and key != "uncompacted_changes":
            yield key, f"{value:,}" if value else "none"


def _flat(config: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    for key, value in config.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}", value
