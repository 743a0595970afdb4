"""Limited-memory quasi-Newton for smooth functions with elastic nets: L-BFGS, and OWL-QN where there is an L1 term.

OWL-QN (Andrew and Gao, 2007) stays in one orthant at a time, where the L1 term is linear: the direction is made from
the pseudo-gradient, steps that would cross zero end there, and the curvature is that of the smooth part. Without an L1
term every one of these is the plain L-BFGS step (Liu and Nocedal, 1989).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from setwise import _core
from setwise.learners.penalty import ElasticNet

__all__ = ["Iterate", "QuasiNewtonOptions", "quasi_newton"]

Vector = NDArray[np.float64]
Evaluate = Callable[[Vector], tuple[float, Vector]]


@dataclass(frozen=True)
class QuasiNewtonOptions:
    """Options that change the time of a fit, never its optimum."""

    memory: int = 10
    """Number of pairs (step, change of the gradient) that approximate the curvature."""
    armijo: float = 1e-4
    """Share of the predicted decrease that a step must reach."""
    max_halvings: int = 40
    """Most halvings of a step before the search has stalled."""
    least_curvature: float = 1e-12
    """A pair is stored if its curvature exceeds this share of the squared change of the gradient."""
    n_jobs: int = 1
    """Number of threads; no bit of the result depends on it."""


@dataclass(frozen=True)
class Iterate:
    """The state at the end of an iteration."""

    point: Vector
    objective: float
    violation: float
    """Largest violation of the optimality conditions: the certificate."""
    n_evaluations: int
    stalled: bool = False
    """Whether no step lowers the objective any more, because of rounding."""


def quasi_newton(
    evaluate: Evaluate,
    start: Vector,
    penalties: Sequence[tuple[slice, ElasticNet]],
    options: QuasiNewtonOptions | None = None,
) -> Iterator[Iterate]:
    """Minimize ``evaluate(v)[0]`` plus the penalties of slices of v; yield the start, then each iterate.

    The caller decides when to stop; the last iterate is ``stalled`` where no step lowers the objective.

    Parameters
    ----------
    evaluate : callable
        Returns value and gradient of the smooth function.
    start : array of shape (n,)
    penalties : sequence of (slice, ElasticNet)
        Slices do not overlap; entries outside of them are not penalized.
    options : QuasiNewtonOptions, optional

    Examples
    --------
    >>> import numpy as np
    >>> from setwise.learners import ElasticNet, quasi_newton
    >>> iterates = quasi_newton(lambda v: (float((v - 2.0) @ (v - 2.0)), 2.0 * (v - 2.0)), np.zeros(1), [])
    >>> best = next(iterate for iterate in iterates if iterate.violation < 1e-9)
    >>> best.point.round(6).tolist()
    [2.0]
    """
    options = options or QuasiNewtonOptions()
    has_l1 = any(net.l1 > 0.0 for _, net in penalties)
    point = start.copy()
    value, gradient = _with_squares(evaluate, point, penalties)
    pseudo = _pseudo_gradient(point, gradient, penalties)
    n_evaluations = 1
    memory = _core.StepMemory(point.size, options.memory, options.n_jobs)
    violation = _largest(pseudo)
    yield Iterate(point, value, violation, n_evaluations)
    while True:
        direction = memory.direction(pseudo)
        _align(direction, pseudo, penalties)
        if memory.empty:  # nothing is known of the scale yet: move by one at most
            direction /= max(1.0, float(np.sqrt(pseudo @ pseudo)))
        slope = float(direction @ pseudo)
        step, found = 1.0, None
        for _ in range(options.max_halvings if slope < 0.0 else 0):
            trial = direction * step
            trial += point
            _stay_in_orthant(trial, point, pseudo, penalties)
            after, gradient_after = _with_squares(evaluate, trial, penalties)
            n_evaluations += 1
            promised = float(pseudo @ (trial - point)) if has_l1 else step * slope
            pseudo_after = _pseudo_gradient(trial, gradient_after, penalties)
            # Near the optimum the decrease is below the rounding of the value, but the certificate still falls.
            drowned = after <= value and _largest(pseudo_after) < violation
            if after <= value + options.armijo * promised or drowned:
                found = trial, after, gradient_after, pseudo_after
                break
            step /= 2.0
        if found is None:
            if memory.empty:
                yield Iterate(point, value, violation, n_evaluations, stalled=True)
                return
            memory.clear()  # a stale curvature may be at fault: once more along the gradient
            continue
        trial, value, gradient_after, pseudo = found
        memory.remember(point, trial, gradient, gradient_after, options.least_curvature)
        point, gradient, violation = trial, gradient_after, _largest(pseudo)
        yield Iterate(point, value, violation, n_evaluations)


def _with_squares(
    evaluate: Evaluate, point: Vector, penalties: Sequence[tuple[slice, ElasticNet]]
) -> tuple[float, Vector]:
    """Return the value with all penalties, and the gradient of the smooth part: the function and the squared terms."""
    value, gradient = evaluate(point)
    for part, net in penalties:
        value += net.value(point[part])
        if net.l2 > 0.0:
            gradient[part] += net.l2 * point[part]
    return value, gradient


def _pseudo_gradient(point: Vector, gradient: Vector, penalties: Sequence[tuple[slice, ElasticNet]]) -> Vector:
    """Return the subgradient of least size, with its sign; its largest absolute value is the violation."""
    pseudo = gradient.copy() if any(net.l1 > 0.0 for _, net in penalties) else gradient
    for part, net in penalties:
        if net.l1 > 0.0:
            w, g = point[part], gradient[part]
            at_zero = np.sign(g) * np.maximum(np.abs(g) - net.l1, 0.0)
            pseudo[part] = np.where(w != 0.0, g + net.l1 * np.sign(w), at_zero)
    return pseudo


def _align(direction: Vector, pseudo: Vector, penalties: Sequence[tuple[slice, ElasticNet]]) -> None:
    """Set coordinates that point uphill to zero where there is an L1 term: curvature holds in one orthant."""
    for part, net in penalties:
        if net.l1 > 0.0:
            direction[part][direction[part] * pseudo[part] >= 0.0] = 0.0


def _stay_in_orthant(
    trial: Vector, point: Vector, pseudo: Vector, penalties: Sequence[tuple[slice, ElasticNet]]
) -> None:
    """Set coordinates that crossed zero to zero."""
    for part, net in penalties:
        if net.l1 > 0.0:
            orthant = np.where(point[part] != 0.0, np.sign(point[part]), -np.sign(pseudo[part]))
            trial[part][trial[part] * orthant <= 0.0] = 0.0


def _largest(values: Vector) -> float:
    return float(max(values.max(initial=0.0), -values.min(initial=0.0)))
