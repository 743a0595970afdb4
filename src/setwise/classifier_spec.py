"""What the parameters of a classifier ask for: checked, and made into a model, a support, recipes and a validation."""

from __future__ import annotations

import numbers
from dataclasses import replace
from types import SimpleNamespace
from typing import Any, get_args

from setwise.abilities import require
from setwise.decision.gfm import checked_beta
from setwise.exceptions import Incompatible, InvalidParameter
from setwise.inference import SetCalibration
from setwise.inference.calibration import IDENTITY
from setwise.labels import LabelMatrix, Support
from setwise.learners.checks import checked_n_jobs
from setwise.metrics.named import checked_metric
from setwise.models import BernoulliMixture, BinaryRelevance, ClassifierChain, LabelSizeFactors, PairwiseCRF
from setwise.models.base import checked_count, checked_random_state
from setwise.prediction import Candidate, Recipe, TuningTargets, able
from setwise.prediction.candidates import candidates as recipes_to_try
from setwise.prediction.recipe import DecisionName, InferenceName
from setwise.tuning.autotune import JUDGED_AT_MOST, usual_validation
from setwise.tuning.budget import checked_budget
from setwise.tuning.validation import Validation

__all__ = ["MODELS", "ClassifierSpec"]

MODELS: dict[str, Any] = {
    "br": BinaryRelevance,
    "pcc": ClassifierChain,
    "crf": PairwiseCRF,
    "cbm": BernoulliMixture,
    "lsf": LabelSizeFactors,
}

_WITHOUT_SETS = ("exact", "sampled", "blend")
"""Inferences that know labels and sizes, but no set."""

_CALIBRATED = ("support", "exact", "blend")
"""Inferences that a calibration has a hold on."""


