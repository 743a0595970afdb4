"""The typed door to the compiled core: everything numerical that is slow in Python passes here and nowhere else."""

from setwise._core._native import (
    Features,
    Targets,
    fit_binary,
    fit_multinomial,
    null_models,
    support_likelihood,
    support_sums,
    uses_avx2,
)

__all__ = [
    "Features",
    "Targets",
    "fit_binary",
    "fit_multinomial",
    "null_models",
    "support_likelihood",
    "support_sums",
    "uses_avx2",
]
