"""`deixis learn`, which became `deixis correct` and `deixis fit`: says which command to run instead."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

import click

TRAINERS = {"--bi-encoder": "encoder", "--rerank": "reranker", "--reader": "reader"}
"""Old flags, in the order in which they were trained."""
RENAMED = {
    "--mentions-format": "--format",
    "--held-out-share": "--held-out",
    "--rerank-n-candidates": "--candidates",
    "--rerank-max-mentions": "--max-mentions",
    "--rerank-epochs": "--epochs",
    "--bi-encoder-n-layers": "--layers",
    "--bi-encoder-n-rounds": "--rounds",
    "--bi-encoder-n-steps": "--steps",
    "--reader-n-layers": "--layers",
    "--reader-n-steps": "--steps",
}
FLAGS = ("--resume", "--afresh", "--json", "--quiet", "-q", "--debug")
"""Options that take no value."""
WITH_CHECKPOINTS = ("--work", "--resume", "--afresh")


@click.command(context_settings={"ignore_unknown_options": True, "allow_interspersed_args": True}, hidden=True)
@click.argument("words", nargs=-1, type=click.UNPROCESSED)
def learn(words: tuple[str, ...]) -> None:
    """Say what `deixis learn` became: correct and fit.

    Example: deixis learn model corrections.jsonl became deixis correct model corrections.jsonl
    """
    commands = new_commands(words)
    raise click.UsageError(f"deixis learn became deixis correct and deixis fit. Run: {' && '.join(commands)}")


def new_commands(words: Sequence[str]) -> list[str]:
    """The commands that do what `deixis learn` did with these words.

    Examples
    --------
    >>> new_commands(["model", "corrections.jsonl"])
    ['deixis correct model corrections.jsonl']
    >>> new_commands(["model", "--mentions", "t.jsonl", "--rerank", "--rerank-epochs", "3"])
    ['deixis fit reranker model --mentions t.jsonl --epochs 3']
    """
    paths, options = _split(words)
    if paths[1:] or not any(flag == "--mentions" for flag, *_ in options):
        return [_line("correct", paths or ["MODEL"], options)]
    trainers = [flag for flag in TRAINERS if [flag] in options] or [""]
    options = [option for option in options if option[0] not in TRAINERS]
    outputs = [value[0] for flag, *value in options if flag in ("-o", "--output")]
    commands = []
    for number, flag in enumerate(trainers):
        own = [option for option in options if _belongs(option[0], flag)]
        if number:  # the second command goes on with what the first one wrote
            paths = outputs or paths
            own = [option for option in own if option[0] not in ("-o", "--output")]
        commands.append(_line(f"fit {TRAINERS.get(flag, 'weights')}", paths or ["MODEL"], own))
    return commands


def _split(words: Sequence[str]) -> tuple[list[str], list[list[str]]]:
    """The paths, and the options each with its value."""
    paths: list[str] = []
    options: list[list[str]] = []
    waiting = list(words)
    while waiting:
        word = waiting.pop(0)
        if not word.startswith("-") or word == "-":
            paths.append(word)
        elif "=" in word:
            options.append(word.split("=", 1))
        elif word in FLAGS or word in TRAINERS or not waiting:
            options.append([word])
        else:
            options.append([word, waiting.pop(0)])
    return paths, options


def _belongs(option: str, trainer_flag: str) -> bool:
    """Whether an option goes with a trainer: settings of another one do not."""
    if option in WITH_CHECKPOINTS:
        return trainer_flag in ("--rerank", "--bi-encoder")
    owner = next((flag for flag in TRAINERS if option.startswith(f"{flag}-")), trainer_flag)
    return owner == trainer_flag and (option != "--encoder" or bool(trainer_flag))


def _line(command: str, paths: Sequence[str], options: Sequence[Sequence[str]]) -> str:
    words = ["deixis", *command.split(), *paths]
    for flag, *value in options:
        owner = next((name for name in TRAINERS if flag.startswith(f"{name}-")), None)
        if flag in RENAMED or owner is None:
            words += [RENAMED.get(flag, flag), *value]
        else:
            key = flag.removeprefix(f"{owner}-").replace("-", "_")
            words += ["--set", f"{TRAINERS[owner]}.{key}={value[0] if value else ''}"]
    return shlex.join(words)
