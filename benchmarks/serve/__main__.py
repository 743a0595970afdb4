"""The command ``python -m benchmarks.serve``."""

import sys

from benchmarks.harness.command import main
from benchmarks.serve import SERVE

main(SERVE, sys.argv[1:])
