"""The paper's experiments: its tables, figures and claims, run with setwise and shown beside the printed numbers.

``python -m reproduction --help`` explains the command. Packages import only from those before them: ``paper`` (what the
paper prints and claims), ``plan`` (which tasks the tables need), ``run`` (tasks, rows and results) and ``report``
(tables, figures and pages).
"""
