"""The elastic-net learners compared with LIBLINEAR, scikit-learn, glmnet and skglm."""

from __future__ import annotations

from dataclasses import dataclass

from benchmarks.harness.benchmark import Benchmark

INTRODUCTION = """\
**How to read it.** Every solver gets the same matrix, one thread and one core (except in the sections on threads and
memory), and minimises the same objective. Solvers take turns, and the fastest of their rounds counts. For setwise the
whole call is timed, for LIBLINEAR its C function alone. For skglm the first call, which compiles, is not counted.
glmnet, which does not converge from a cold start, is timed on a path of 20 strengths (100 where 20 do not converge).
setwise runs at its default tolerance, except in the settings marked *tight*, where it runs at 1e-7 because the peers
compute many digits.

The *objective* of every solution is computed by the same function, in float64: the sum over labels of
`sum_i loss_i + n * strength * (l1_ratio |w|_1 + (1 - l1_ratio) |w|_2^2)`. That is n times what setwise minimises, and
LIBLINEAR's objective divided by C. *Speedup* is the peer's seconds divided by those of setwise in the same setting:
above 1, setwise is faster. Where a row has dashes, its note gives the reason.
"""


@dataclass(frozen=True)
class LearnersEffort:
    """Penalties, labels and rounds to measure."""

    cs: tuple[float, ...] = (0.1, 1.0, 10.0)
    elastic_cs: tuple[float, ...] = (1.0, 10.0)
    n_rounds: int = 3
    # Labels for peers that would take long on all of them.
    n_labels: int = 10
    # Labels for saga with ten times its default iterations; 0 leaves that row out.
    n_labels_slowest: int = 3


CORPORA = ("bibtex", "rcv1sub1", "tmc2007_500")

LEARNERS = Benchmark(
    name="learners",
    description="Time the learners against other libraries.",
    title="Benchmark of the learners",
    introduction=INTRODUCTION,
    datasets={
        **dict.fromkeys(("l1", "elastic", "l2"), CORPORA),
        "hinge": ("bibtex", "rcv1sub1"),
        **dict.fromkeys(("path", "threads", "memory"), CORPORA),
    },
    full_effort=LearnersEffort(),
    quick_effort=LearnersEffort(cs=(1.0,), elastic_cs=(1.0,), n_rounds=1, n_labels=3, n_labels_slowest=0),
    quick_description="one C, one round, few labels",
    packages=("setwise", "liblinear-official", "scikit-learn", "python-glmnet", "skglm", "numba", "numpy", "scipy"),
)
