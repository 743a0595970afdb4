"""The command ``python -m benchmarks.large``."""

import sys

from benchmarks.harness.command import main
from benchmarks.large import LARGE

main(LARGE, sys.argv[1:])
