"""Benchmarks of setwise against other libraries: same data, same objective, one run.

Start one with ``python -m benchmarks.<name>``: ``learners``, ``models``, ``predict``, ``default``, ``tuning``,
``stream`` or ``cpu``. Each is a package that declares itself in its ``__init__``, measures in ``rows`` and words its
page in ``sections``; ``harness`` is what they share, ``peers`` the other libraries.
"""
