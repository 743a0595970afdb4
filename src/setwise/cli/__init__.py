"""The command line: parse, call, print, exit code."""

from setwise.cli.app import main

__all__ = ["main"]
