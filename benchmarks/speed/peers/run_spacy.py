"""spaCy's side of the raw texts; run by the Python of `.venv-spacy`, never imported by the project.

Names are matched whatever their case (`LOWER`), as a list's names are matched by default; the pipeline is a blank one.
"""

import json
from pathlib import Path

import spacy
from measuring import Report, main, passes, resident_mb
from spacy.matcher import PhraseMatcher


def ruler(job: dict) -> dict:
    """The entity ruler: spans with the entity's id."""
    report, nlp = Report(), spacy.blank("en")
    names, texts = read(job)
    with report.clock("load"):
        rule = nlp.add_pipe("entity_ruler", config={"phrase_matcher_attr": "LOWER"})
        with nlp.select_pipes(enable=[]):
            rule.add_patterns([{"label": "ENTITY", "pattern": name, "id": key} for key, name in names])
    passes(report, lambda: [nlp(text) for text in texts])
    report["spans"] = sum(len(nlp(text).ents) for text in texts)
    report["rss_mb"] = resident_mb()
    return report


def matcher(job: dict) -> dict:
    """The phrase matcher alone: spans of names, the entity's id by a look at the name."""
    report, nlp = Report(), spacy.blank("en")
    names, texts = read(job)
    with report.clock("load"):
        found = PhraseMatcher(nlp.vocab, attr="LOWER")
        found.add("ENTITY", list(nlp.pipe(name for _, name in names)))
    passes(report, lambda: [found(nlp.make_doc(text)) for text in texts])
    report["spans"] = sum(len(found(nlp.make_doc(text))) for text in texts)
    report["rss_mb"] = resident_mb()
    return report


def read(job: dict) -> tuple[list, list]:
    """Names with their ids, and texts."""
    return json.loads(Path(job["names"]).read_text()), json.loads(Path(job["texts"]).read_text())


if __name__ == "__main__":
    main({"ruler": ruler, "matcher": matcher})
