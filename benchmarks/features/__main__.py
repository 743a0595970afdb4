"""The command ``python -m benchmarks.features``."""

import sys

from benchmarks.features import FEATURES
from benchmarks.harness.command import main

main(FEATURES, sys.argv[1:])
