"""`python -m deixis.cli` is `deixis`."""

import sys

from deixis.cli.main import main

sys.exit(main())
