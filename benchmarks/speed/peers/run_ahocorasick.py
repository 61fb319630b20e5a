"""pyahocorasick's side of the raw texts; run by the Python of `.venv-ahocorasick`, never imported by the project."""

import json
from pathlib import Path

import ahocorasick
from measuring import Report, main, passes, resident_mb


def names(job: dict) -> dict:
    """The longest names that begin and end with a word, whatever their case."""
    report = Report()
    pairs = json.loads(Path(job["names"]).read_text())
    texts = [text.lower() for text in json.loads(Path(job["texts"]).read_text())]
    with report.clock("load"):
        automaton = ahocorasick.Automaton()
        for key, name in pairs:
            automaton.add_word(name.lower(), (key, len(name.lower())))
        automaton.make_automaton()
    passes(report, lambda: [spans(automaton, text) for text in texts])
    report["spans"] = sum(len(spans(automaton, text)) for text in texts)
    report["rss_mb"] = resident_mb()
    return report


def spans(automaton: ahocorasick.Automaton, text: str) -> list:
    """Start, end and id of each, none of them inside a word."""
    size, kept = len(text), []
    for last, (key, length) in automaton.iter_long(text):
        begin, end = last - length + 1, last + 1
        if (begin == 0 or not text[begin - 1].isalnum()) and (end == size or not text[end].isalnum()):
            kept.append((begin, end, key))
    return kept


if __name__ == "__main__":
    main({"names": names})
