"""The parameters of a classifier: checked, and turned into a model, a support, recipes and the tuning of them."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from functools import cache
from types import SimpleNamespace
from typing import Any, Protocol, get_args, runtime_checkable

from setwise._estimator import clone
from setwise._validation import (
    BETA,
    N_JOBS,
    AnyOf,
    Boolean,
    Constraint,
    InstanceOf,
    Interval,
    ListOf,
    NoneOr,
    OneOf,
    RandomState,
    check_parameters,
    effective_n_jobs,
    random_seed,
)
from setwise.decision import DECISIONS
from setwise.exceptions import Incompatible, InvalidParameter
from setwise.executors import Executor, Scheduler, executor_of
from setwise.inference import INFERENCES
from setwise.labels import IDENTITY, LabelMatrix, SetCalibration, Support, lists_of_names
from setwise.learners import FeatureColumns, critical_strength
from setwise.metrics import METRICS
from setwise.models import (
    AUTO,
    AUTO_STAGES,
    BUDGETS,
    FEATURE_BUDGETS,
    FOLD_BUDGETS,
    LABEL_BUDGETS,
    LEAST_SEEN,
    MODELS,
    NGRAM_BUDGETS,
    AutoStage,
    BinaryRelevance,
    LabelModel,
    StrengthPath,
    entry_of,
    model_class,
)
from setwise.posterior import require
from setwise.prediction import Candidate, Recipe, TuningTargets, are_compatible, candidates, feasible, screening
from setwise.text import (
    WEIGHTINGS,
    CountWeighting,
    TextVectorizer,
    are_counts,
    candidate_vectorizers,
    combined_feature_sets,
    feature_set_name,
)
from setwise.tuning import (
    MAX_HELD_OUT,
    N_FOLDS,
    Checkpoint,
    FeatureChoice,
    FeatureSet,
    FitPlan,
    Part,
    Preference,
    ProgressCallback,
    Stage,
    TuningResult,
    Validation,
    autotune,
    confidence_validation,
    data_fingerprint,
    default_validation,
    feature_validation,
    parameter_text,
    plan_of,
    seen_share,
    select_features,
    tune_models,
)

__all__ = ["ClassifierSpec"]

_CALIBRATION_METHODS = ("tuned", "likelihood", "f1")
_THRESHOLD_METHODS = ("tuned", "tuned per label")
_SHARE = Interval("real", 0, 1)

FOLDS = "folds"
"""The value of ``refit`` with which the models of the folds are pooled."""


@runtime_checkable
class _Transformer(Protocol):
    """What a vectorizer needs: scikit-learn's methods of a transformer."""

    def get_params(self, deep: bool = True) -> dict[str, Any]: ...

    def fit_transform(self, texts: Any, y: Any = None) -> Any: ...

    def transform(self, texts: Any) -> Any: ...


def _constraints() -> Mapping[str, Constraint]:
    """Return the parameter table; the registries are read when it is built."""
    return {
        "model": AnyOf(OneOf([AUTO, *MODELS]), InstanceOf(LabelModel, "a model")),
        "inference": OneOf(["tuned", *INFERENCES]),
        "decision": OneOf(["tuned", *DECISIONS]),
        "vectorizer": NoneOr(
            AnyOf(
                InstanceOf(_Transformer, "a transformer of texts such as TextVectorizer()"),
                ListOf(InstanceOf(_Transformer, "transformers of texts")),
            )
        ),
        "weighting": NoneOr(OneOf(["tuned", *WEIGHTINGS])),
        "calibration": NoneOr(AnyOf(OneOf(_CALIBRATION_METHODS), InstanceOf(SetCalibration, "a SetCalibration"))),
        "budget": OneOf(BUDGETS),
        "prefer": OneOf(get_args(Preference)),
        "scoring": OneOf(METRICS),
        "beta": BETA,
        "threshold": AnyOf(_SHARE, OneOf(_THRESHOLD_METHODS)),
        "at_least_one": Boolean(),
        "min_count": Interval("integer", 1),
        "n_samples": Interval("integer", 1),
        "blend": AnyOf(_SHARE, OneOf(["tuned"])),
        "cv": NoneOr(AnyOf(Interval("real", 0, 1, closed="neither"), Interval("integer", 2))),
        "refit": AnyOf(Boolean(), OneOf([FOLDS])),
        "random_state": RandomState(),
        "n_jobs": N_JOBS,
    }


