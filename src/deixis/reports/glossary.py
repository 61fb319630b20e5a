"""What each figure says, in a few words, and in which order and company a reader meets it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from deixis.evaluation.linking.headlines import FIRST, RAW, Named

_EXPLAINED = {  # 24 characters at most: beside the figures, 80 columns must do
    "recall@": "right, among the first k",
    "mrr": "mean of 1 / its rank",
    "accuracy": "right, of gold in the KB",
    "accuracy_with_nil": "right, NIL included",
    "upper_bound": "gold that is in the KB",
    "inkb_micro_precision": "right, of all links",
    "inkb_micro_recall": "right, of gold in the KB",
    "inkb_micro_f1": "right links",
    "inkb_macro_precision": "mean over documents",
    "inkb_macro_recall": "mean over documents",
    "inkb_macro_f1": "mean over documents",
    "gsinkb_micro_precision": "right, of these links",
    "gsinkb_micro_recall": "right, of gold in the KB",
    "gsinkb_micro_f1": "links on in-KB gold",
    "span_precision": "gold, of predicted spans",
    "span_recall": "found, of gold spans",
    "span_f1": "spans, whatever linked",
    "nil_precision": "NIL, of NIL answers",
    "nil_recall": "left alone, of gold NIL",
    "nil_f1": "rightly left unlinked",
    "kilt_accuracy": "right, of gold not NIL",
    "kilt_rprecision": "first one right",
    "kilt_recall@5": "among five, of the same",
    "ece": "misplaced trust; 0 best",
    "brier": "squared error; 0 is best",
    "risk_coverage_area": "wrong, any threshold",
    "mentions_per_second": "linking alone",
    "precision@": "right, of the first k",
    "ndcg@": "the same, early counts",
    "psp@": "rare labels count more",
    "psndcg@": "rare, early count more",
    "documents_per_second": "labelling alone",
}
GROUPS: Sequence[tuple[str, str, tuple[str, ...]]] = (
    ("Links", "How often the answer is the annotated one.", ("accuracy", "inkb_micro_", "inkb_macro_", "gsinkb_")),
    ("Candidates", "Whether the right entity was proposed at all.", ("upper_bound", "recall@", "mrr")),
    ("Spans", "Whether mentions were found, whatever they link to.", ("span_",)),
    ("NIL", "Whether mentions of unknown things were left alone.", ("nil_",)),
    ("Confidence", "Whether scores mean what they say.", ("ece", "brier", "risk_coverage_area")),
    ("KILT", "As that benchmark counts.", ("kilt_",)),
    ("Means over languages", "Every language counts the same.", ("lang_macro_",)),
    ("Speed", "On this machine.", ("mentions_per_second",)),
)
_OVERVIEW = (
    (*FIRST, "recall@10", "mrr", "accuracy", "nil_f1", "upper_bound"),
    ("inkb_micro_precision", "inkb_micro_recall", "inkb_micro_f1", "inkb_micro_f1_weak", "span_f1", "upper_bound"),
)  # with given mentions, and end to end
_BRIEF = (
    (*FIRST, "upper_bound"),
    ("inkb_micro_f1", "inkb_micro_f1_weak", "span_f1", "upper_bound"),
)


def explained(name: str) -> str:
    """A few words on a metric; none if the name is not known.

    Examples
    --------
    >>> explained("recall@10"), explained("span_f1_weak")
    ('right, among the first k', 'an overlap is enough')
    """
    if name.startswith(RAW):
        return "the same on raw text"
    if name.endswith("_weak"):
        return "an overlap is enough"
    bare = name.removeprefix("lang_macro_")
    return _EXPLAINED.get(bare) or next((words for start, words in _EXPLAINED.items() if bare.startswith(start)), "")


def overview_names(metrics: Sequence[Sequence[Named]], is_end_to_end: bool, is_brief: bool = False) -> list[str]:
    """The metrics to set side by side for several datasets: of a handful, or of four if brief, those that all have."""
    names = [{metric.name for metric in each} for each in metrics]
    chosen = (_BRIEF if is_brief else _OVERVIEW)[is_end_to_end]
    return [name for name in chosen if names and all(name in each for each in names)]


@dataclass(frozen=True)
class Group:
    """Metrics that belong together."""

    title: str
    about: str
    names: tuple[str, ...]


def grouped(names: Iterable[str]) -> list[Group]:
    """The metrics in groups, each group in the order given; what belongs nowhere comes last.

    Examples
    --------
    >>> [(group.title, group.names) for group in grouped(["recall@1", "accuracy", "recall@5"])]
    [('Links', ('accuracy',)), ('Candidates', ('recall@1', 'recall@5'))]
    """
    left = list(dict.fromkeys(names))
    groups = []
    for title, about, starts in GROUPS:
        own = tuple(name for name in left if name.startswith(starts))
        left = [name for name in left if name not in own]
        if own:
            groups.append(Group(title, about, own))
    return [*groups, Group("Others", "", tuple(left))] if left else groups
