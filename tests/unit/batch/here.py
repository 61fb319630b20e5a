"""A runner inside this process, for tests that need no processes of their own."""

import json

from deixis.batch.linking import ShardLinker
from deixis.processes.pool import Done


class Here:
    """Links shards one after the other; of everything it keeps what passes through JSON."""

    def __init__(self, stop_after=None):
        self.stop_after = stop_after
        self.n_tasks = 0

    def run(self, function, argument, tasks, advance):
        linker = ShardLinker.from_json(json.loads(json.dumps(argument)))
        for key, task in tasks:
            if self.n_tasks == self.stop_after:
                raise KeyboardInterrupt
            self.n_tasks += 1
            yield key, Done(json.loads(json.dumps(linker(json.loads(json.dumps(task)), advance))))
