"""The two retrieval tasks of the speed benchmark, as lists of texts: WordNet, and wiki468k with AIDA mentions."""

import gzip
import json
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from benchmarks.suites.data import half_of
from benchmarks.suites.wordnet_examples import example_documents
from deixis.kb.formats.wordnet import is_wordnet, read_synsets

WORDNET = Path("/usr/share/wordnet")
N_CONTEXT_CHARS = 1500


@dataclass
class Instances:
    """Mentions in their contexts; `labels[i]` is the entity's row."""

    mentions: list[str] = field(default_factory=list)
    contexts: list[str] = field(default_factory=list)
    labels: list[int] = field(default_factory=list)

    def add(self, mention: str, context: str, label: int) -> None:
        """Append one instance."""
        self.mentions.append(mention)
        self.contexts.append(context)
        self.labels.append(label)

    def head(self, n_labels: int) -> "Instances":
        """Only the instances of the first labels."""
        kept = Instances()
        for mention, context, label in zip(self.mentions, self.contexts, self.labels, strict=True):
            if label < n_labels:
                kept.add(mention, context, label)
        return kept


@dataclass
class Task:
    """Pseudo-instances made from a knowledge base, and mentions as queries: `dev` for choices, `test` to report."""

    name: str
    n_labels: int
    train: Instances
    dev: Instances
    test: Instances
    context_min_df: int = 1

    def head(self, n_labels: int) -> "Task":
        """The same task on the first labels only."""
        parts = (part.head(n_labels) for part in (self.train, self.dev, self.test))
        return Task(self.name, min(n_labels, self.n_labels), *parts, self.context_min_df)


def wordnet_task(*, with_names: bool = True) -> Task:
    """WordNet: title ⊕ definition, and every lemma alone; queries are lemmas inside the quoted usage examples."""
    synsets = list(read_synsets(wordnet_folder()))
    id_to_row = {synset.id: row for row, synset in enumerate(synsets)}
    train, dev, test = Instances(), Instances(), Instances()
    for row, synset in enumerate(synsets):
        train.add(synset.lemmas[0], synset.definition, row)
        for lemma in synset.lemmas if with_names else ():
            train.add(lemma, "", row)
    for document in example_documents(synsets):
        queries = dev if half_of(document.id) == "dev" else test
        for mention in document.mentions:
            queries.add(mention.text, document.text, id_to_row[mention.entity or ""])
    return Task("wordnet" if with_names else "wordnet-literal", len(synsets), train, dev, test)


def wiki468k_task() -> Task:
    """468k Wikipedia entities: title ⊕ description, and every name alone; queries are AIDA's in-KB mentions.

    Context n-grams of a single description are left out: PECOS's training time grows with labels x features, and with
    them a run would take it hours.
    """
    data = data_folder()
    id_to_row: dict[str, int] = {}
    train = Instances()
    for row, record in enumerate(read_jsonl(data / "wiki468k" / "kb.jsonl.gz")):
        id_to_row[record["id"]] = row
        description = record.get("description", "")
        names = [record["title"], *(alias_text(alias) for alias in record.get("aliases", ()))]
        train.add(record["title"], description, row)
        for name in dict.fromkeys(names):
            train.add(name, "", row)
    dev = read_mentions(data / "aida" / "train.jsonl.gz", id_to_row)
    test = read_mentions(data / "aida" / "testa.jsonl.gz", id_to_row)
    return Task("wiki468k", len(id_to_row), train, dev, test, context_min_df=2)


TASKS: dict[str, Callable[[], Task]] = {
    "wordnet": wordnet_task,
    "wordnet-literal": partial(wordnet_task, with_names=False),  # XMRED's recipe: one instance per entity
    "wiki468k": wiki468k_task,
}


def wordnet_folder() -> Path:
    """The folder with WordNet's files, installed first where that is possible."""
    if not is_wordnet(WORDNET) and shutil.which("apt-get") and os.geteuid() == 0:
        subprocess.run(["apt-get", "install", "-y", "-q", "wordnet-base"], check=True, stdout=subprocess.DEVNULL)
    if not is_wordnet(WORDNET):
        raise SystemExit(f"WordNet is not in {WORDNET}. Install Debian's package: apt-get install wordnet-base")
    return WORDNET


def data_folder() -> Path:
    """Where the real data lies: DEIXIS_DATA, or ../shared/data beside the repository."""
    default = Path(__file__).resolve().parents[2].parent / "shared" / "data"
    folder = Path(os.environ.get("DEIXIS_DATA", default))
    if not (folder / "wiki468k").is_dir():
        raise SystemExit(f"No wiki468k in {folder}. Set DEIXIS_DATA to the folder that holds wiki468k/ and aida/.")
    return folder


def read_jsonl(path: Path) -> Iterator[dict]:
    """The records of a gzip'd JSONL file."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)


def alias_text(alias: str | dict) -> str:
    """An alias as text; with a language or a count it is a mapping."""
    return alias if isinstance(alias, str) else alias["text"]


def read_mentions(path: Path, id_to_row: dict[str, int]) -> Instances:
    """The annotated mentions whose entity is in the knowledge base, each with a window of text around it."""
    instances = Instances()
    for document in read_jsonl(path):
        text = document["text"]
        for mention in document["mentions"]:
            if (row := id_to_row.get(mention.get("entity"))) is not None:
                start, end = mention["start"], mention["end"]
                left = max(0, (start + end - N_CONTEXT_CHARS) // 2)
                instances.add(text[start:end], text[left : left + N_CONTEXT_CHARS], row)
    return instances
