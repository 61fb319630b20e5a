"""Several modules as one: docstrings, imports, then what each defines, in an order in which it can be imported."""

from __future__ import annotations

import ast
import textwrap
from dataclasses import dataclass


@dataclass(frozen=True)
class Part:
    """A module taken apart."""

    docstring: str
    imports: list[str]
    body: str
    names: dict[str, str]
    needs_others: bool

    @classmethod
    def of(cls, source: str, whole: str) -> Part:
        """Takes a module apart that becomes part of the module `whole`; imports from there are not kept."""
        tree, lines = ast.parse(source), source.splitlines(keepends=True)
        head = [node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)]
        own = [node for node in head if isinstance(node, ast.ImportFrom) and node.module == whole]
        kept = [node for node in head if node not in own and getattr(node, "module", "") != "__future__"]
        end = max((node.end_lineno or 0 for node in head), default=(tree.body[0].end_lineno or 0))
        return cls(
            ast.get_docstring(tree) or "",
            ["".join(lines[node.lineno - 1 : node.end_lineno]).rstrip("\n") for node in kept],
            "".join(lines[end:]).strip("\n"),
            _names(tree, source, own),
            bool(own),
        )


def clashes(sources: list[str], whole: str) -> set[str]:
    """Top-level names that mean different things in the modules, and imports that cannot go."""
    meanings: dict[str, set[str]] = {}
    for source in sources:
        for name, meaning in Part.of(source, whole).names.items():
            meanings.setdefault(name, set()).add(meaning)
    return {name for name, means in meanings.items() if len(means) > 1}


def joined(sources: list[str], whole: str) -> str:
    """The text of the module `whole`, made of modules whose names are already the new ones."""
    parts = sorted((Part.of(source, whole) for source in sources), key=lambda part: part.needs_others)
    first = Part.of(sources[0], whole)
    docstrings = [first.docstring, *(part.docstring for part in parts if part.docstring != first.docstring)]
    imports = list(dict.fromkeys(line for part in parts for line in part.imports))
    return (
        "\n\n".join(
            [
                '"""' + _docstring(docstrings) + '"""',
                "from __future__ import annotations",
                "\n".join(imports),
                *("\n" + part.body for part in parts),
            ]
        )
        + "\n"
    )


def _docstring(texts: list[str]) -> str:
    text = "\n\n".join(texts)
    return text if len(texts) == 1 and "\n" not in text else text + "\n"


def _names(tree: ast.Module, source: str, own: list[ast.ImportFrom]) -> dict[str, str]:
    """Name -> what it means: where it is imported from, or how it is defined."""
    names: dict[str, str] = {}
    for node in tree.body:
        if node in own:
            names |= {alias.asname: "another name of its own" for alias in node.names if alias.asname}
        elif isinstance(node, ast.Import | ast.ImportFrom):
            where = getattr(node, "module", "")
            names |= {alias.asname or alias.name: f"{where} {alias.name}" for alias in node.names}
        elif isinstance(node, ast.FunctionDef | ast.ClassDef):
            names[node.name] = textwrap.dedent(ast.get_source_segment(source, node) or "")
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            text = ast.get_source_segment(source, node) or ""
            names |= {each.id: text for target in targets for each in ast.walk(target) if isinstance(each, ast.Name)}
        elif isinstance(node, ast.If):
            names["TYPE_CHECKING block"] = ast.get_source_segment(source, node) or ""
    return names
