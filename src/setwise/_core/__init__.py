"""The typed door to the compiled core: everything numerical that is slow in Python passes here and nowhere else."""

from setwise._core._native import (
    Chain,
    Features,
    Targets,
    fit_binary,
    fit_multinomial,
    mixture_log_prob,
    mixture_mode,
    mixture_size_marginals,
    null_models,
    own_log_prob,
    support_likelihood,
    support_sums,
    uses_avx2,
)

__all__ = [
    "Chain",
    "Features",
    "Targets",
    "fit_binary",
    "fit_multinomial",
    "mixture_log_prob",
    "mixture_mode",
    "mixture_size_marginals",
    "null_models",
    "own_log_prob",
    "support_likelihood",
    "support_sums",
    "uses_avx2",
]
