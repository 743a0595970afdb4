"""The command ``python -m benchmarks.cluster``."""

import sys

from benchmarks.cluster import CLUSTER
from benchmarks.harness.command import main

main(CLUSTER, sys.argv[1:])
