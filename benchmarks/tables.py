"""Tables in README and docs, made from the rows in `results/`: `python -m benchmarks.tables [--check]`.

A table stands between `<!-- results suite=wordnet systems=deixis,pecos metrics=recall@10,disk -->` and
`<!-- /results -->`: one line per metric, one column per system. With `systems=*` it has one line per system of the
suite, the best last, and one column per metric. With `intervals=yes` the low and the high of a row stand behind it.

`<!-- results suites=wordnet/dev,melo-*/dev systems=bm25,deixis metric=recall@10 -->` has one line per suite (`*` stands
for any that were measured) and one column per system, the best in bold. With `system=deixis metrics=recall@1,recall@10`
in place of systems and metric, it has one column per metric of that system.

`<!-- results seeds=reader/ncbi-seed-*-test systems=none,both metrics=recall@8 -->` has one line per system and one
column per metric: the mean over the suites that have the system, the least and the greatest, and how many these are.

`<!-- results methods=linking -->` has one line per method of `benchmarks/methods.py`.
"""

import argparse
import fnmatch
import re
import sys
from collections.abc import Callable, Iterable
from pathlib import Path

from benchmarks.methods import method_lines
from benchmarks.rows import RESULTS
from benchmarks.suites.results import Row, read_results, row_key

ROOT = Path(__file__).resolve().parents[1]
TABLE = re.compile(r"(?P<open><!-- results (?P<spec>[^>]*?) -->\n)(?P<body>.*?)(?P<close><!-- /results -->)", re.DOTALL)
DIGITS = {"share": 3, "x": 1} | dict.fromkeys(("requests", "workers", "times", "status", "characters/s"), 0)


def render(text: str, rows: Iterable[Row]) -> str:
    """The text with every table between markers written anew."""
    by_key = {row_key(row): row for row in rows}

    def table(found: re.Match[str]) -> str:
        spec = dict(part.split("=", 1) for part in found["spec"].split())
        missing = needed(spec) - set(spec)
        if missing:
            raise ValueError(f"<!-- results {found['spec']} --> lacks {', '.join(sorted(missing))}.")
        metrics = spec.get("metrics", "").split(",")
        if "methods" in spec:
            lines = method_lines(spec["methods"], by_key, cell)
        elif "seeds" in spec:
            lines = seed_lines(matching([spec["seeds"]], by_key), spec["systems"].split(","), metrics, by_key)
        elif "suites" in spec:
            suites = matching(spec["suites"].split(","), by_key)
            if "system" in spec:
                lines = metric_lines(suites, spec["system"], metrics, by_key)
            else:
                lines = suite_lines(suites, spec["systems"].split(","), spec["metric"], by_key)
        elif spec["systems"] == "*":
            lines = system_lines(spec["suite"], metrics, by_key)
        else:
            shown = cell_and_interval if spec.get("intervals") == "yes" else cell
            lines = table_lines(spec["suite"], spec["systems"].split(","), metrics, by_key, shown)
        return found["open"] + "\n".join(lines) + "\n" + found["close"]

    return TABLE.sub(table, text)


def needed(spec: dict[str, str]) -> set[str]:
    """What a marker must say, given the first things it says."""
    if "methods" in spec:
        return set()
    if "seeds" in spec:
        return {"systems", "metrics"}
    if "suites" not in spec:
        return {"suite", "systems", "metrics"}
    return {"suites", "system", "metrics"} if "system" in spec else {"suites", "systems", "metric"}


def table_lines(
    suite: str,
    systems: list[str],
    metrics: list[str],
    by_key: dict[tuple[str, str, str], Row],
    shown: Callable[[Row | None], str],
) -> list[str]:
    """A markdown table of one suite; a dash where nothing was measured."""
    lines = [f"| {suite} | " + " | ".join(systems) + " |", "| --- |" + " ---: |" * len(systems)]
    for metric in metrics:
        cells = [shown(by_key.get((suite, metric, system))) for system in systems]
        lines.append(f"| {metric} | " + " | ".join(cells) + " |")
    return lines


def system_lines(suite: str, metrics: list[str], by_key: dict[tuple[str, str, str], Row]) -> list[str]:
    """A markdown table of all systems of one suite, by their last metric, the best last."""
    last = {key[2]: row["value"] for key, row in by_key.items() if key[:2] == (suite, metrics[-1])}
    lines = [f"| {suite} | " + " | ".join(metrics) + " |", "| --- |" + " ---: |" * len(metrics)]
    for system in sorted(last, key=lambda name: (last[name], name)):
        cells = [cell(by_key.get((suite, metric, system))) for metric in metrics]
        lines.append(f"| {system} | " + " | ".join(cells) + " |")
    return lines


