"""The cells of the golden matrix: which texts are linked, by which model, with which options. Knows no library."""

from __future__ import annotations

from dataclasses import dataclass, fields
from itertools import product
from typing import Literal

Spans = Literal["given", "raw", "mixture"]


@dataclass(frozen=True)
class Case:
    """One cell: a model (how spans are scored, whether it is calibrated, what corrected it), texts, and options."""

    spans: Spans = "raw"
    odds: str = "rules"  # rules, learned
    calibration: str = "none"  # none, annotated
    corrections: str = "none"  # none, gold, wrong, not_an_entity, all
    texts: str = "plain"  # plain, corrected
    types: tuple[str, ...] | None = None
    ids: tuple[str, ...] | None = None
    languages: tuple[str, ...] | None = None
    rerank: bool = False
    reader: bool = False
    overlaps: str = "drop"
    threshold: float | None = None
    target_precision: float | None = None
    recognizer: bool = False

    @property
    def name(self) -> str:
        """What distinguishes the cell, readable: `raw, learned, types=river+city, rerank`."""
        parts = [self.spans, self.odds]
        for each in fields(self)[2:]:
            value = getattr(self, each.name)
            if value == each.default:
                continue
            shown = "+".join(value) if isinstance(value, tuple) else value
            parts.append(each.name if value is True else f"{each.name}={shown}")
        return ", ".join(parts)


ODDS = ("rules", "learned")
RANKINGS = tuple({"rerank": rerank, "reader": reader} for reader, rerank in product((False, True), repeat=2))
FILTERS = (
    {"types": ("city", "person", "river")},
    {"ids": ("paris_city", "troy_ancient", "jordan_country", "jaguar_animal", "michael_jordan", "amazon_river")},
    {"languages": ("de",)},
)
VERDICTS = ("gold", "wrong", "not_an_entity", "all")

TEXTS = {
    "plain": (
        ("en", "Paris carried Helen off from Sparta, and Basaltville never forgave Troy."),
        ("en", "Michael Jordan of the Chicago Bulls flew to Amman, the capital of Jordan; the New York Times wrote."),
        ("en", "<b>Jaguar</b> built a car in Coventry, and jaguars swim in the Amazon. Mercury is closest to the Sun."),
        ("de", "In Paris fließt die Seine, und der Jaguar ist eine Raubkatze."),
        (None, ""),
    ),
    "corrected": (
        ("en", "At noon Mercury met Michael Jordan in Georgia, near Basaltville."),
        ("en", "Mercury and Michael Jordan were in Georgia again, not in Basaltville."),
    ),
}
"""Language and text. The first of those corrected is the one that corrections are about, the second is elsewhere."""

GIVEN = (
    "Paris", "Helen", "Basaltville", "Troy", "Jordan", "Michael Jordan", "Bulls", "Jaguar", "jaguars", "Amazon",
    "Mercury", "Seine", "Georgia",
)  # fmt: skip
"""Words that are mentions where mentions are given: at the first place of each."""

CORRECTIONS = {
    "gold": (("Mercury", "gold", "mercury_element"), ("Basaltville", "gold", "georgia_us_state")),
    "wrong": (("Mercury", "wrong", "mercury_car"), ("Georgia", "wrong", "georgia_country")),
    "not_an_entity": (("Mercury", "not_an_entity", None), ("Michael Jordan", "not_an_entity", None)),
    "all": (
        ("Mercury", "gold", "mercury_god"), ("Georgia", "wrong", "georgia_us_state"),
        ("Michael Jordan", "not_an_entity", None), ("Jordan", "gold", "jordan_country"),
    ),
}  # fmt: skip
"""Words of the corrected text, what is said of them, and the entity that is right or wrong."""


def cases() -> dict[str, Case]:
    """All cells by name."""
    listed = [*_plain(), *_filtered(), *_overlapping(), *_corrected(), *_thresholds(), *_recognized()]
    return {case.name: case for case in listed}


def _plain() -> list[Case]:
    grid = product(("given", "raw", "mixture"), ODDS, ("none", "annotated"), RANKINGS)
    listed = [Case(spans, odds, calibration, **ranking) for spans, odds, calibration, ranking in grid]
    return listed


def _filtered() -> list[Case]:
    grid = product(("given", "raw"), ODDS, FILTERS, RANKINGS)
    listed = [
        Case(spans, odds, "annotated", **only, **ranking)
        for spans, odds, only, ranking in grid
        if _is_telling(spans, ranking)
    ]
    both = {"types": ("city",), "languages": ("de",)}
    return [*listed, *(Case("mixture", odds, **both) for odds in ODDS)]


def _overlapping() -> list[Case]:
    grid = product(ODDS, ("none", "annotated"), RANKINGS)
    listed = [Case("raw", odds, calibration, overlaps="keep", **ranking) for odds, calibration, ranking in grid]
    filtered = product(ODDS, RANKINGS)
    return [*listed, *(Case("mixture", odds, overlaps="keep", **FILTERS[0], **ranking) for odds, ranking in filtered)]


def _corrected() -> list[Case]:
    said = {"texts": "corrected", "calibration": "annotated"}
    before = [Case(spans, odds, **said) for spans, odds in product(("given", "raw"), ODDS)]
    grid = product(("given", "raw"), ODDS, VERDICTS[:3], RANKINGS)
    each = [
        Case(spans, odds, corrections=verdict, **said, **how)
        for spans, odds, verdict, how in grid
        if _is_telling(spans, how)
    ]
    keep = product(ODDS, VERDICTS, RANKINGS[::2])
    kept = [Case("raw", odds, corrections=verdict, overlaps="keep", **said, **how) for odds, verdict, how in keep]
    uncalibrated = [
        Case(spans, odds, corrections="all", texts="corrected") for spans, odds in product(("given", "raw"), ODDS)
    ]
    only = {"ids": ("mercury_planet", "mercury_god", "jordan_country", "georgia_country")}
    filtered = [
        Case(spans, odds, corrections=verdict, **said, **only)
        for spans, odds, verdict in product(("given", "raw"), ODDS, ("gold", "all"))
    ]
    return [*before, *each, *kept, *uncalibrated, *filtered]


def _thresholds() -> list[Case]:
    targets = product(("given", "raw"), ODDS, RANKINGS)
    by_target = [
        Case(spans, odds, "annotated", target_precision=0.5, **how)
        for spans, odds, how in targets
        if _is_telling(spans, how)
    ]
    set_by_hand = product(("given", "raw"), ODDS, (0.0, 0.45, 0.8), RANKINGS[:3])
    by_hand = [
        Case(spans, odds, threshold=value, **how) for spans, odds, value, how in set_by_hand if _is_telling(spans, how)
    ]
    calibrated = product(ODDS, RANKINGS)
    return [*by_target, *by_hand, *(Case("raw", odds, "annotated", threshold=0.7, **how) for odds, how in calibrated)]


def _is_telling(spans: str, ranking: dict[str, bool]) -> bool:
    """A reader has no say where mentions are given; that this is so, the plain cells show."""
    return not (spans == "given" and ranking["reader"])


def _recognized() -> list[Case]:
    return [Case("raw", odds, "annotated", recognizer=True, **how) for odds, how in product(ODDS, RANKINGS)]
