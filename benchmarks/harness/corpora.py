"""Corpora whose test documents are read last, and paired differences: what benchmarks take from the reproduction."""

from __future__ import annotations

from reproduction.paper import Difference, paired_difference
from reproduction.run import COUNTS, Part, Parts, features

__all__ = ["COUNTS", "Difference", "Part", "Parts", "features", "paired_difference"]
