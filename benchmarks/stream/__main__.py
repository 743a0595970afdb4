"""The command ``python -m benchmarks.stream``."""

import sys

from benchmarks.harness.command import main
from benchmarks.stream import STREAM

main(STREAM, sys.argv[1:])
