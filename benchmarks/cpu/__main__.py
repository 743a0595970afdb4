"""The command ``python -m benchmarks.cpu``."""

import sys

from benchmarks.cpu import CPU
from benchmarks.harness.command import main

main(CPU, sys.argv[1:])
