"""Limits and access rules of the service."""

from __future__ import annotations

import ipaddress
import re
from dataclasses import dataclass, field
from pathlib import Path

from deixis.config import Config, setting
from deixis.errors import ConfigError

LOOPBACK_NAMES = ("localhost", "127.0.0.1", "::1")
URI_PREFIX = "urn:deixis:entity:"
"""Prefix that turns an entity id into a URI where the entity has none; the same as in NIF files."""
URI_START = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:[^\x00-\x20<>\"{}|\\^`]*")
ORIGIN = re.compile(r"https?://[A-Za-z0-9.\-\[\]:]+(:[0-9]{1,5})?")
WEB_ADDRESS = re.compile(r"https?://[^\x00-\x20<>\"{}|\\^`?#]*[^\x00-\x20<>\"{}|\\^`?#/]")


@dataclass(frozen=True)
class Limits(Config):
    """Limits of one worker: sizes, counts and times. Requests beyond them are refused, which is cheap."""

    threads: int = setting(1, "Threads that link, in each worker.", low=1, cli="--worker-threads")
    queue: int = setting(64, "Requests that may wait in each worker; further ones get 429.", low=0, cli="--queue")
    seconds: float = setting(
        30.0, "Time for an answer; then the request gets 504.", above=0, below=86_400, cli="--seconds"
    )
    max_body: int = setting(4 << 20, "Bytes of a request's body; larger ones get 413.", low=1, cli="--max-body")
    max_batch: int = setting(256, "Documents, names or corrections in one request.", low=1, cli="--max-batch")
    max_characters: int = setting(1_000_000, "Characters of one text; longer ones get 413.", low=1)
    max_mentions: int = setting(10_000, "Mentions that may be given in one request.", low=1)
    body_seconds: float = setting(20.0, "Time for a body to arrive; then it gets 408.", above=0, below=86_400)
    header_seconds: float = setting(10.0, "Time for headers to arrive; then it is cut off.", above=0, below=86_400)
    max_connections: int = setting(2048, "Connections to each worker; further ones are closed.", low=1)


@dataclass(frozen=True)
class Access:
    """Access rules. `hosts` are the allowed values of the Host header, in lower case; empty allows any."""

    token: str | None = None
    is_token_for_all: bool = False
    cors_origins: tuple[str, ...] = ()
    hosts: tuple[str, ...] = LOOPBACK_NAMES

    @classmethod
    def at(
        cls,
        host: str,
        token: str | None = None,
        is_token_for_all: bool = False,
        cors_origins: tuple[str, ...] = (),
        hosts: tuple[str, ...] = (),
    ) -> Access:
        """The rules for a service bound to `host`. Unless it is a loopback address, every request needs a token.

        Examples
        --------
        >>> Access.at("127.0.0.1").is_token_for_all, Access.at("0.0.0.0", "a-token-of-16-letters").is_token_for_all
        (False, True)
        """
        is_near = is_loopback(host)
        if not is_near and token is None:
            raise ConfigError(
                f"Bound to {host!r} the service can be reached from other machines, so it needs a token. Give one with "
                "--token-file FILE or in DEIXIS_TOKEN, or bind to 127.0.0.1."
            )
        if is_token_for_all and token is None:
            raise ConfigError("A token for everything needs a token. Give one with --token-file or in DEIXIS_TOKEN.")
        for origin in cors_origins:
            if origin != "*" and not ORIGIN.fullmatch(origin):
                raise ConfigError(
                    "--cors-origin is an address without a path, such as https://example.org or http://localhost:3000, "
                    f"got {origin[:200]!r}."
                )
        further = [name.lower().strip("[]") for name in hosts]
        own = tuple(dict.fromkeys((*LOOPBACK_NAMES, host.lower(), *further))) if is_near or hosts else ()
        return cls(checked_token(token), is_token_for_all or not is_near, cors_origins, own)


@dataclass(frozen=True)
class ServiceConfig(Config):
    """Settings of a worker."""

    model: Path
    limits: Limits = field(default_factory=Limits)
    access: Access = field(default_factory=Access)
    is_texts_logged: bool = False
    is_quiet: bool = False
    uri_prefix: str = URI_PREFIX
    public_url: str = ""
    verify: bool = False  # at the start, once for all workers

    def __post_init__(self) -> None:
        if not URI_START.fullmatch(self.uri_prefix):
            raise ConfigError(
                f"--uri-prefix must be the beginning of a URI, such as https://example.org/things/, got "
                f"{self.uri_prefix[:200]!r}."
            )
        if self.public_url and not WEB_ADDRESS.fullmatch(self.public_url):
            raise ConfigError(
                "--public-url must be an address that begins with http:// or https:// and does not end in a slash, "
                f"such as https://example.org/deixis, got {self.public_url[:200]!r}."
            )


def checked_token(token: str | None) -> str | None:
    """The token, checked: it fits into a header and is not easily guessed."""
    if token is None:
        return None
    if len(token) < 16 or not token.isascii() or not token.isprintable() or " " in token:
        raise ConfigError(
            f"A token needs at least 16 printable ASCII characters without spaces, got {len(token)} characters. Make "
            'one with: python -c "import secrets; print(secrets.token_urlsafe())"'
        )
    return token


def is_loopback(host: str) -> bool:
    """Whether the address can be reached from this machine only.

    Examples
    --------
    >>> [is_loopback(host) for host in ("localhost", "127.0.0.5", "::1", "0.0.0.0", "example.org")]
    [True, True, True, False, False]
    """
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
