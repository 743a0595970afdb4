"""The code that all benchmarks share: declaration, command, timing, memory, rows, and the page drawn from them.

The modules are imported one by one, never from here: ``command`` has to fix the number of threads before anything
imports numpy.
"""
