"""The command line: parse, call, print, exit code."""

from setwise.cli.app import main, program

__all__ = ["main", "program"]
