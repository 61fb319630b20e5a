"""`python -m benchmarks`, which `deixis bench` runs."""

import sys

from benchmarks.run import bench
from deixis.cli.main import main

if __name__ == "__main__":
    sys.exit(main(command=bench, name="python -m benchmarks"))
