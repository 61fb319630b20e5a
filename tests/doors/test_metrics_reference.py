"""The page of metrics tells of every figure and every outcome there is."""

import re
from pathlib import Path

from deixis.evaluation.linking.confidence import Confidences
from deixis.evaluation.linking.figures import linking_figures
from deixis.evaluation.linking.outcomes import Outcome
from deixis.evaluation.linking.tally import Tally
from deixis.types import Document, Mention

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "reference" / "metrics.md").read_text(encoding="utf-8")


def names_on_the_page():
    """The names in code, `a_precision`, `_recall`, `_f1` written out, and with `_weak`."""
    names = set()
    for line in PAGE.splitlines():
        found = re.findall(r"`([\w@]+)`", line)
        for name in found:
            prefix = found[0].removesuffix("_precision")
            names.add(prefix + name if name.startswith("_") else name)
    return names | {f"{name}_weak" for name in names if name.startswith(("inkb", "span"))}


def test_every_figure_is_on_the_page():
    known = names_on_the_page() | {f"recall@{k}" for k in (1, 5)}
    assert "recall@k" in known
    assert {figure.name for figure in linking_figures([1, 5])} <= known
    document = Document("d", "Troy", mentions=(Mention(0, 4, "Troy", "Q22647", score=0.5),))
    tally = Tally(resolve=None)
    tally.add(document, document)
    links: Confidences = tally.confidences
    assert {metric.name for metric in links.metrics(n_draws=1)} <= known


def test_every_outcome_is_on_the_page_in_its_order():
    rows = re.findall(r"^\| ([\w ]+) \| ", PAGE[PAGE.index("| outcome |") :], re.MULTILINE)
    assert rows[1:] == [outcome.value for outcome in Outcome]