class ClassifierSpec:
    """The parameters of a :class:`setwise.SetClassifier`, by name, and what follows from them."""

    def __init__(self, parameters: dict[str, Any]) -> None:
        self._given = SimpleNamespace(**parameters)

    def check(self) -> None:
        """Raise in one sentence where a parameter is none, or two cannot work together."""
        given = self._given
        for name, kind in (("inference", InferenceName), ("decision", DecisionName)):
            if getattr(given, name) not in ("tuned", *get_args(kind)):
                allowed = ", ".join(map(repr, ("tuned", *get_args(kind))))
                raise InvalidParameter(f"{name} must be one of {allowed}; got {getattr(given, name)!r}.")
        takes_sets = given.decision == "most_probable"
        takes_more = given.decision in ("gfm", "threshold")
        if (given.inference == "mode" and takes_more) or (given.inference in _WITHOUT_SETS and takes_sets):
            raise Incompatible(
                f"decision={given.decision!r} cannot work with inference={given.inference!r}. "
                f"Hint: 'mode' goes with 'most_probable' alone, and 'most_probable' with 'mode' or 'support'."
            )
        if not (given.calibration is None or self._finds_calibration or isinstance(given.calibration, SetCalibration)):
            raise InvalidParameter(
                f"calibration must be None, 'tuned', 'likelihood', 'f1' or a SetCalibration; got {given.calibration!r}."
            )
        if self._calibrates and given.inference not in ("tuned", *_CALIBRATED):
            raise Incompatible(
                f"calibration={given.calibration!r} changes nothing where inference={given.inference!r}. "
                f"Hint: calibrate 'support', 'exact' or 'blend'."
            )
        if not self._tunes_threshold and not _is_share(given.threshold):
            raise InvalidParameter(
                f"threshold must lie in [0, 1] or be 'tuned' or 'tuned per label'; got {given.threshold!r}."
            )
        if not self._tunes_blend and not _is_share(given.blend):
            raise InvalidParameter(f"blend must lie in [0, 1] or be 'tuned'; got {given.blend!r}.")
        self.validation(n_documents=0)
        checked_budget(given.budget)
        checked_metric(given.metric)
        checked_count(given.min_count, "min_count")
        checked_count(given.n_samples, "n_samples")
        checked_random_state(given.random_state)
        checked_beta(given.beta)
        checked_n_jobs(given.n_jobs)

    @property
    def _finds_calibration(self) -> bool:
        return isinstance(self._given.calibration, str) and self._given.calibration in ("tuned", "likelihood", "f1")

    @property
    def _calibrates(self) -> bool:
        """Whether a calibration is asked for by name or by its numbers."""
        given = self._given.calibration
        if isinstance(given, SetCalibration):
            return not given.changes_nothing
        return given in ("likelihood", "f1")

    @property
    def _tunes_threshold(self) -> bool:
        return isinstance(self._given.threshold, str) and self._given.threshold in ("tuned", "tuned per label")

    @property
    def _tunes_blend(self) -> bool:
        return isinstance(self._given.blend, str) and self._given.blend == "tuned"

    def model(self) -> Any:
        """Give the model that is named or given, not fitted."""
        if not isinstance(self._given.model, str):
            return self._given.model
        if self._given.model not in MODELS:
            raise InvalidParameter(
                f"model must be one of {', '.join(map(repr, MODELS))} or a model; got {self._given.model!r}."
            )
        return MODELS[self._given.model](n_jobs=self._given.n_jobs)

    def validation(self, n_documents: int) -> Validation:
        """Say which documents are held out."""
        given, random_state = self._given.held_out, self._given.random_state
        if given is None and self._given.refit:
            return usual_validation(n_documents, random_state)
        if given is None:  # what is kept is trained on one part, so there are no folds
            return Validation(random_state=random_state, max_documents=JUDGED_AT_MOST)
        if _is_share(given) and given not in (0, 1):
            return Validation(share=float(given), random_state=random_state, max_documents=JUDGED_AT_MOST)
        if not isinstance(given, numbers.Integral) or isinstance(given, bool) or given < 2:
            raise InvalidParameter(
                f"held_out must be None, a share between 0 and 1 or a number of folds from 2 up; got {given!r}."
            )
        if not self._given.refit:
            raise InvalidParameter(f"held_out must be a share where refit=False; got {given!r} folds.")
        return Validation(n_folds=int(given), random_state=random_state, max_documents=JUDGED_AT_MOST)

    def support(self, labels: LabelMatrix) -> Support:
        """Give the sets of training documents that have probability."""
        support = Support.of(labels)
        if self._given.min_count > 1:
            support = support.at_least(self._given.min_count)
        return support if self._given.extra_sets is None else support.with_sets(self._given.extra_sets)

    def recipe(self) -> Recipe:
        """Give the recipe as far as it is given; what is tuned stands as in the paper."""
        given = self._given.calibration if isinstance(self._given.calibration, SetCalibration) else IDENTITY
        decision: DecisionName = "most_probable" if self._given.inference == "mode" else "gfm"
        return Recipe(
            "support" if self._given.inference == "tuned" else self._given.inference,
            decision if self._given.decision == "tuned" else self._given.decision,
            calibration=given,
            scaling=given,
            blend=0.5 if self._tunes_blend else float(self._given.blend),
            beta=self._given.beta,
            threshold=0.5 if self._tunes_threshold else float(self._given.threshold),
            at_least_one=self._given.at_least_one,
            n_samples=self._given.n_samples,
            random_state=self._given.random_state,
            n_jobs=checked_n_jobs(self._given.n_jobs),
        )

    def candidates(self, model: Any, recipe: Recipe, may_be_empty: bool) -> list[Candidate]:
        """Give the recipes to try; there is one where all is given."""
        given = self._given
        ways: tuple[Any, ...] = (given.calibration if isinstance(given.calibration, str) else None,)
        wishes = TuningTargets(blend=self._tunes_blend, threshold=given.threshold if self._tunes_threshold else None)
        if "tuned" in (given.inference, given.decision):
            return recipes_to_try(
                recipe,
                model,
                inference=None if given.inference == "tuned" else given.inference,
                decision=None if given.decision == "tuned" else given.decision,
                calibration=ways[0],
                numbers=wishes,
                may_be_empty=may_be_empty,
            )
        if ways == ("tuned",):
            ways = (None, "likelihood", "f1") if given.inference in _CALIBRATED else (None,)
        wishes = TuningTargets(
            blend=wishes.blend and given.inference == "blend",
            threshold=wishes.threshold if given.decision == "threshold" else None,
        )
        asked = [Candidate(way or "as it is", recipe, replace(wishes, calibration=way)) for way in ways]
        needed = dict.fromkeys([*recipe.needs(model), *asked[0].wishes.needs(recipe, model)])
        require(model, *needed, by=f"inference={given.inference!r}")
        return able(asked, model)


def _is_share(value: Any) -> bool:
    return isinstance(value, numbers.Real) and not isinstance(value, bool) and 0.0 <= float(value) <= 1.0
