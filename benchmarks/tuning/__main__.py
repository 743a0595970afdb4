"""The command ``python -m benchmarks.tuning``."""

import sys

from benchmarks.harness.command import main
from benchmarks.tuning import TUNING

main(TUNING, sys.argv[1:])
