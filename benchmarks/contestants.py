"""The models as they are measured: each by its class, its parameters and, beside LIBLINEAR, its goal."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numpy as np
import scipy.sparse as sp

from benchmarks.model_effort import Iterations
from benchmarks.problem import Problem
from benchmarks.timed import Timed
from setwise import models
from setwise.exceptions import NotConverged
from setwise.models.base import ModelState

NEVER_SMALLER = 1e-300  # a violation asked for that none reaches: L-BFGS then takes all its iterations


@dataclass(frozen=True)
class Trained(Timed):
    iterations: int
    state: ModelState


@dataclass(frozen=True)
class Contestant:
    title: str
    model: str
    parameters: dict[str, Any]
    goal: float | None = None
    """The most it may cost, in times of LIBLINEAR's fit of all labels."""

    def parameters_for(self, problem: Problem) -> dict[str, Any]:
        """The strength of C = 1, and the contestant's own parameters."""
        return {"strength": 1 / problem.n_samples, **self.parameters}

    def train(self, problem: Problem, n_jobs: int | None) -> Trained:
        """Time the whole call: checks, conversions, training."""
        model = getattr(models, self.model)(n_jobs=n_jobs, **self.parameters_for(problem))
        y = sp.csr_array(problem.y)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", NotConverged)
            start = perf_counter()
            model.fit(problem.X, y)
            seconds = perf_counter() - start
        note = "did not converge" if any(issubclass(each.category, NotConverged) for each in caught) else ""
        return Trained(seconds, iterations_of(model), model.state(), note=note)


def iterations_of(model: Any) -> int:
    """Of the part that took the most."""
    if hasattr(model, "n_iter_"):
        return int(model.n_iter_)
    fits = model.fits_ if isinstance(model.fits_, list) else [model.fits_]
    return max(int(np.max(fit.n_iter, initial=0)) for fit in [*fits, *getattr(model, "size_fits_", [])])


def br(iterations: Iterations) -> Contestant:
    return Contestant("BR, l1_ratio 1", "BinaryRelevance", {"l1_ratio": 1.0, "max_iter": iterations.newton})


def pcc(iterations: Iterations) -> Contestant:
    return Contestant("PCC, l1_ratio 1", "ClassifierChain", {"l1_ratio": 1.0, "max_iter": iterations.newton}, goal=2.0)


def lsf(form: str, iterations: Iterations) -> Contestant:
    parameters = {"form": form, "l1_ratio": 1.0, "max_iter": iterations.newton}
    return Contestant(f"LSF {form}, l1_ratio 1", "LabelSizeFactors", parameters, goal=10.0)


def crf(pairs: bool, l1_ratio: float, iterations: Iterations) -> Contestant:
    parameters = {"pairs": pairs, "l1_ratio": l1_ratio, "max_iter": iterations.lbfgs, "tol": NEVER_SMALLER}
    title = f"CRF {'with' if pairs else 'without'} pairs, l1_ratio {l1_ratio:g}"
    return Contestant(title, "PairwiseCRF", parameters, goal=8.0 if pairs else 6.0)


def cbm(n_components: int, l1_ratio: float, iterations: Iterations) -> Contestant:
    parameters = {
        "n_components": n_components,
        "l1_ratio": l1_ratio,
        "max_iter": iterations.em,
        "tol": -np.inf,  # no gain is too small to go on
    }
    return Contestant(
        f"CBM, {n_components} components, l1_ratio {l1_ratio:g}", "BernoulliMixture", parameters, goal=12.0
    )


def one_of_each(iterations: Iterations, n_components: int) -> list[Contestant]:
    return [
        br(iterations),
        pcc(iterations),
        lsf("binary", iterations),
        lsf("multinomial", iterations),
        crf(False, 0.0, iterations),
        crf(True, 0.0, iterations),
        cbm(n_components, 0.5, iterations),
    ]


def with_other_penalties(iterations: Iterations, n_components: int) -> list[Contestant]:
    return [
        *one_of_each(iterations, n_components),
        crf(False, 0.5, iterations),
        crf(True, 0.5, iterations),
        cbm(n_components, 1.0, iterations),
        cbm(n_components, 0.0, iterations),
    ]
