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
from deixis.detection.config import FindingConfig
from deixis.store.manifest import FORMAT_VERSION
from deixis.store.model_folder import StoredModel, open_model

N_LARGEST = 8


@click.command(epilog=examples("deixis info model", "deixis info model --json | jq .config"))
@click.argument("model", type=click.Path())
@session_options("json")
def info(session: Session, model: str) -> None:
    """Say what is in MODEL: its kind, how many entities or labels, what it learned, its size on disk, its settings."""
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
    console.print("\nLargest arrays")
    largest = sorted(_arrays(stored).items(), key=lambda item: -item[1].nbytes)[:N_LARGEST]
    width = max((len(name) for name, _ in largest), default=0)
    for name, array in largest:
        console.print(f"  {name:<{width}}  {array.dtype.name:<8} {format_bytes(array.nbytes):>8}")
    console.print("\nSettings")
    for name, value in _flat(stored.config):
        console.print(f"  {name} = {json.dumps(value, ensure_ascii=False)}")


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
    finding: Mapping[str, Any] = stored.config.get("finding", {})
    seen, corrected = arrays.get("seen.hashes"), arrays.get("corrections.entities.offsets")
    return {
        "entities": _n_entities(stored),
        "names": str(finding.get("names", FindingConfig().names)),
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
