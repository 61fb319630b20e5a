"""`deixis fit name-encoder`: a list with names in several languages in, an encoder for `--encoder` out."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path

import click

from deixis.cli.files import check_target, read_kb
from deixis.cli.list_options import list_options
from deixis.cli.options import CommandWithSettings, GivenSettings, comma_separated, settings_from
from deixis.cli.render import console_on
from deixis.cli.render_tables import table_of
from deixis.cli.session import Session, examples, session_options
from deixis.cli.timing import folder_size, format_bytes, model_summary
from deixis.config import config_to_dict
from deixis.encoders.config import ParallelConfig
from deixis.kb.read_options import ReadOptions
from deixis.training.name_encoder import DEPTH, FittedNameEncoder, described, fit_name_encoder

SOURCES = "alias,spelling,names,label_tree,descriptions,name_vectors"


@click.command(
    cls=CommandWithSettings,
    epilog=examples(
        "deixis fit name-encoder occupations.ttl -o across",
        "deixis fit name-encoder kb.jsonl -o across --languages de,en --target en",
        f"deixis build kb.jsonl -o model --encoder across \\\n      --sources {SOURCES}",
    ),
)
@click.argument("lists", metavar="LIST...", nargs=-1, required=True, type=click.Path())
@click.option("-o", "--output", required=True, metavar="ENCODER", help="The encoder folder to write.")
@click.option("--languages", metavar="LANG,...", help="Names to learn from. [default: all]")
@click.option("--target", metavar="LANG", help="Language of the names to link to. [default: that of most names]")
@click.option(
    "--held-out", type=click.FloatRange(0, 1, max_open=True), metavar="X", default=0.1, show_default=True,
    help="Share of entities to measure on first; 0: do not.",
)  # fmt: skip
@click.option("--skip-bad", is_flag=True, help="Skip and count lines of LIST that cannot be read.")
@list_options(is_in_line=True)
@settings_from(ParallelConfig, has_file=False)
@session_options("json", "threads", "seed")
def name_encoder(
    session: Session,
    lists: tuple[str, ...],
    output: str,
    languages: str | None,
    target: str | None,
    held_out: float,
    skip_bad: bool,
    reading: ReadOptions,
    settings: GivenSettings[ParallelConfig],
) -> None:
    """Fit an encoder of names across languages to a list that has names in several.

    LIST is anything that deixis build takes whose aliases have languages: JSON, SKOS, Wikidata. Mentions in one
    language then find entities by their names in another, also entities without a name in the mention's language.
    Takes about a minute for 100,000 names; no extra is needed.
    """
    check_target(Path(output))
    with session.watching():
        kb = read_kb(session, lists, skip_bad, reading)
        chosen = comma_separated(str)(languages) if languages else ()
        fitted = fit_name_encoder(
            kb, settings.config, chosen, target, held_out, session.seed, session.threads
        )  # fmt: skip
        about = config_to_dict(settings.config) | {"target": fitted.target, "names": fitted.counts}
        fitted.encoder.save(output, about)
        session.note(f"Names: {described(fitted.counts)}. {fitted.n_parallel:,} entities have names in two or more.")
        session.note(f"Encoder written to {output} ({format_bytes(folder_size(Path(output)))}). Use it:")
        session.note(f"  deixis build LIST -o model --encoder {shlex.quote(output)} --sources {SOURCES}")
    if session.is_json:
        summary = {"target": fitted.target, "names": fitted.counts, RECALL: fitted.recalls}
        click.echo(json.dumps(summary | model_summary(output, session.started, entities=fitted.n_parallel)))
    elif fitted.recalls:
        _print_recalls(fitted)


RECALL = f"recall@{DEPTH}"


def _print_recalls(fitted: FittedNameEncoder) -> None:
    """A table with a line per language."""
    target = fitted.target or "names without a language"
    table = table_of(f"held-out entities, by names in {target}", (("names in", "left"), (RECALL, "right")))
    for lang, recall in fitted.recalls.items():
        table.add_row(lang, f"{recall:.3f}")
    console_on(sys.stdout).print(table)
