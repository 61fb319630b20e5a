"""Pictures in the docs, drawn from the rows in `results/`: `python -m benchmarks.figures [--check]`."""

import argparse
import sys
from collections.abc import Iterable, Mapping, Sequence

from benchmarks.rows import RESULTS
from benchmarks.scale.build_curve import SIZES
from benchmarks.suites.results import Row, read_results, row_key
from benchmarks.tables import ROOT
from deixis.reports.charts import Axis, Bars, Series, bar_chart, line_chart

FOLDER = ROOT / "docs" / "explanation" / "figures"
AT = (1, 2, 3, 5, 10, 15, 20, 25, 50, 100)
R_AXIS = Axis("candidates kept (R)", is_log=True, ticks=(1, 2, 5, 10, 20, 50, 100))
RECALL = "right one among them"
ACCURACY = "linked rightly"
WIKIPEDIA = {
    "AIDA, taught": ("candidates/wiki468k-aida-held-out", "deixis+mentions"),
    "AIDA": ("candidates/wiki468k-aida", "deixis"),
    "AQUAINT": ("candidates/wiki468k-aquaint", "deixis"),
    "WNED-WIKI": ("candidates/wiki468k-wned-wiki", "deixis"),
    "Reddit posts": ("candidates/reddit-posts", "deixis"),
    "Reddit comments": ("candidates/reddit-comments", "deixis"),
}
OTHERS = {
    "WordNet": ("candidates/wordnet", "deixis"),
    "MeSH, BC5CDR": ("candidates/mesh-bc5cdr", "deixis"),
    "MEDIC, NCBI": ("candidates/medic-ncbi", "deixis"),
    "ESCO, French": ("candidates/melo-fr", "deixis"),
    "ESCO, English": ("candidates/melo-en", "deixis"),
    "ESCO, German": ("candidates/melo-de", "deixis"),
    "ESCO, Swedish": ("candidates/melo-sv", "deixis"),
    "ESCO, German to English": ("candidates/melo-de-en", "deixis"),
}
RETRIEVERS = {"bm25": "BM25", "brute-force": "brute force", "tree": "tree alone", "default": "tree and names (default)"}
ON_WIKIPEDIA = {
    "AIDA": "wiki468k-aida",
    "AQUAINT": "wiki468k-aquaint",
    "WNED-WIKI": "wiki468k-wned-wiki",
    "Reddit posts": "reddit-posts",
    "Reddit comments": "reddit-comments",
}
ON_OTHERS = {
    "WordNet": "wordnet",
    "MeSH, BC5CDR": "mesh-bc5cdr",
    "MEDIC, NCBI": "medic-ncbi",
    "ESCO, English": "melo-en",
    "ESCO, German": "melo-de",
}
BINS = {"1, frequent": "bin-1", "2": "bin-2", "3": "bin-3", "4": "bin-4", "5, rare": "bin-5", "unseen": "unseen"}
AUGMENTATIONS = {"none": "no label texts", "self": "own label", "soft-0.1": "soft targets"}
N_CORRECTIONS = (1, 2, 3, 5, 10, 20, 50, 100, 500)
CORRECTED = {
    "AIDA": ("corrections/wiki468k-aida/testa", "deixis+mistakes"),
    "AIDA, by name only": ("corrections/wiki468k-aida/testa", "by-name+mistakes"),
    "NCBI": ("corrections/medic-ncbi/test", "deixis+mistakes"),
    "NCBI, by name only": ("corrections/medic-ncbi/test", "by-name+mistakes"),
    "demo": ("corrections/demo/dev", "deixis+mistakes"),
    "demo, by name only": ("corrections/demo/dev", "by-name+mistakes"),
}
SIZE_AXIS = Axis("entities", is_log=True, ticks=SIZES)
SCALE = {
    "build CPU": "build_cpu",
    "size of the model": "disk",
    "anonymous memory": "anonymous",
    "CPU of a mention": "query_cpu",
}
ByKey = Mapping[tuple[str, str, str], Row]


def figures(rows: Iterable[Row]) -> dict[str, str]:
    """File name -> the picture, made of the newest rows."""
    by_key = {row_key(row): row for row in rows}
    drawn = {
        "recall-wikipedia.svg": chart("Recall", "Wikipedia", RECALL, 0.4, lines("recall", WIKIPEDIA, by_key)),
        "recall-others.svg": chart("Recall", "others", RECALL, 0.0, lines("recall", OTHERS, by_key)),
        "accuracy-wikipedia.svg": chart("Accuracy", "Wikipedia", ACCURACY, 0.4, lines("accuracy", WIKIPEDIA, by_key)),
        "accuracy-others.svg": chart("Accuracy", "others", ACCURACY, 0.0, lines("accuracy", OTHERS, by_key)),
        "retrievers-wikipedia.svg": retrievers("Wikipedia", ON_WIKIPEDIA, by_key),
        "retrievers-others.svg": retrievers("others", ON_OTHERS, by_key),
        "gandalf-bins.svg": label_bins("gandalf/yso_en-25k-bag", by_key),
        "corrections-gain.svg": corrected(by_key),
        "scale.svg": grown(by_key),
    }
    return {name: f"{picture}\n" for name, picture in drawn.items()}


