"""The command ``python -m benchmarks.text``."""

import sys

from benchmarks.harness.command import main
from benchmarks.text import TEXT

main(TEXT, sys.argv[1:])
