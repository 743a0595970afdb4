"""The command ``python -m benchmarks.models``."""

import sys

from benchmarks.harness.command import main
from benchmarks.models import MODELS

main(MODELS, sys.argv[1:])
