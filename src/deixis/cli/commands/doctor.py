"""`deixis doctor`: is this installation sound, and are a model's files what they were when it was saved."""

from __future__ import annotations

import importlib
import importlib.metadata
import json
import os
import platform
import re
import shutil
import sys
from collections.abc import Iterable
from dataclasses import asdict, dataclass

import click

from deixis import __version__
from deixis.cli.session import Session, examples, session_options
from deixis.cli.timing import format_bytes
from deixis.errors import StoreError

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_EXTRA = re.compile(r"""extra\s*==\s*["']([^"']+)["']""")


@dataclass(frozen=True)
class Finding:
    """One thing that was checked; `is_fine` is None for what is merely good to know."""

    what: str
    is_fine: bool | None
    detail: str


@click.command(epilog=examples("deixis doctor", "deixis doctor model", "deixis doctor model --json"))
@click.argument("model", required=False, type=click.Path())
@session_options("json")
def doctor(session: Session, model: str | None) -> int:
    """Check this installation; with a MODEL, compare every file of it with the hash noted when it was saved.

    The exit code is 1 if anything is not as it should be.
    """
    findings = _look_at_installation() if model is None else _look_at_model(model)
    is_fine = all(finding.is_fine is not False for finding in findings)
    if session.is_json:
        click.echo(json.dumps({"ok": is_fine, "findings": [asdict(finding) for finding in findings]}))
        return int(not is_fine)
    for finding in findings if model is None else [*_in_short(findings), *_check_needs(model, is_fine)]:
        sign = {True: "ok  ", False: "BAD ", None: "    "}[finding.is_fine]
        colour = {True: "green", False: "red", None: None}[finding.is_fine]
        click.echo(f"{click.style(sign, fg=colour)}{finding.what:<22} {finding.detail}")
    click.echo("Everything is fine." if is_fine else "Something is wrong: see the lines marked BAD.")
    return int(not is_fine)


def _look_at_installation() -> list[Finding]:
    findings = [
        Finding("deixis", True, __version__),
        Finding("python", sys.version_info >= (3, 11), f"{platform.python_version()} ({sys.executable})"),
        Finding("system", None, f"{platform.system()} {platform.machine()}, {os.cpu_count()} processors"),
        Finding("free disk space here", None, format_bytes(shutil.disk_usage(".").free)),
    ]
    required = requirements()
    findings += [_look_at_package(name) for name in required.pop("")]
    findings.append(_look_at_core())
    return findings + [_look_at_extra(extra, packages) for extra, packages in required.items()]


def _look_at_extra(extra: str, packages: tuple[str, ...]) -> Finding:
    versions = {package: _version_of(package) for package in packages}
    missing = [package for package, version in versions.items() if version is None]
    detail = ", ".join(f"{package} {version}" for package, version in versions.items())
    if missing:
        detail = f"not installed: {', '.join(missing)}; if you need it: pip install 'deixis[{extra}]'"
    return Finding(f"extra {extra}", None, detail)


def _look_at_package(name: str) -> Finding:
    try:
        importlib.import_module(name.replace("-", "_"))
    except ImportError as error:
        return Finding(name, False, f"cannot be imported: {error}. Try: pip install --force-reinstall deixis")
    return Finding(name, True, _version_of(name) or "unknown version")


def _look_at_core() -> Finding:
    try:
        core = importlib.import_module("deixis.native._core")
    except ImportError as error:
        return Finding("compiled core", False, f"cannot be loaded: {error}. Try: pip install --force-reinstall deixis")
    return Finding("compiled core", True, os.path.basename(core.__file__ or "built in"))


def _version_of(package: str) -> str | None:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None


def _look_at_model(model: str) -> list[Finding]:
    from deixis.store.model_folder import verify_model

    checks = [Finding(check.file, check.ok, check.problem or "as it was saved") for check in verify_model(model)]
    return checks + (_check_journal(model) if all(finding.is_fine for finding in checks) else [])


def _check_journal(model: str) -> list[Finding]:
    """Whether the journal of a model, if it has one, is whole and belongs to it."""
    from deixis.store.journal import Journal, journal_of
    from deixis.store.origin import open_origin

    path = journal_of(model)
    if not os.path.lexists(path):
        return []
    try:
        origin = open_origin(model)[1]
        problems = Journal(path, origin.model_id, origin.generation).problems()
    except StoreError as error:
        problems = [str(error)]
    return [Finding(path.name, not problems, "; ".join(problems[:3]) or "whole, and of this model")]


def _check_needs(model: str, is_whole: bool) -> list[Finding]:
    """What the model can only do with an extra."""
    from deixis.store.model_folder import open_model

    if not is_whole:
        return []
    arrays, version = open_model(model).arrays, _version_of("onnxruntime")
    findings = []
    for prefix, name, purpose in (("reranker.", "re-ranker", "--rerank"), ("reader.", "reader", "texts")):
        if any(array.startswith(prefix) for array in arrays):
            way_out = " (or deixis link --no-reader)" if name == "reader" else ""
            missing = f"for {purpose} its package is missing: pip install 'deixis[onnx]'{way_out}"
            fine = f"runs on onnxruntime {version}"
            findings.append(Finding(name, True if version else None, fine if version else missing))
    return findings


def _in_short(files: list[Finding]) -> list[Finding]:
    """Only the files that have a problem, how many have none, and the journal."""
    journal = [finding for finding in files if finding.what.endswith(".journal")]
    problems = [finding for finding in files if not finding.is_fine and finding not in journal]
    n_fine = len(files) - len(problems) - len(journal)
    if problems:
        return [*problems, Finding(f"{n_fine} other files", None, "as they were saved"), *journal]
    return [Finding(f"{n_fine} files", True, "all as they were saved"), *journal]


def requirements() -> dict[str, tuple[str, ...]]:
    """The names of the packages of each extra; under the empty name, those that Deixis cannot do without.

    Examples
    --------
    >>> "numpy" in requirements()[""], requirements()["zstd"]
    (True, ('zstandard',))
    """
    about = importlib.metadata.metadata("deixis")
    return by_extra(about.get_all("Provides-Extra") or (), about.get_all("Requires-Dist") or ())


def by_extra(extras: Iterable[str], lines: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """The names of required packages by the extra that asks for them, from `Requires-Dist` lines.

    Examples
    --------
    >>> by_extra(["zstd"], ["numpy>=2.0", 'zstandard>=0.22; extra == "zstd"'])
    {'': ('numpy',), 'zstd': ('zstandard',)}
    """
    packages: dict[str, tuple[str, ...]] = {extra: () for extra in ("", *extras)}
    for line in lines:
        name, extra = _NAME.match(line), _EXTRA.search(line)
        if name is not None:
            key = "" if extra is None else extra[1]
            packages[key] = (*packages.get(key, ()), name[0])
    return packages
