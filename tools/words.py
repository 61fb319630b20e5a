"""Counts retired words in the code and the docs: `python -m tools.words`; `--update` lowers the ceilings.

`tests/architecture/words.toml` has the words and their ceilings, which may only fall. What to write instead is in
`docs/reference/glossary.md`.
"""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
CEILINGS = ROOT / "tests" / "architecture" / "words.toml"
SOURCE = ROOT / "src" / "deixis"
SLACK, SLACK_FRACTION = 5, 0.1  # how far below its ceiling a count may be before the ceiling must follow


def ceilings() -> dict[str, dict[str, int]]:
    """Kind of place (`identifiers`, `parts`, `prose`) -> retired word -> the most that there may be."""
    return tomllib.loads(CEILINGS.read_text("utf-8"))


def counts() -> dict[str, dict[str, int]]:
    """The same with the numbers of today."""
    words, bound = ceilings(), Counter(bound_names())
    parts: Counter[str] = Counter()
    for name, n in bound.items():
        parts.update(dict.fromkeys(words_of(name), n))
    texts = "\n".join(prose()).lower()
    return {
        "identifiers": {word: bound[word] + bound[f"_{word}"] for word in words["identifiers"]},
        "parts": {word: parts[word] for word in words["parts"]},
        "prose": {word: len(re.findall(rf"\b(?:{word})\b", texts)) for word in words["prose"]},
    }


def bound_names() -> Iterator[str]:
    """Every name that the package gives to a variable, parameter, attribute, function or class."""
    for path in sorted(SOURCE.rglob("*.py")):
        for node in nodes(path):
            if isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Store):
                yield node.id if isinstance(node, ast.Name) else node.attr
            elif isinstance(node, ast.arg):
                yield node.arg
            elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                yield node.name


@cache
def nodes(path: Path) -> list[ast.AST]:
    """Every node of a module's syntax tree."""
    return list(ast.walk(ast.parse(path.read_text("utf-8"))))


def words_of(name: str) -> set[str]:
    """The words of a name in small letters.

    Examples
    --------
    >>> sorted(words_of("_LEAST_chance")), sorted(words_of("FusionRanker"))
    (['chance', 'least'], ['fusion', 'ranker'])
    """
    return {word.lower() for word in re.findall(r"[A-Z]?[a-z]+|[A-Z]+|[0-9]+", name)}


def prose() -> Iterator[str]:
    """Docstrings, messages and help texts of the package, the workbench, and the pages of the docs."""
    for path in sorted(SOURCE.rglob("*.py")):
        for node in nodes(path):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                yield node.value
    pages = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")), *sorted((SOURCE / "service").rglob("*.js"))]
    for path in [*pages, *sorted((SOURCE / "service").rglob("*.html"))]:
        yield path.read_text("utf-8")


def is_slack(count: int, ceiling: int) -> bool:
    """Whether a ceiling is so far above its count that it must be lowered."""
    return ceiling - count > max(SLACK, SLACK_FRACTION * ceiling)


def update() -> list[str]:
    """Lowers every ceiling to its count; returns the words that are above theirs, which stay."""
    allowed, today, too_many = ceilings(), counts(), []
    lines = ["# Retired words and how often each may occur; `python -m tools.words --update` lowers the numbers.\n"]
    for kind, words in allowed.items():
        lines.append(f"\n[{kind}]\n")
        for word, ceiling in sorted(words.items()):
            count = today[kind][word]
            if count > ceiling:
                too_many.append(f"{kind}: {word!r} occurs {count} times, at most {ceiling} are allowed.")
            lines.append(f"'{word}' = {min(count, ceiling)}\n")
    CEILINGS.write_text("".join(lines), encoding="utf-8")
    return too_many


def main(arguments: list[str]) -> int:
    """Prints the counts, or updates the ceilings; 1 if a word is above its ceiling."""
    if arguments == ["--update"]:
        too_many = update()
        print("\n".join(too_many) or f"Updated {CEILINGS.relative_to(ROOT)}.")
        return bool(too_many)
    allowed, today = ceilings(), counts()
    for kind, words in today.items():
        for word, count in words.items():
            print(f"{kind:12} {word:28} {count:5} of {allowed[kind][word]:5}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
