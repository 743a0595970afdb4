"""Timings of setwise beside its peers: same data, same objective, one run.

Start with ``python -m benchmarks.learners``, ``python -m benchmarks.models`` or ``python -m benchmarks.predict``.
"""
