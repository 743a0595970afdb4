"""The command ``python -m benchmarks.learners``."""

import sys

from benchmarks.harness.command import main
from benchmarks.learners import LEARNERS

main(LEARNERS, sys.argv[1:])
