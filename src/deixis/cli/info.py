"""`deixis info`: what a model folder holds, without loading more than its manifest."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from typing import Any

import click

from deixis.cli.examples import examples
from deixis.cli.measures import folder_size, format_bytes
from deixis.cli.render import console_on
from deixis.cli.session import Session, session_options
from deixis.store.model_folder import StoredModel, open_model

N_LARGEST = 8


@click.command(epilog=examples("deixis info model", "deixis info model --json | jq .config"))
@click.argument("model", type=click.Path())
@session_options("json")
def info(session: Session, model: str) -> None:
    """Say what is in MODEL: its kind, how many entities, what it learned, its size on disk, its settings."""
    stored = open_model(model)
    facts = _facts(stored)
    if session.is_json:
        click.echo(json.dumps(facts, ensure_ascii=False))
        return
    console = console_on(sys.stdout)
    for key, value in facts.items():
        if isinstance(value, str):
            console.print(f"{key.replace('_', ' '):<20} {value}")
        elif isinstance(value, int):
            console.print(f"{key.replace('_', ' '):<20} {_shown(key, value)}")
    console.print("\nLargest arrays")
    largest = sorted(stored.manifest.arrays.items(), key=lambda item: -item[1].size)[:N_LARGEST]
    width = max((len(name) for name, _ in largest), default=0)
    for name, entry in largest:
        console.print(f"  {name:<{width}}  {entry.dtype:<8} {format_bytes(entry.size):>8}")
    console.print("\nSettings")
    for name, value in _flat(stored.config):
        console.print(f"  {name} = {json.dumps(value, ensure_ascii=False)}")


def _facts(stored: StoredModel) -> dict[str, Any]:
    manifest = stored.manifest
    offsets, learned_from = manifest.arrays.get("kb.ids.offsets"), manifest.arrays.get("learned_from")
    return {
        "path": str(stored.path),
        "kind": stored.kind,
        "entities": None if offsets is None else offsets.shape[0] - 1,
        "annotated_documents": learned_from.shape[0] if learned_from is not None else 0,
        "reranker_bytes": sum(each.size for name, each in manifest.arrays.items() if name.startswith("reranking.")),
        "bytes": folder_size(stored.path),
        "deixis_version": manifest.deixis_version,
        "format_version": manifest.format_version,
        "arrays": {
            name: {"dtype": entry.dtype, "shape": list(entry.shape), "bytes": entry.size}
            for name, entry in manifest.arrays.items()
        },
        "config": stored.config,
    }


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
