"""Retired words (docs/reference/glossary.md has those in use) become fewer: `words.toml` has a ceiling for each."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from tools import words

KINDS = ("identifiers", "parts", "prose")


@cache
def counts() -> dict[str, dict[str, int]]:
    return words.counts()


@pytest.mark.parametrize("kind", KINDS)
def test_a_retired_word_never_becomes_more_frequent(kind: str) -> None:
    ceilings = words.ceilings()[kind]
    too_many = {word: (count, ceilings[word]) for word, count in counts()[kind].items() if count > ceilings[word]}
    assert not too_many, f"(count, ceiling): {too_many}. Use the words of docs/reference/glossary.md."


@pytest.mark.parametrize("kind", KINDS)
def test_a_ceiling_falls_with_its_count(kind: str) -> None:
    ceilings = words.ceilings()[kind]
    too_high = {word: n for word, n in counts()[kind].items() if words.is_slack(n, ceilings[word])}
    assert not too_high, f"{too_high} are far below their ceilings. Run: python -m tools.words --update"


def test_an_update_lowers_ceilings_and_raises_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    copy = tmp_path / "words.toml"
    copy.write_text("[identifiers]\nfound = 0\ntold = 99\n[parts]\n[prose]\n", encoding="utf-8")
    monkeypatch.setattr(words, "CEILINGS", copy)
    today = {"identifiers": {"found": 3, "told": 2}, "parts": {}, "prose": {}}
    monkeypatch.setattr(words, "counts", lambda: today)
    assert words.update() == ["identifiers: 'found' occurs 3 times, at most 0 are allowed."]
    assert words.ceilings()["identifiers"] == {"found": 0, "told": 2}


def test_every_kind_of_name_is_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    code = "class Told:\n    found: int\n    def asked(self, given):\n        self.kept, (listed, _) = given\n"
    (tmp_path / "module.py").write_text(code, encoding="utf-8")
    monkeypatch.setattr(words, "SOURCE", tmp_path)
    assert {"Told", "found", "asked", "given", "kept", "listed"} <= set(words.bound_names())
