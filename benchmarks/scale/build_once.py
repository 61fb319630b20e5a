"""Builds one model of one list and says what that took: a process of its own for `scale.build_curve`."""

import argparse
import json
import sys
import time
from dataclasses import asdict
from pathlib import Path

from benchmarks.scale.memory import Sampler, memory
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.linker import Linker
from deixis.progress import listening
from deixis.training.kept_build import digest_of, keeping_parts


def main(arguments: list[str] | None = None) -> int:
    """Build, and print the figures as JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("list", type=Path)
    parser.add_argument("model", type=Path)
    parser.add_argument("--threads", type=int, default=1)
    options = parser.parse_args(arguments)
    at_start, sampler, begin = memory(), Sampler(), time.perf_counter()
    cpu = time.process_time()
    with sampler.watching(), listening(sampler):
        files = [options.list]
        with keeping_parts(options.model, lambda: digest_of(files, {}), lambda: KnowledgeBase.read(files)) as kb:
            Linker.build(kb, n_threads=options.threads).save(options.model)
    cpu = time.process_time() - cpu
    names, rows = kb.names()
    figures = {
        "n_entities": len(kb),
        "n_names": len(rows),
        "name_bytes": int(names.offsets[-1]),
        "cpu": cpu,
        "wall": time.perf_counter() - begin,
        "before": at_start["RssAnon"],
        "anonymous": max(use.anonymous for use in sampler.stages.values()),
        "peak": memory()["VmHWM"],
        "disk": sum(path.stat().st_size for path in options.model.iterdir()),
        "stages": {name: asdict(use) for name, use in sampler.stages.items()},
    }
    print(json.dumps(figures))
    return 0


if __name__ == "__main__":
    sys.exit(main())
