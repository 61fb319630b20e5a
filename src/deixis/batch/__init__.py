"""Many documents on many processes: files cut into shards, and a ledger with which a stopped run goes on.

What links files is imported when it is first called: who links one text need not wait for it.
"""

from __future__ import annotations

from deixis.registry import Lazy, LazyRegistry

RUNS = LazyRegistry("run over files", {"link": Lazy("deixis.batch.run:link_files")})
