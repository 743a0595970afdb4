"""The models as entries of the tables: each with its class, its parameters and its goal relative to LIBLINEAR."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numpy as np
import scipy.sparse as sp

from benchmarks.harness.problem import Problem
from benchmarks.harness.timing import Timed
from benchmarks.models import Iterations
from setwise import models
from setwise.exceptions import NotConverged
from setwise.models import ModelState

UNREACHABLE = 1e-300  # tolerance that no fit meets, so that L-BFGS uses all its iterations


@dataclass(frozen=True)
class Trained(Timed):
    """A trained model's state, and the seconds of its training."""

    iterations: int
    state: ModelState


@dataclass(frozen=True)
class ModelEntry:
    """One model with its parameters."""

    title: str
    # Class name in `setwise.models`.
    model: str
    parameters: dict[str, Any]
    # Highest time allowed, as a multiple of LIBLINEAR's fit of all labels.
    goal: float | None = None

    def parameters_for(self, problem: Problem) -> dict[str, Any]:
        """Return the entry's parameters, with the strength of C = 1."""
        return {"strength": 1 / problem.n_samples, **self.parameters}

    def train(self, problem: Problem, n_jobs: int | None) -> Trained:
        """Train the model and time the whole call of ``fit``: validation, conversions, training."""
        model = getattr(models, self.model)(n_jobs=n_jobs, **self.parameters_for(problem))
        y = sp.csr_array(problem.y)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", NotConverged)
            start = perf_counter()
            model.fit(problem.X, y)
            seconds = perf_counter() - start
        note = "did not converge" if any(issubclass(each.category, NotConverged) for each in caught) else ""
        return Trained(seconds, max_iterations(model), model.state(), note=note)


def max_iterations(model: Any) -> int:
    """Return the iterations of the part of the model that needed the most."""
    if hasattr(model, "n_iter_"):
        return int(model.n_iter_)
    fits = model.fits_ if isinstance(model.fits_, list) else [model.fits_]
    return max(int(np.max(fit.n_iter, initial=0)) for fit in [*fits, *getattr(model, "size_fits_", [])])


def br(iterations: Iterations) -> ModelEntry:
    return ModelEntry("BR, l1_ratio 1", "BinaryRelevance", {"l1_ratio": 1.0, "max_iter": iterations.newton})


def pcc(iterations: Iterations) -> ModelEntry:
    return ModelEntry("PCC, l1_ratio 1", "ClassifierChain", {"l1_ratio": 1.0, "max_iter": iterations.newton}, goal=2.0)


def lsf(form: str, iterations: Iterations) -> ModelEntry:
    parameters = {"form": form, "l1_ratio": 1.0, "max_iter": iterations.newton}
    return ModelEntry(f"LSF {form}, l1_ratio 1", "LabelSizeFactors", parameters, goal=10.0)


def crf(pairs: bool, l1_ratio: float, iterations: Iterations) -> ModelEntry:
    parameters = {"pairs": pairs, "l1_ratio": l1_ratio, "max_iter": iterations.lbfgs, "tol": UNREACHABLE}
    title = f"CRF {'with' if pairs else 'without'} pairs, l1_ratio {l1_ratio:g}"
    return ModelEntry(title, "PairwiseCRF", parameters, goal=8.0 if pairs else 6.0)


def cbm(n_components: int, l1_ratio: float, iterations: Iterations) -> ModelEntry:
    parameters = {
        "n_components": n_components,
        "l1_ratio": l1_ratio,
        "max_iter": iterations.em,
        "tol": -np.inf,  # EM never stops because its gain is small
    }
    title = f"CBM, {n_components} components, l1_ratio {l1_ratio:g}"
    return ModelEntry(title, "BernoulliMixture", parameters, goal=12.0)


def one_per_model(iterations: Iterations, n_components: int) -> list[ModelEntry]:
    """Return every model with one penalty; LSF and CRF in both of their forms."""
    return [
        br(iterations),
        pcc(iterations),
        lsf("binary", iterations),
        lsf("multinomial", iterations),
        crf(False, 0.0, iterations),
        crf(True, 0.0, iterations),
        cbm(n_components, 0.5, iterations),
    ]


def with_other_penalties(iterations: Iterations, n_components: int) -> list[ModelEntry]:
    """Return every model, and CRF and CBM with further penalties."""
    return [
        *one_per_model(iterations, n_components),
        crf(False, 0.5, iterations),
        crf(True, 0.5, iterations),
        cbm(n_components, 1.0, iterations),
        cbm(n_components, 0.0, iterations),
    ]
