"""`deixis serve`: a model behind a port."""

from __future__ import annotations

import os
from pathlib import Path

import click

from deixis.cli.options import CommandWithSettings, GivenSettings, settings_from
from deixis.cli.session import Session, examples, session_options
from deixis.errors import ConfigError
from deixis.registry import Lazy, LazyRegistry
from deixis.service.config import URI_PREFIX, Access, Limits, ServiceConfig

SERVICES = LazyRegistry("service", {"http": Lazy("deixis.service.process.supervisor:serve", extra="serve")})
TOKEN = "DEIXIS_TOKEN"


@click.command(
    cls=CommandWithSettings,
    epilog=examples(
        "deixis serve model                  # this machine only, port 8080",
        "deixis serve model --host 0.0.0.0 --token-file token.txt --workers 2",
        'curl localhost:8080/link --json \'{"text": "Paris fell for Helen."}\'',
    ),
)
@click.argument("model", type=click.Path())
@click.option(
    "--host",
    metavar="ADDRESS",
    default="127.0.0.1",
    show_default=True,
    help="Address to listen on; 0.0.0.0 is all of them.",
)
@click.option(
    "--port",
    metavar="N",
    type=click.IntRange(0, 65535),
    default=8080,
    show_default=True,
    help="Port; 0 takes a free one.",
)
@click.option(
    "--workers",
    metavar="N",
    type=click.IntRange(1, 64),
    default=1,
    show_default=True,
    help="Processes; they share memory.",
)
@click.option("--token-file", metavar="FILE", help=f"File with the token. [default: the variable {TOKEN}]")
@click.option("--token-for-all", is_flag=True, help="Require the token for reading, too.")
@click.option("--corrections", metavar="FILE", hidden=True)
@click.option(
    "--cors-origin", "cors_origins", multiple=True, metavar="ORIGIN", help="Allowed CORS origins. [default: none]"
)
@click.option("--allow-host", "hosts", multiple=True, metavar="NAME", help="Further host names of the service.")
@click.option(
    "--public-url",
    metavar="URL",
    default="",
    help="Address that clients use, behind a proxy.",
)
@click.option(
    "--uri-prefix",
    metavar="URI",
    default=URI_PREFIX,
    show_default=True,
    help="Beginning of the URIs of ids that are none.",
)
@click.option("--log-texts", is_flag=True, help="Log the texts of requests, too.")
@settings_from(Limits)
@session_options("no-verify")
def serve(
    session: Session,
    model: str,
    host: str,
    port: int,
    workers: int,
    token_file: str | None,
    token_for_all: bool,
    corrections: str | None,
    cors_origins: tuple[str, ...],
    hosts: tuple[str, ...],
    public_url: str,
    uri_prefix: str,
    log_texts: bool,
    settings: GivenSettings[Limits],
) -> None:
    """Answer over HTTP with MODEL: /link, /explain, /entities, /learn, /undo; /label for a labeller; see /openapi.json.

    On this machine alone, reading is free and writing (/learn, /entities/add, /undo) needs a token. Bound to another
    address everything needs it: Authorization: Bearer TOKEN. SIGHUP, POST /reload or a new model in the folder reloads
    it; SIGTERM and Ctrl-C finish what was accepted. Hashes are verified at the start. Logs are JSON lines on stderr.
    More: docs/how-to/serve.md
    """
    path, host = Path(os.path.abspath(model)), host.strip("[]")
    access = Access.at(host, _token(token_file), token_for_all, cors_origins, hosts)
    if corrections is not None:
        raise ConfigError(
            "--corrections is not needed any more: corrections are kept in the journal beside the model. Add those of "
            f"the file once, with: deixis correct {model} {corrections}"
        )
    former = path.parent / f"{path.name}.corrections.jsonl"  # where earlier versions kept them
    if former.is_file():
        session.note(
            f"Note: {former} is not read any more: corrections are kept in the journal beside the model. To add those "
            f"of the file: deixis correct {model} {former}"
        )
    config = ServiceConfig(
        path,
        settings.config,
        access,
        log_texts,
        session.is_quiet,
        uri_prefix=uri_prefix,
        public_url=public_url.rstrip("/"),
        verify=session.verify,
    )
    SERVICES["http"](config, host, port, workers, lambda url: click.echo(f"Serving {model} on {url}", err=True))


def _token(path: str | None) -> str | None:
    """The token in the file, or else in the environment."""
    if path is None:
        return os.environ.get(TOKEN) or None
    try:
        token = Path(path).read_text(encoding="utf-8").strip()
    except UnicodeDecodeError:
        raise ConfigError(f"{path} is not text; a token file holds the token and nothing else.") from None
    if not token:
        raise ConfigError(f"{path} is empty; a token file holds the token and nothing else.")
    return token
