"""The command ``python -m benchmarks.confidence``."""

import sys

from benchmarks.confidence import CONFIDENCE
from benchmarks.harness.command import main

main(CONFIDENCE, sys.argv[1:])
