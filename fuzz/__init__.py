"""Fuzzing with damaged model and data files: each must work or raise a setwise error, within time and memory limits."""
