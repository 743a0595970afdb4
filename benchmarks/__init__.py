"""Timings of setwise beside its peers: same data, same objective, one run.

Start with ``python -m benchmarks.learners`` or ``python -m benchmarks.models``.
"""
