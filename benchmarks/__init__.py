"""Setwise beside its peers: same data, same objective, one run.

Start with ``python -m benchmarks.learners``, ``.models`` or ``.predict``, which time, or with ``.default``, which
compares F1.
"""