class ClassifierSpec:
    """The parameters of a :class:`setwise.SetClassifier`, by name, and what follows from them."""

    PARAMETERS = (*_constraints(), "extra_sets", "checkpoint", "verbose", "executor")
    """The names of all parameters."""

    def __init__(self, parameters: dict[str, Any]) -> None:
        self._parameters = parameters
        self._options = SimpleNamespace(**parameters)

    def check(self) -> None:
        """Raise in one sentence where a parameter is invalid, or two cannot be combined."""
        options = self._options
        check_parameters(_constraints(), self._parameters)
        self.executor()
        if "tuned" not in (options.inference, options.decision) and not are_compatible(
            options.inference, options.decision
        ):
            works = [name for name in INFERENCES if are_compatible(name, options.decision)]
            raise Incompatible(
                f"decision={options.decision!r} cannot be combined with inference={options.inference!r}. "
                f"Hint: it works with {', '.join(map(repr, works))}."
            )
        if self._calibrates and options.inference != "tuned" and not INFERENCES[options.inference].calibrates:
            works = [entry.name for entry in INFERENCES.values() if entry.calibrates]
            raise Incompatible(
                f"calibration={options.calibration!r} has no effect on inference={options.inference!r}. "
                f"Hint: calibrate {', '.join(map(repr, works))}."
            )
        if not options.refit and options.cv is not None and options.cv >= 2:
            raise InvalidParameter(f"cv must be a share between 0 and 1 where refit=False; got {options.cv!r} folds.")
        if self.keeps_folds and options.cv is not None and options.cv < 2:
            raise InvalidParameter(f"cv must be a number of folds where refit='folds'; got the share {options.cv!r}.")

    @property
    def _calibrates(self) -> bool:
        """Whether a calibration is requested by name or by its numbers."""
        calibration = self._options.calibration
        by_numbers = isinstance(calibration, SetCalibration)
        return not calibration.is_identity if by_numbers else calibration in ("likelihood", "f1")

    @property
    def keeps_folds(self) -> bool:
        """Whether the models of the folds stay, pooled, in place of one that is fitted to all documents."""
        return bool(self._options.refit == FOLDS)

    def executor(self) -> Executor:
        """Return where the tuning runs."""
        return executor_of(self._options.executor)

    @property
    def random_seed(self) -> int:
        """The seed that every random choice is derived from."""
        return random_seed(self._options.random_state)

    def model(self) -> Any:
        """Return the model, not fitted; where it is chosen, the first of those that are tried."""
        options = self._options
        if not isinstance(options.model, str):
            return options.model
        if options.model == AUTO:
            return self._stage_model(AUTO_STAGES[options.budget][0])
        return model_class(options.model)(n_jobs=options.n_jobs)

    def _stage_model(self, stage: AutoStage) -> Any:
        return model_class(stage.model)(n_jobs=self._options.n_jobs).set_params(**stage.parameters)

    def feature_sets(self, documents: Any) -> list[FeatureSet]:
        """Return the features to choose from for texts or the rows of a matrix; a single one where none are tuned."""
        options = self._options
        tunes = isinstance(options.model, str) and options.budget in FEATURE_BUDGETS
        if isinstance(documents, list):
            vectorizers = options.vectorizer
            if vectorizers is None:
                vectorizers = TextVectorizer()
                if tunes:
                    vectorizers = candidate_vectorizers(thorough=options.budget in NGRAM_BUDGETS)
            if not isinstance(vectorizers, list | tuple):
                vectorizers = [vectorizers]
            return [
                FeatureSet(feature_set_name(one), self._with_threads(one), combined_feature_sets(one))
                for one in vectorizers
            ]
        weighting = options.weighting
        if weighting not in (None, "tuned"):
            return [FeatureSet(weighting, CountWeighting(weighting))]
        as_is = FeatureSet("as is", None)
        if weighting is None or not tunes or not are_counts(documents):
            return [as_is]
        return [as_is, *(FeatureSet(name, CountWeighting(name)) for name in WEIGHTINGS)]

    def _with_threads(self, vectorizer: Any) -> Any:
        """Return the vectorizer with the threads of the classifier, unless it has its own."""
        if isinstance(vectorizer, TextVectorizer) and vectorizer.n_jobs is None:
            return clone(vectorizer).set_params(n_jobs=self._options.n_jobs)
        return vectorizer

    def parts(self, X: Any, labels: LabelMatrix, sample_weight: Any, seed: int, transformer: Any) -> list[Part]:
        """Return the parts of the training documents to fit to and to tune on."""
        return self._validation(labels.n_samples, seed).parts(X, labels, self.support, sample_weight, transformer)

    def part_with(
        self, X: Any, labels: LabelMatrix, sample_weight: Any, X_valid: Any, y_valid: Any, transformer: Any
    ) -> Part:
        """Return one part that is fitted to all training documents and tuned on others.

        Labels that no training document has are dropped: no model could predict them.
        """
        lists, trained = lists_of_names(y_valid, called="validation_data"), set(labels.names)
        if lists is not None:
            y_valid = [[name for name in names if name in trained] for names in lists]
        held = LabelMatrix.of(y_valid, labels.names, called="validation_data")
        return Part.of(transformer, X, labels, X_valid, held, self.support, sample_weight)

    def choose_features(
        self,
        feature_sets: list[FeatureSet],
        make_parts: Callable[[Any], list[Part]],
        make_trial_parts: Callable[[Any], list[Part]] | None,
        may_be_empty: bool,
        seed: int,
        checkpoint: Checkpoint | None,
        progress: ProgressCallback,
        scheduler: Scheduler,
    ) -> FeatureChoice:
        """Choose the feature set on held-out documents, with BR and the recipes that screen settings."""
        recipes: list[Candidate] = []
        if len(feature_sets) > 1:
            model = BinaryRelevance(n_jobs=self._options.n_jobs)
            recipes = screening(self.candidates(model, self.recipe(seed), may_be_empty))
        return select_features(
            feature_sets,
            make_parts,
            recipes,
            make_trial_parts=make_trial_parts,
            scoring=self._options.scoring,
            n_jobs=self._options.n_jobs,
            checkpoint=checkpoint,
            progress=progress,
            executor=scheduler,
        )

    def tune(
        self,
        model: Any,
        candidates: list[Candidate],
        parts: list[Part],
        X: Any,
        labels: LabelMatrix,
        seed: int,
        may_be_empty: bool,
        checkpoint: Checkpoint | None,
        progress: ProgressCallback,
        scheduler: Scheduler,
    ) -> TuningResult:
        """Choose the recipe, and the settings of a model chosen by name, on held-out documents."""
        options = self._options
        if options.model == AUTO:
            return self._tune_models(parts, X, labels, seed, may_be_empty, checkpoint, progress, scheduler)
        entry = entry_of(model) if isinstance(options.model, str) else None
        grid = None
        if entry is not None:
            critical = critical_strength(X, labels, options.n_jobs, model.loss)
            grid = entry.grid(model, options.budget, critical)
        return autotune(
            model,
            parts,
            candidates,
            grid=grid,
            early_stopping=None if entry is None else entry.early_stopping,
            scoring=options.scoring,
            random_state=seed,
            scales_labels=entry is not None and entry.scales_labels and options.budget in LABEL_BUDGETS,
            checkpoint=None if checkpoint is None else checkpoint.section("model"),
            progress=progress,
            executor=scheduler,
        )

    def _tune_models(
        self,
        parts: list[Part],
        X: Any,
        labels: LabelMatrix,
        seed: int,
        may_be_empty: bool,
        checkpoint: Checkpoint | None,
        progress: ProgressCallback,
        scheduler: Scheduler,
    ) -> TuningResult:
        """Tune the models of the budget, and choose one of them or a pool."""
        options, recipe = self._options, self.recipe(seed)
        return tune_models(
            self.auto_stages(parts, X, labels, seed, may_be_empty),
            parts,
            lambda pool: self._feasible_candidates(pool, recipe, may_be_empty),
            prefer=options.prefer,
            scoring=options.scoring,
            random_state=seed,
            n_jobs=options.n_jobs,
            checkpoint=checkpoint,
            progress=progress,
            executor=scheduler,
        )

    def auto_stages(self, parts: list[Part], X: Any, labels: LabelMatrix, seed: int, may_be_empty: bool) -> list[Stage]:
        """Return the models of the budget with their grids."""
        options, recipe, stages = self._options, self.recipe(seed), []
        critical = cache(lambda loss: critical_strength(X, labels, options.n_jobs, loss))
        n_weights = FeatureColumns.matrix_of(X).shape[1] * labels.n_labels
        n_set_scores = cache(lambda: labels.n_samples * self.support(labels).n_sets)
        for stage in AUTO_STAGES[options.budget]:
            model, entry = self._stage_model(stage), MODELS[stage.model]
            if entry.only_training_sets and seen_share(parts) < LEAST_SEEN:
                continue
            if not stage.min_documents <= labels.n_samples <= stage.max_documents or n_weights > stage.max_weights:
                continue
            if stage.max_set_scores < math.inf and n_set_scores() > stage.max_set_scores:
                continue
            if candidates := self._feasible_candidates(model, recipe, may_be_empty):
                grid = entry.grid(model, stage.budget, critical(model.loss))
                if n_weights > stage.max_dense_weights:
                    grid = [path for path in grid if path.parameters["l1_ratio"] > 0.0]
                scales = entry.scales_labels and stage.budget in LABEL_BUDGETS
                early_stopping = entry.early_stopping
                stages.append(Stage(stage.name, model, grid, candidates, early_stopping, scales, stage.ratio_of))
        return stages

    def plan(
        self, parts: list[Part], X: Any, labels: LabelMatrix, seed: int, may_be_empty: bool, n_feature_sets: int
    ) -> FitPlan:
        """Return the tasks of a fit, and what they will probably cost."""
        options, model = self._options, self.model()
        if options.model == AUTO:
            stages = self.auto_stages(parts, X, labels, seed, may_be_empty)
        else:
            entry = entry_of(model) if isinstance(options.model, str) else None
            grid = [StrengthPath((getattr(model, "strength", 1.0),))]
            if entry is not None:
                grid = entry.grid(model, options.budget, critical_strength(X, labels, options.n_jobs, model.loss))
            stages = [Stage(type(model).__name__, model, grid, self.candidates(model, self.recipe(seed), may_be_empty))]
        validation = confidence_validation(labels.n_samples, seed)
        n_confidence = 0
        if validation is not None and options.cv is None and options.refit is True:
            n_confidence = validation.n_used or 0
        n_screens = len(screening(stages[0].candidates))
        return plan_of(stages, parts, n_screens, n_confidence, n_feature_sets, refits=options.refit is True)

    def _feasible_candidates(self, model: Any, recipe: Recipe, may_be_empty: bool) -> list[Candidate]:
        """Return the recipes to try for one of several models; none where the options allow none for it."""
        try:
            return self.candidates(model, recipe, may_be_empty)
        except Incompatible:
            return []

    def checkpoint(self, seed: int, documents: Any, labels: LabelMatrix, *others: Any) -> AbstractContextManager[Any]:
        """Open the checkpoint of a fit to these documents; without a path, the context has None."""
        if self._options.checkpoint is None:
            return nullcontext()
        left_out = ("n_jobs", "checkpoint", "verbose", "random_state", "executor")
        parameters = {name: value for name, value in self._parameters.items() if name not in left_out}
        text = parameter_text({**parameters, "seed": seed})
        run = {"fingerprint": data_fingerprint(text, documents, labels.names, labels.indicator, *others)}
        return Checkpoint(self._options.checkpoint, run)

    def confidence_parts(
        self, X: Any, labels: LabelMatrix, sample_weight: Any, seed: int, transformer: Any
    ) -> list[Part] | None:
        """Return parts of their own for the confidence; None where the caller has said what is held out."""
        validation = confidence_validation(labels.n_samples, seed)
        if validation is None or self._options.cv is not None or self._options.refit is not True:
            return None
        return validation.parts(X, labels, self.support, sample_weight, transformer)

    def feature_validation(self, n_documents: int, seed: int) -> Validation | None:
        """Return how documents are held out to compare feature sets, where that is not as for all else."""
        if self._options.cv is not None or self.keeps_folds:
            return None
        return feature_validation(n_documents, seed, thorough=self._options.budget in FOLD_BUDGETS)

    def _validation(self, n_documents: int, seed: int) -> Validation:
        """Return how documents are held out."""
        cv = self._options.cv
        if cv is None and self.keeps_folds:
            return Validation(n_folds=N_FOLDS, random_state=seed, max_documents=MAX_HELD_OUT)
        if cv is None and self._options.refit:
            return default_validation(n_documents, seed, thorough=self._options.budget in FOLD_BUDGETS)
        if cv is None:  # the model is the one trained on that part, so there are no folds
            return Validation(random_state=seed, max_documents=MAX_HELD_OUT)
        if 0.0 < cv < 1.0:
            return Validation(share=float(cv), random_state=seed, max_documents=MAX_HELD_OUT)
        return Validation(n_folds=int(cv), random_state=seed, max_documents=MAX_HELD_OUT)

    def support(self, labels: LabelMatrix) -> Support:
        """Return the label sets that have probability under support inference."""
        support = Support.of(labels)
        if self._options.min_count > 1:
            support = support.at_least(self._options.min_count)
        return support if self._options.extra_sets is None else support.with_sets(self._options.extra_sets)

    def recipe(self, seed: int) -> Recipe:
        """Return the recipe of these parameters; what is tuned starts as in the paper."""
        options = self._options
        calibration = options.calibration if isinstance(options.calibration, SetCalibration) else IDENTITY
        inference = "support" if options.inference == "tuned" else options.inference
        decision = options.decision
        if decision == "tuned":
            decision = next(name for name in DECISIONS if are_compatible(inference, name))
        return Recipe(
            inference,
            decision,
            calibration=calibration,
            scaling=calibration,
            blend=0.5 if isinstance(options.blend, str) else float(options.blend),
            beta=float(options.beta),
            threshold=0.5 if isinstance(options.threshold, str) else float(options.threshold),
            at_least_one=options.at_least_one,
            n_samples=options.n_samples,
            random_state=seed,
            n_jobs=effective_n_jobs(options.n_jobs),
        )

    def candidates(self, model: Any, recipe: Recipe, may_be_empty: bool) -> list[Candidate]:
        """Return the recipes to try; a single one where nothing is tuned."""
        options = self._options
        method: Any = options.calibration if isinstance(options.calibration, str) else None
        threshold: Any = options.threshold if isinstance(options.threshold, str) else None
        blend = isinstance(options.blend, str)
        if "tuned" in (options.inference, options.decision):
            return candidates(
                recipe,
                model,
                inference=None if options.inference == "tuned" else options.inference,
                decision=None if options.decision == "tuned" else options.decision,
                calibration=method,
                targets=TuningTargets(blend=blend, threshold=threshold),
                may_be_empty=may_be_empty,
            )
        methods: tuple[Any, ...] = (method,)
        if method == "tuned":
            methods = (None, "likelihood", "f1") if INFERENCES[options.inference].calibrates else (None,)
        targets = TuningTargets(
            blend=blend and options.inference == "blend",
            threshold=threshold if options.decision == "threshold" else None,
        )
        tried = [Candidate(one or "uncalibrated", recipe, replace(targets, calibration=one)) for one in methods]
        by_decision = DECISIONS[options.decision].needs
        needed = dict.fromkeys([*recipe.needs(model), *tried[0].targets.needs(recipe, model)])
        require(model, *(one for one in needed if one not in by_decision), by=f"inference={options.inference!r}")
        require(model, *by_decision, by=f"decision={options.decision!r}")
        return feasible(tried, model)
