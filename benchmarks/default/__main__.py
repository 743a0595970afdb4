"""The command ``python -m benchmarks.default``."""

import sys

from benchmarks.default import DEFAULT
from benchmarks.harness.command import main

main(DEFAULT, sys.argv[1:])