def chart(what: str, where: str, axis: str, low: float, series: list[Series]) -> str:
    """Lines against the number of candidates."""
    height = Axis(axis, low=low, high=1.0, is_percent=True)
    return line_chart(f"{what} by number of candidates, {where}", series, R_AXIS, height)


def retrievers(where: str, suites: Mapping[str, str], by_key: ByKey) -> str:
    """Bars of each way to find candidates, side by side on each suite."""
    rows = [bars(system, name, list(suites.values()), by_key) for system, name in RETRIEVERS.items()]
    height = Axis("right one among ten", low=0.0, high=1.0, is_percent=True)
    return bar_chart(f"Recall@10 without annotated text, {where}", list(suites), rows, height)


def label_bins(suite: str, by_key: ByKey) -> str:
    """Hits among five on labels of each frequency, with label texts as training points and without."""
    rows = []
    for system, name in AUGMENTATIONS.items():
        found = [by_key.get((suite, f"precision@5/{one}", system)) for one in BINS.values()]
        rows.append(Bars(name, [float("nan") if row is None else row["value"] for row in found]))
    height = Axis("share of five that is right", low=0.0, is_percent=True)
    return bar_chart("Contribution to P@5 by label frequency, yso_en, 25,000 documents", list(BINS), rows, height)


def corrected(by_key: ByKey) -> str:
    """Lines against the number of corrections: what they gain in other texts."""
    series = lines("gain", CORRECTED, by_key, N_CORRECTIONS)
    width = Axis("corrections of mistakes", is_log=True, ticks=(1, 2, 5, 10, 20, 50, 100, 500))
    return line_chart("Gain in accuracy on other texts", series, width, Axis("gain", is_percent=True))


def grown(by_key: ByKey) -> str:
    """Lines against the number of entities: how many times as much as with the smallest list."""
    series = []
    for name, metric in SCALE.items():
        rows = [(n, by_key.get((f"scale/wiki-{n}", metric, "deixis"))) for n in SIZES]
        points = [(n, row["value"]) for n, row in rows if row is not None]
        series.append(Series(name, [n for n, _ in points], [value / points[0][1] for _, value in points]))
    height = Axis("times as much as with 50,000", low=1, is_log=True, ticks=(1, 2, 5, 10, 20, 50))
    return line_chart("What 50,000 to 2 million entities need", series, SIZE_AXIS, height)


def lines(metric: str, sets: Mapping[str, tuple[str, str]], by_key: ByKey, at: Sequence[int] = AT) -> list[Series]:
    """One line a set, without intervals: many lines with bands cannot be read."""
    drawn = []
    for name, (suite, system) in sets.items():
        found = [(n, by_key.get((suite, f"{metric}@{n}", system))) for n in at]
        points = [(n, row["value"]) for n, row in found if row is not None]
        drawn.append(Series(name, [n for n, _ in points], [value for _, value in points]))
    return drawn


def bars(system: str, name: str, suites: list[str], by_key: ByKey) -> Bars:
    """Recall@10 of one system on each suite with its interval, as far as they were measured."""
    rows = [by_key.get((f"retrieval/{suite}", "recall@10", system)) for suite in suites]
    values, low, high = (
        [float("nan") if row is None else row.get(key, float("nan")) for row in rows]
        for key in ("value", "low", "high")
    )
    return Bars(name, values, low, high)


def main(arguments: list[str] | None = None) -> int:
    """Draw the pictures anew; with --check, only say which files are out of date."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing, fail if a picture is out of date")
    options = parser.parse_args(arguments)
    stale = 0
    for name, picture in figures(read_results(RESULTS)).items():
        path = FOLDER / name
        if path.exists() and path.read_text(encoding="utf-8") == picture:
            continue
        stale += 1
        if not options.check:
            FOLDER.mkdir(parents=True, exist_ok=True)
            path.write_text(picture, encoding="utf-8")
        print(("out of date: " if options.check else "drawn: ") + name)
    return 1 if stale and options.check else 0


if __name__ == "__main__":
    sys.exit(main())
