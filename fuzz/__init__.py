"""Fuzzing with damaged files and odd texts: each must work or raise a setwise error, within time and memory limits."""
