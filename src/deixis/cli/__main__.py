"""`python -m deixis.cli` is `deixis`."""

import sys

from deixis.cli.entry import main

sys.exit(main())
