"""One system that reads raw text, in a process of its own: `python run_raw_text.py SYSTEM LIST_OR_MODEL DOCUMENTS`.

It reads the names of measurements from stdin and prints one line of JSON for each: seconds of processor time, and how
many links or names it found. It runs in the environment of the system, so it imports nothing of the benchmarks.
"""

import gzip
import json
import sys
import time
from collections.abc import Callable
from typing import Any, TextIO

N_WARM = 2  # documents that are read before anything is measured
N_ALONE = 150  # given mentions that are linked one by one
N_SHORT, SHORT = 60, 600  # texts that are linked by a call each, and their characters


def opened(path: str) -> TextIO:
    """A text file, compressed or not."""
    return gzip.open(path, "rt", encoding="utf-8") if path.endswith(".gz") else open(path, encoding="utf-8")


class Deixis:
    """A linker, of whichever version is installed."""

    def __init__(self, model: str, records: list[dict[str, Any]]) -> None:
        from deixis import Document, Linker, Mention

        self.linker = Linker.load(model, n_threads=1)
        self.link = self.linker.link
        self.raw = [Document(each["id"], each["text"]) for each in records]
        self.given, self.alone = [], []
        for each in records:
            spans = [(m["start"], m["end"]) for m in each.get("mentions", ())]
            mentions = [Mention(start, end, each["text"][start:end]) for start, end in spans]
            self.given.append(Document(each["id"], each["text"], None, tuple(mentions)))
            self.alone += [Document(each["id"], each["text"], None, (mention,)) for mention in mentions]
        step = max(1, len(self.alone) // N_ALONE)
        self.alone = self.alone[::step][:N_ALONE]
        self.names = list(dict.fromkeys(each.mentions[0].text for each in self.alone))
        self.short = [each["text"][:SHORT] for each in records if len(each["text"]) >= SHORT][:N_SHORT]

    def forget(self) -> None:
        """Drop what is kept of names that were searched, in versions that keep it."""
        try:
            from deixis.linking.name_candidates import CACHE
        except ImportError:
            return
        CACHE.clear()

    def warm(self) -> None:
        """Reads a little, so that nothing is opened while it is measured."""
        list(self.link(self.raw[:N_WARM]))

    def first(self) -> Callable[[], int]:
        """All texts, with nothing kept of earlier ones."""
        self.forget()
        return self.second

    def second(self) -> int:
        """All texts, whatever was kept."""
        return sum(m.entity is not None for each in self.link(self.raw) for m in each.mentions)

    def batch(self) -> Callable[[], int]:
        """All given mentions, with nothing kept."""
        self.forget()
        return lambda: sum(len(each.mentions) for each in self.link(self.given))

    def batch_again(self) -> int:
        """All given mentions, whatever was kept."""
        return sum(len(each.mentions) for each in self.link(self.given))

    def together(self) -> Callable[[], int]:
        """Those given mentions that are linked one by one, by one call, with nothing kept."""
        self.forget()
        return self.together_again

    def together_again(self) -> int:
        """The same, whatever was kept."""
        return sum(len(each.mentions) for each in self.link(self.alone))

    def singles(self) -> Callable[[], int]:
        """Given mentions one by one, with nothing kept when the first is linked."""
        self.forget()
        return self.singles_again

    def singles_again(self) -> int:
        """Given mentions one by one, whatever was kept."""
        return sum(len(self.linker.link(each).mentions) for each in self.alone)

    def names_batch(self) -> Callable[[], int]:
        """The names of those mentions without a text, together, with nothing kept."""
        self.forget()
        return self.names_batch_again

    def names_batch_again(self) -> int:
        """Names together, whatever was kept."""
        return len(self.linker.link_names(self.names))

    def names_singles(self) -> Callable[[], int]:
        """Names one by one, with nothing kept when the first is linked."""
        self.forget()
        return self.names_singles_again

    def names_singles_again(self) -> int:
        """Names one by one, whatever was kept."""
        return sum(len(self.linker.link_names([name])) for name in self.names)

    def short_texts(self) -> Callable[[], int]:
        """Short texts one by one, with nothing kept when the first is linked."""
        self.forget()
        return self.short_texts_again

    def short_texts_again(self) -> int:
        """Short texts one by one, whatever was kept."""
        for text in self.short:
            self.linker.link(text)
        return len(self.short)


class Spacy:
    """spaCy's blank English pipeline with a matcher of the list's names, whatever their case."""

    def __init__(self, kind: str, kb: str, records: list[dict[str, Any]]) -> None:
        import spacy

        self.texts = [each["text"] for each in records]
        self.nlp, self.matcher = spacy.blank("en"), None
        names = []
        with opened(kb) as lines:
            for line in lines:
                each = json.loads(line)
                names += [(name, each["id"]) for name in (each["title"], *each.get("aliases", ())) if name.strip()]
        if kind == "spacy-entityruler":
            ruler = self.nlp.add_pipe("entity_ruler", config={"phrase_matcher_attr": "LOWER"})
            ruler.add_patterns([{"label": "ENTITY", "pattern": name, "id": own} for name, own in names])
        else:
            from spacy.matcher import PhraseMatcher

            self.matcher = PhraseMatcher(self.nlp.vocab, attr="LOWER")
            self.matcher.add("ENTITY", [self.nlp.make_doc(name) for name, _ in names])

    def warm(self) -> None:
        """Reads a little, so that nothing is opened while it is measured."""
        list(self.nlp.pipe(self.texts[:N_WARM]))

    def first(self) -> Callable[[], int]:
        """All texts, with nothing kept of earlier ones."""
        return self.second

    def second(self) -> int:
        """All texts, whatever was kept."""
        documents = self.nlp.pipe(self.texts)
        if self.matcher is None:
            return sum(len(each.ents) for each in documents)
        return sum(len(self.matcher(each)) for each in documents)


def main(system: str, source: str, documents: str) -> None:
    """Opens everything, and measures what is asked for."""
    with opened(documents) as lines:
        records = [json.loads(line) for line in lines]
    runner = Spacy(system, source, records) if system.startswith("spacy") else Deixis(source, records)
    runner.warm()
    print(json.dumps({"characters": sum(len(each["text"]) for each in records)}), flush=True)
    for line in sys.stdin:
        measured = getattr(runner, line.strip())
        if line.strip() in ("first", "batch", "together", "singles", "names_batch", "names_singles", "short_texts"):
            measured = measured()
        started = time.process_time()
        found = measured()
        print(json.dumps({"cpu": time.process_time() - started, "found": found}), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