def matching(patterns: list[str], by_key: dict[tuple[str, str, str], Row]) -> list[str]:
    """The suites of these names; of a name with `*` all that have rows, in the order of the alphabet."""
    measured = sorted({key[0] for key in by_key})
    suites: list[str] = []
    for pattern in patterns:
        suites += fnmatch.filter(measured, pattern) if "*" in pattern else [pattern]
    return list(dict.fromkeys(suites))


def suite_lines(
    suites: list[str], systems: list[str], metric: str, by_key: dict[tuple[str, str, str], Row]
) -> list[str]:
    """A markdown table of one metric over many suites, the best of each line in bold."""
    lines = [f"| {metric} | " + " | ".join(systems) + " |", "| --- |" + " ---: |" * len(systems)]
    for suite in suites:
        rows = [by_key.get((suite, metric, system)) for system in systems]
        measured = [row for row in rows if row is not None]
        best = best_cell(measured)
        cells = (cell(row) for row in rows)
        lines.append(f"| {suite} | " + " | ".join(f"**{one}**" if one == best else one for one in cells) + " |")
    return lines


def metric_lines(
    suites: list[str], system: str, metrics: list[str], by_key: dict[tuple[str, str, str], Row]
) -> list[str]:
    """A markdown table of one system over many suites, a column per metric."""
    lines = [f"| {system} | " + " | ".join(metrics) + " |", "| --- |" + " ---: |" * len(metrics)]
    for suite in suites:
        cells = [cell(by_key.get((suite, metric, system))) for metric in metrics]
        lines.append(f"| {suite} | " + " | ".join(cells) + " |")
    return lines


def seed_lines(
    suites: list[str], systems: list[str], metrics: list[str], by_key: dict[tuple[str, str, str], Row]
) -> list[str]:
    """A markdown table of means over suites that differ in their seed only, a line per system."""
    lines = ["| | seeds | " + " | ".join(metrics) + " |", "| --- |" + " ---: |" * (1 + len(metrics))]
    for system in systems:
        found = [[by_key[suite, metric, system] for suite in suites if (suite, metric, system) in by_key]
                 for metric in metrics]  # fmt: skip
        cells = [cell_and_interval(mean_row(rows) if rows else None) for rows in found]
        lines.append(f"| {system} | {max(map(len, found))} | " + " | ".join(cells) + " |")
    return lines


def mean_row(rows: list[Row]) -> Row:
    """The mean of rows of one metric and system, with the least and the greatest in place of an interval."""
    values = [row["value"] for row in rows]
    return rows[0] | {"value": sum(values) / len(values), "low": min(values), "high": max(values)}


def best_cell(rows: list[Row]) -> str:
    """How the best of the rows is shown: the greatest share or speed, or else the least cost; ratios have no best."""
    if not rows or rows[0]["unit"] == "x":
        return ""
    better = max if rows[0]["unit"] == "share" or rows[0]["unit"].endswith("/s") else min
    return cell(better(rows, key=lambda row: row["value"]))


def cell(row: Row | None) -> str:
    """A value with its unit."""
    if row is None:
        return "–"
    value, unit = row["value"], row["unit"]
    digits = 0 if unit.startswith(("of ", "rows", "files")) else 1 if abs(value) >= 10 else 2 if abs(value) >= 1 else 3
    digits = DIGITS.get(unit, digits)
    number = f"{value:,.{digits}f}"
    return number.removeprefix("0") if unit == "share" else f"{number}×" if unit == "x" else f"{number} {unit}"


def cell_and_interval(row: Row | None) -> str:
    """A value with its unit, and its low and high if the row has them and they differ."""
    if row is None or row.get("low") is None or row["low"] == row["high"]:
        return cell(row)
    low, high = (cell(row | {"value": row[end]}) for end in ("low", "high"))
    return f"{cell(row)} [{low}, {high}]"


def main(arguments: list[str] | None = None) -> int:
    """Rewrite the tables; with --check, only say which files are out of date."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing, fail if a table is out of date")
    options = parser.parse_args(arguments)
    rows = read_results(RESULTS)
    stale = []
    for path in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]:
        text = path.read_text(encoding="utf-8")
        fresh = render(text, rows)
        if fresh != text:
            stale.append(path)
            if not options.check:
                path.write_text(fresh, encoding="utf-8")
    for path in stale:
        print(("out of date: " if options.check else "rewritten: ") + str(path.relative_to(ROOT)))
    return 1 if stale and options.check else 0


if __name__ == "__main__":
    sys.exit(main())
