"""Links as a person sees them."""

import io
import subprocess
import sys

import numpy as np
import pytest

from deixis.cli.output import printable
from deixis.cli.render import bar, candidate_table, console_on, marked_text
from deixis.cli.timing import cpu_seconds, format_bytes, format_seconds, peak_memory
from deixis.types import NIL_WORDS, Candidate, Document, Mention


def shown(renderable) -> str:
    stream = io.StringIO()
    console_on(stream).print(renderable)
    return stream.getvalue()


def linked(*mentions):
    return Document("d", "To save Troy, Paris had to go.", mentions=mentions)


def no_gloss(name):
    return ""


def test_mentions_are_numbered_where_they_end_and_coloured_by_confidence():
    marked = marked_text(linked(Mention(8, 12, "Troy", "t", 0.9), Mention(14, 19, "Paris", "p", 0.1)))
    assert marked.plain == "To save Troy[1], Paris[2] had to go."
    styles = {str(span.style): marked.plain[span.start : span.end] for span in marked.spans}
    assert styles["bold green"] == "Troy"
    assert styles["bold red"] == "Paris"


def test_overlapping_mentions_are_all_marked():
    marked = marked_text(linked(Mention(3, 12, "save Troy", "s", 0.9), Mention(8, 12, "Troy", "t", 0.3)))
    assert marked.plain == "To save Troy[1][2], Paris had to go."
    styles = {str(span.style): marked.plain[span.start : span.end] for span in marked.spans}
    assert styles["bold green"] == "save Troy"
    assert styles["bold yellow"] == "Troy"


def test_a_document_without_mentions_is_its_text():
    assert marked_text(linked()).plain == "To save Troy, Paris had to go."


def test_the_table_shows_the_link_first_and_the_runner_up_below():
    candidates = (Candidate("p", 0.75, "Paris"), Candidate("q", 0.25, "Paris"), Candidate("r", 0.1), Candidate("s", 0))
    mention = Mention(14, 19, "Paris", "p", 0.75, candidates=candidates)
    rows = shown(candidate_table(linked(mention), "gloss of {}".format)).splitlines()
    assert len(rows) == 3
    assert "0.75" in rows[0]
    assert "gloss of p" in rows[0]
    assert "0.25" in rows[1]
    assert max(map(len, rows)) <= 80


def test_an_unlinked_mention_says_so():
    nothing = shown(candidate_table(linked(Mention(8, 12, "Troy", is_nil=True)), no_gloss))
    assert "nothing in the knowledge base" in nothing
    unsure = Mention(8, 12, "Troy", is_nil=True, candidates=(Candidate("t", 0.1),))
    assert "not linked" in shown(candidate_table(linked(unsure), no_gloss))


def test_markup_of_rich_in_a_text_is_only_text():
    assert "[bold]x[/bold] :smile:" in shown(marked_text(Document("d", "[bold]x[/bold] :smile:")))


def test_control_characters_are_replaced_one_by_one():
    assert printable("a\x1b[31m\x00\x9b\nb\tc") == "a\ufffd[31m\ufffd\ufffd\nb\tc"


@pytest.mark.parametrize("share", [-1.0, 0.0, 0.03, 0.5, 0.999, 1.0, 7.0])
def test_a_bar_is_always_as_wide_as_asked(share):
    assert len(bar(share, 10)) == 10


def test_every_eighth_of_a_character_makes_another_bar():
    assert len({bar(step / 80, 10) for step in range(81)}) == 81


def test_measures_read_like_a_person_says_them():
    spans = [format_seconds(seconds) for seconds in (0, 0.9996, 59.96, 60, 3599.6)]
    assert spans == ["0 ms", "1.0 s", "1 min 00 s", "1 min 00 s", "1 h 00 min"]
    sizes = [format_bytes(size) for size in (0, 999, 1500, 10_000, 3e12)]
    assert sizes == ["0 B", "999 B", "1.5 kB", "10 kB", "3.0 TB"]


def test_memory_and_time_are_measured():
    assert cpu_seconds() > 0
    assert peak_memory() is None or peak_memory() > 5_000_000


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="peak memory is read from /proc")
def test_a_process_does_not_count_what_its_caller_held():
    held = np.ones(40_000_000)
    asked = "from deixis.cli.timing import peak_memory; print(peak_memory())"
    told = subprocess.run([sys.executable, "-c", asked], capture_output=True, text=True, check=True).stdout
    assert int(told) < held.nbytes / 2


@pytest.mark.parametrize(("reason", "words"), NIL_WORDS.items())
@pytest.mark.parametrize("candidates", [(), (Candidate("t", 0.1),)], ids=["no candidate", "a candidate"])
def test_an_unlinked_mention_says_why_in_words(reason, words, candidates):
    mention = Mention(8, 12, "Troy", is_nil=True, candidates=candidates, nil_reason=reason)
    assert f"not linked: {words}" in shown(candidate_table(linked(mention), no_gloss))
