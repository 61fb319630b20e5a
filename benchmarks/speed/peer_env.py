"""Peers, each in an environment of its own: `python -m benchmarks.speed.peer_env [NAME ...]`."""

import subprocess
import sys
import venv
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Peer:
    """What a peer needs; `alone` is installed without its dependencies (PECOS asks for torch, and uses none of it)."""

    requirements: tuple[str, ...]
    alone: tuple[str, ...]
    check: str


PEERS = {
    "pecos": Peer(
        requirements=("numpy==1.26.4", "scipy==1.13.1", "scikit-learn==1.5.2"),
        alone=("libpecos==1.2.8",),
        check="import pecos.xmc.xlinear.model",
    ),
    "omikuji": Peer(requirements=("numpy", "scipy", "omikuji==0.5.2"), alone=(), check="import omikuji"),
    "spacy": Peer(requirements=("spacy>=3.8.7",), alone=(), check="import spacy"),
    "ahocorasick": Peer(requirements=("pyahocorasick>=2.1",), alone=(), check="import ahocorasick"),
    "rapidfuzz": Peer(requirements=("numpy", "rapidfuzz>=3.9"), alone=(), check="import rapidfuzz"),
    "bm25s": Peer(requirements=("numpy", "scipy", "bm25s>=0.3.16"), alone=(), check="import bm25s"),
    "scispacy": Peer(
        requirements=("scispacy>=0.6", "scipy<1.11", "numpy<2"),  # its indexes are made with a SciPy of that time only
        alone=(),
        check="from scispacy.candidate_generation import create_tfidf_ann_index",
    ),
    "napkinxc": Peer(requirements=("numpy", "scipy", "napkinxc==0.7.2"), alone=(), check="import napkinxc.models"),
}


def peer_python(name: str, root: Path = ROOT) -> Path:
    """The Python of a peer's environment, which is made first if it is not there or not whole."""
    peer = PEERS[name]
    folder = root / f".venv-{name}"
    python = folder / "bin" / "python"
    if python.exists() and can_run(python, peer.check):
        return python
    print(f"making {folder.name} ...", file=sys.stderr)
    venv.create(folder, with_pip=True, clear=True)
    install(python, name, list(peer.requirements))
    if peer.alone:
        install(python, name, ["--no-deps", *peer.alone])
    if not can_run(python, peer.check):
        raise SystemExit(f"{folder.name} is complete but '{peer.check}' fails in it. Try: {python} -c '{peer.check}'")
    return python


def can_run(python: Path, code: str) -> bool:
    """Whether this Python runs the code without an error."""
    return subprocess.run([python, "-c", code], capture_output=True, check=False).returncode == 0


def install(python: Path, name: str, arguments: list[str]) -> None:
    """Install with pip, or end with what pip said."""
    command = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        last_words = "\n".join(done.stderr.strip().splitlines()[-5:])
        raise SystemExit(f"Cannot install {' '.join(arguments)} for the peer {name}; pip said:\n{last_words}")


if __name__ == "__main__":
    for wanted in sys.argv[1:] or list(PEERS):
        print(wanted, peer_python(wanted))
