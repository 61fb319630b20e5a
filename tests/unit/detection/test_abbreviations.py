"""Short forms that a text defines stand for their long form, both ways, and nothing else does."""

import pytest

from deixis.detection.abbreviations import short_forms
from deixis.detection.detector import SpanDetector, long_forms
from deixis.store.strings import StringTable


def defined(text: str) -> dict[str, str]:
    return {form.text: text[form.start : form.end] for form in short_forms(text)}


@pytest.mark.parametrize("among", [["SMH"], ["WHO", "smh"], ["AB"], ["Saint Mary Hospital"], []])
def test_those_among_some_are_defined_as_they_are_among_all(among: list[str]) -> None:
    text = (
        "Saint Mary Hospital (SMH) is near the WHO (World Health Organization), not the Westphalian Horse Office (WHO)."
        " The WHO (SMH) of alpha beta (AB; the A B) and an SMH [some more houses]."
    )
    assert short_forms(text, among) == [form for form in short_forms(text) if form.text in among]


@pytest.mark.parametrize(
    ("text", "short", "long"),
    [
        ("He was at Saint Mary Hospital (SMH) then.", "SMH", "Saint Mary Hospital"),
        ("the WHO (World Health Organization) says", "WHO", "World Health Organization"),
        ("familial adenomatous polyposis (FAP)", "FAP", "familial adenomatous polyposis"),
        ("a hidden Markov model [HMM] of it", "HMM", "hidden Markov model"),
        ("ataxia-telangiectasia (A-T)", "A-T", "ataxia-telangiectasia"),
        ("deoxyribonucleic acid (DNA; see below)", "DNA", "deoxyribonucleic acid"),
        ("low-density lipoprotein (“LDL”)", "LDL", "low-density lipoprotein"),
    ],
)
def test_a_short_form_in_brackets_or_before_them_stands_for_its_long_form(text: str, short: str, long: str) -> None:
    assert defined(text) == {short: long}


@pytest.mark.parametrize(
    "text",
    [
        "The patients (n = 12) were well (see Table 1).",
        "Paris (the city) and Troy (1999) and London (UK)",
        "It fell (Smith et al. 1999; Jones 2001)",
        "no brackets, no SMH",
        "SMH (SMH)",
        "(SMH) at the beginning",
        "",
    ],
)
def test_other_brackets_define_nothing(text: str) -> None:
    assert defined(text) == {}


def test_the_first_definition_counts() -> None:
    text = "Saint Mary Hospital (SMH) and the Society of Military History (SMH)"
    assert defined(text) == {"SMH": "Saint Mary Hospital"}


def test_a_long_form_does_not_cross_a_line_or_the_end_of_a_sentence() -> None:
    assert defined("It was Saint\nMary Hospital (SMH)") == {}
    assert defined("He is a saint. Mary has (SM) it") == {}


def test_a_text_of_brackets_is_read_in_time_that_grows_with_it() -> None:
    assert defined("(A" * 50_000) == {} and defined("(AB) " * 20_000) == {}


NAMES = ["Saint Mary Hospital", "Mary Hospital", "World Health Organization", "Troy"]


@pytest.fixture(scope="module")
def detector() -> SpanDetector:
    names = StringTable.from_strings(NAMES)
    return SpanDetector.from_names(names, names, StringTable.from_strings([]))


@pytest.mark.parametrize(
    ("text", "long", "n_occurrences"),
    [
        ("Saint Mary Hospital (SMH) was full. The SMH's gates and SMHs, SMH-like and SMH.", "Saint Mary Hospital", 4),
        ("The WHO (World Health Organization) says so, as WHO does.", "World Health Organization", 2),
    ],
)
def test_every_occurrence_is_a_span_read_as_the_name_and_as_likely(
    detector: SpanDetector, text: str, long: str, n_occurrences: int
) -> None:
    short = short_forms(text)[0].text
    spans = detector.detect([text])
    rows = {(start, end): row for row, (_, start, end) in enumerate(spans.keys())}
    begin = text.index(long)
    forms = long_forms(detector.table([text]), [text])
    assert len(forms) == n_occurrences and set(forms.values()) == {(0, begin, begin + len(long))}
    for _, start, end in forms:
        assert text[start:end] == short
        assert spans.log_odds[rows[start, end]] >= spans.log_odds[rows[begin, begin + len(long)]]
        assert spans.has_name[rows[start, end]]


def test_what_no_text_defines_is_no_short_form(detector: SpanDetector) -> None:
    text = "The SMH was full; Saint Mary Hospital, too."
    assert long_forms(detector.table([text]), [text]) == {}
    two = ["Saint Mary Hospital (SMH) was full.", "The SMH was full."]
    assert {place[0] for place in long_forms(detector.table(two), two)} == {0}
