"""The command ``python -m benchmarks.predict``."""

import sys

from benchmarks.harness.command import main
from benchmarks.predict import PREDICT

main(PREDICT, sys.argv[1:])
