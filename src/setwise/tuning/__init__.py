"""Training regularisation: early stopping, and the search for strength, ratio and iterations on held-out documents."""

from setwise.tuning.grid import Cell, Line, elastic_lines
from setwise.tuning.search import PAPER, Progress, Tried, best_of, search
from setwise.tuning.stopping import EarlyStopping, Patience, fit_for
from setwise.tuning.validation import Part, Validation

__all__ = [
    "PAPER",
    "Cell",
    "EarlyStopping",
    "Line",
    "Part",
    "Patience",
    "Progress",
    "Tried",
    "Validation",
    "best_of",
    "elastic_lines",
    "fit_for",
    "search",
]
