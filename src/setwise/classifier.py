"""SetClassifier, the one estimator: a model, an inference and a decision behind scikit-learn's interface."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any, Literal

import numpy as np

from setwise._estimator import check_is_fitted, clone
from setwise._validation import check_sample_weight
from setwise.classifier_predictions import ScoredSet, SetPredictor
from setwise.classifier_spec import ClassifierSpec
from setwise.exceptions import Incompatible, InvalidData
from setwise.executors import Executor, scheduler_of
from setwise.labels import LabelMatrix, SetCalibration, lists_of_names
from setwise.learners import FeatureColumns
from setwise.metrics import MetricName
from setwise.models import BudgetName, LabelModel
from setwise.persistence import ClassifierState, read_model, write_model
from setwise.prediction import DecisionName, InferenceName
from setwise.text import TextVectorizer, texts_of
from setwise.tuning import (
    FeatureSet,
    FitPlan,
    Part,
    Preference,
    Progress,
    cross_fitted_confidence,
    held_out_confidence,
    progress_bar,
)

__all__ = ["ScoredSet", "SetClassifier", "load"]


class SetClassifier(SetPredictor):
    """Predict for each document the label set of the best expected F1.

    Without options nothing needs to be chosen: whatever is "tuned" is tuned on training documents that are held out
    first, and the model is then fitted to all documents.

    Parameters
    ----------
    model : {"auto", "br", "pcc", "crf", "cbm", "lsf", ...} or LabelModel, default="auto"
        A name of :data:`setwise.models.MODELS` tunes strength, L1 ratio and iterations within the ``budget``; a model
        such as ``BinaryRelevance(strength=1e-4)`` keeps its parameters. "auto" tunes several models and their pool,
        and chooses one of them on held-out documents; with the quick budget it is "br".
    inference : {"tuned", "support", "exact", "sampled", "blend", "mode"}, default="tuned"
        "support": only label sets of the training documents have probability. "exact": the model's own probabilities of
        labels and sizes. "sampled": the same, estimated from sets that the model draws. "blend": a mixture of "support"
        and "exact" (or "sampled", where the model has no exact ones). "mode": the model's most probable set alone.
    decision : {"tuned", "gfm", "most_probable", "threshold", "expected_jaccard"}, default="tuned"
        "gfm": the set of the highest expected F_beta. "most_probable": the most probable set. "threshold": all labels
        whose probability is above a threshold. "expected_jaccard": the set of the highest expected Jaccard index, for
        models with independent labels.
    vectorizer : transformer, list of transformers or None, default=None
        Turns texts into features where X holds texts. From a list, the one that does best on held-out documents is
        chosen. None is ``setwise.text.candidate_vectorizers()``: words, words and bigrams, words and character n-grams,
        or all of them; with the quick budget, or a model with its parameters, it is ``TextVectorizer()``.
    weighting : {"tuned", "sublinear", "tfidf"} or None, default="tuned"
        What to do where X is a matrix of whole counts: ``"sublinear"`` replaces them by 1 + log(count), ``"tfidf"``
        also multiplies them by the inverse document frequency, and both scale rows to unit length. ``"tuned"`` chooses
        between these and the counts themselves on held-out documents, except with the quick budget or a model with its
        parameters, where it is None: features as they are.
    calibration : {"tuned", "likelihood", "f1"}, SetCalibration or None, default="tuned"
        Correction of the probabilities of sets: fitted by likelihood, by F1, whichever of these or none does best, with
        fixed numbers, or none. ``SetClassifier(model, "support", "gfm", calibration=None)`` predicts as the paper does.
    budget : {"quick", "normal", "thorough"}, default="normal"
        How many settings are tried where ``model`` is a name, and with "auto" which models.
    prefer : {"accurate", "simple"}, default="accurate"
        Which model "auto" chooses: the best, or the simplest whose score is within one standard error of the best.
    scoring : str, default="instance_f1"
        The metric to tune for: a key of :data:`setwise.metrics.METRICS`.
    beta : float, default=1.0
        Weight of recall in the F that "gfm" maximizes.
    threshold : float, "tuned" or "tuned per label", default=0.5
        A number, one threshold for all labels tuned for instance F1, or one per label tuned for the label's F1.
    at_least_one : bool, default=False
        Whether every document gets at least one label. Where inference or decision is tuned, that is so anyway if every
        training document has a label. With "most_probable" it changes nothing.
    min_count : int, default=1
        The support has the sets of at least this many training documents.
    extra_sets : label sets, optional
        Sets that are added to the support.
    n_samples : int, default=1000
        Sets drawn per document in sampled inference.
    blend : float or "tuned", default=0.5
        Weight of the part without support in blended inference.
    cv : int, float or None, default=None
        Number of folds, or share of the documents that is held out. None is a fifth, or three folds where there are
        fewer than 2,000 documents.
    refit : bool or "folds", default=True
        Whether to fit the chosen model to all documents; if not, it stays as fitted without the held-out ones. "folds"
        keeps the models of all folds (``cv`` is then their number, by default three) and pools them; texts are turned
        into features once, for all folds.
    random_state : int, RandomState instance or None, default=0
        Decides which documents are held out and what is drawn.
    n_jobs : int, optional
        Number of threads; None and -1 use every core. No result depends on it.
    checkpoint : path, optional
        A file that stores every finished setting, so that an interrupted fit continues there.
    verbose : bool, default=False
        Whether to show progress bars.
    executor : str or Executor, optional
        Where the tuning runs: "processes" is one process per core, "local:4" are four, "tcp://host:8786" is a Dask
        scheduler, and :mod:`setwise.executors` has these with more options. By default it is this process. The result
        is the same to the last bit.

    Attributes
    ----------
    classes_ : array of shape (n_labels,)
        The labels.
    model_ : LabelModel
        The fitted model.
    support_ : Support
        The label sets of the training documents.
    recipe_ : Recipe
        Inference, decision and their parameters.
    tuning_ : TuningResult or None
        What was chosen and what the alternatives scored; None where nothing was tuned.
    confidence_ : SetConfidence or None
        How sure predictions are, learned from the held-out documents; None where too few or none were held out.
    automation_ : Automation or None
        The confidence from which predictions need no review; None until :meth:`automate` finds it.
    vectorizer_ : transformer or None
        The fitted vectorizer; None where X was a matrix.
    weighting_ : CountWeighting or None
        The fitted weighting of counts; None where features are used as they are.
    n_features_in_ : int
        Number of features.

    Notes
    -----
    The classifier works in ``Pipeline``, ``GridSearchCV`` and ``cross_val_score``, with texts or features and any form
    of y; their default scoring is :meth:`score`, the instance F1. ``cross_val_predict`` and scikit-learn's own metrics,
    such as ``scoring="f1_samples"``, need y as zeros and ones: they cannot read lists of labels. (Unlike
    ``f1_samples``, the instance F1 of two empty sets is 1.) ``sklearn.base.is_classifier`` is False, because
    scikit-learn would then look for classes in y to stratify the folds by, and refuse lists of labels.

    Examples
    --------
    >>> from setwise import SetClassifier
    >>> texts = ["red fox runs", "red hen sits", "blue fox sits", "blue hen runs"] * 5
    >>> labels = [["fox"], ["hen", "still"], ["fox", "still"], ["hen"]] * 5
    >>> classifier = SetClassifier(budget="quick").fit(texts, labels)
    >>> classifier.predict(["a fox sits"])
    [['fox', 'still']]
    """

    def __init__(
        self,
        model: str | LabelModel = "auto",
        inference: InferenceName = "tuned",
        decision: DecisionName = "tuned",
        *,
        vectorizer: Any = None,
        weighting: Literal["tuned", "sublinear", "tfidf"] | None = "tuned",
        calibration: SetCalibration | Literal["tuned", "likelihood", "f1"] | None = "tuned",
        budget: BudgetName = "normal",
        prefer: Preference = "accurate",
        scoring: MetricName = "instance_f1",
        beta: float = 1.0,
        threshold: float | Literal["tuned", "tuned per label"] = 0.5,
        at_least_one: bool = False,
        min_count: int = 1,
        extra_sets: Any = None,
        n_samples: int = 1000,
        blend: float | Literal["tuned"] = 0.5,
        cv: float | int | None = None,
        refit: bool | Literal["folds"] = True,
        random_state: Any = 0,
        n_jobs: int | None = None,
        checkpoint: str | Path | None = None,
        verbose: bool = False,
        executor: str | Executor | None = None,
    ) -> None:
        self.model = model
        self.inference = inference
        self.decision = decision
        self.vectorizer = vectorizer
        self.weighting = weighting
        self.calibration = calibration
        self.budget = budget
        self.prefer = prefer
        self.scoring = scoring
        self.beta = beta
        self.threshold = threshold
        self.at_least_one = at_least_one
        self.min_count = min_count
        self.extra_sets = extra_sets
        self.n_samples = n_samples
        self.blend = blend
        self.cv = cv
        self.refit = refit
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.checkpoint = checkpoint
        self.verbose = verbose
        self.executor = executor

    def fit(
        self, X: Any, y: Any, sample_weight: Any = None, *, validation_data: tuple[Any, Any] | None = None
    ) -> SetClassifier:
        """Tune and fit the classifier.

        Parameters
        ----------
        X : list of str, or array or sparse matrix of shape (n_samples, n_features)
            Texts or features of the documents.
        y : label sets
            One list of labels per document, names or integers; or zeros and ones of shape (n_samples, n_labels), as an
            array, a sparse matrix, or a data frame whose columns are the labels. Lists of integers that all have one
            length and contain only 0 and 1 are read as zeros and ones.
        sample_weight : array of shape (n_samples,), optional
            How much each document counts in the loss of the model. Held-out documents count equally.
        validation_data : tuple (X, y), optional
            Other documents to tune on; none of X is then held out.

        Returns
        -------
        self : SetClassifier
        """
        spec = ClassifierSpec(self.get_params(deep=False))
        spec.check()
        if spec.keeps_folds and validation_data is not None:
            raise Incompatible("refit='folds' cannot be combined with validation_data: there are no folds then.")
        documents = self._training_documents(X)
        if y is None:  # in the words that scikit-learn's tools look for
            raise InvalidData("SetClassifier requires y to be passed, but the target y is None.")
        labels = LabelMatrix.of(y)
        n_documents = len(documents) if isinstance(documents, list) else documents.shape[0]
        labels.check_rows(n_documents)
        weight = None if sample_weight is None else check_sample_weight(sample_weight, n_documents)
        seed = spec.random_seed
        model, recipe = spec.model(), spec.recipe(seed)
        may_be_empty = bool((labels.sizes == 0).any())
        candidates = spec.candidates(model, recipe, may_be_empty=may_be_empty)
        feature_sets = spec.feature_sets(documents)
        result = confidence = None
        with progress_bar(shown=bool(self.verbose)) as progress, ExitStack() as stack:
            if not (isinstance(self.model, str) or len(candidates) > 1 or candidates[0].targets.any):
                matrix = self._fit_features(documents, feature_sets[0])
                progress(Progress(stage="final fit"))
                fitted = clone(model).fit(matrix, labels, weight)
            else:
                # Laid out once for the critical strength and the final fit.
                unchanged = cache(lambda: FeatureColumns.of(documents))

                def make_parts(transformer: Any) -> list[Part]:
                    if spec.keeps_folds and transformer is not None:  # the pool has one set of features
                        X_all = clone(transformer).fit_transform(documents)
                        return spec.parts(X_all, labels, weight, seed, None)
                    if validation_data is None:
                        return spec.parts(documents, labels, weight, seed, transformer)
                    X_valid = self._validation_documents(validation_data[0], documents)
                    X_train = unchanged() if transformer is None else documents
                    return [spec.part_with(X_train, labels, weight, X_valid, validation_data[1], transformer)]

                scheduler = stack.enter_context(
                    scheduler_of(spec.executor(), lambda work: progress(Progress(work=work)))
                )
                folds = None if validation_data is not None else spec.feature_validation(n_documents, seed)

                def make_trial_parts(transformer: Any) -> list[Part]:
                    assert folds is not None
                    return folds.parts(documents, labels, spec.support, weight, transformer)

                with spec.checkpoint(seed, documents, labels, weight, *_validation_data(validation_data)) as store:
                    trial_parts = None if folds is None else make_trial_parts
                    choice = spec.choose_features(
                        feature_sets, make_parts, trial_parts, may_be_empty, seed, store, progress, scheduler
                    )
                    matrix = self._fit_features(documents, choice.chosen)
                    features = unchanged() if matrix is documents else FeatureColumns.of(matrix)
                    result = spec.tune(
                        model,
                        candidates,
                        choice.parts,
                        features,
                        labels,
                        seed,
                        may_be_empty,
                        store,
                        progress,
                        scheduler,
                    )
                # Workers that are idle while confidence is learned begin with the final fit.
                final = None
                if self.refit and not spec.keeps_folds:
                    final = result.start_fit(scheduler, features, labels, weight)
                own_parts = None
                if validation_data is None:
                    own_parts = spec.confidence_parts(documents, labels, weight, seed, choice.chosen.transformer)
                if own_parts is None:
                    confidence = held_out_confidence(result, choice.parts, seed)
                else:
                    confidence = cross_fitted_confidence(result, own_parts, seed, progress, scheduler)
                result = replace(result, held_out=[], fits=None)  # scored documents, which nobody asks again
                if choice.trials:
                    result = replace(result, feature_set=choice.chosen.name, feature_trials=choice.trials)
                recipe = result.recipe
                progress(Progress(stage="final fit"))
                if spec.keeps_folds:
                    fitted, recipe = result.fold_pool(spec.support(labels), self.n_jobs)
                elif final is not None:
                    fitted = scheduler.result(final)
                else:
                    fitted = result.fitted_parts()[0]
                    self._set_transformer(choice.parts[0].transformer, isinstance(documents, list))
                    self.n_features_in_ = fitted.n_features_in_
            support = spec.support(labels)
        fitted.round_weights()  # so that it predicts the same bits after it was saved and loaded
        self._set_fitted(fitted, recipe, support, labels.take([0]), result, confidence)
        return self

    def plan(self, X: Any, y: Any) -> FitPlan:
        """Return the tasks that ``fit`` would run, with their estimated cost, without training anything.

        Parameters
        ----------
        X, y
            As for :meth:`fit`.

        Returns
        -------
        plan : FitPlan
            As if no path of settings ended early.

        Examples
        --------
        >>> from setwise import SetClassifier
        >>> texts = ["red fox runs", "red hen sits", "blue fox sits", "blue hen runs"] * 5
        >>> labels = [["fox"], ["hen", "still"], ["fox", "still"], ["hen"]] * 5
        >>> SetClassifier(budget="quick").plan(texts, labels).n_tasks
        29
        """
        spec = ClassifierSpec(self.get_params(deep=False))
        spec.check()
        documents, labels = clone(self)._training_documents(X), LabelMatrix.of(y)
        feature_sets, seed = spec.feature_sets(documents), spec.random_seed
        transformer = feature_sets[0].transformer
        parts = spec.parts(documents, labels, None, seed, transformer)
        matrix = documents if transformer is None else clone(transformer).fit_transform(documents)
        return spec.plan(parts, matrix, labels, seed, bool((labels.sizes == 0).any()), len(feature_sets))

    def save(
        self, path: str | Path, vectorizer: TextVectorizer | None = None, *, trained_on: Any = None, **statistics: Any
    ) -> None:
        """Save the fitted classifier to one file, from which :func:`setwise.load` reads it.

        The file is written completely or not at all: an error leaves an existing file unchanged. It contains no code.

        Parameters
        ----------
        path : str or path-like
            File to write.
        vectorizer : TextVectorizer, optional
            The fitted vectorizer of the documents, where ``fit`` had its features and not texts. The loaded classifier
            then takes texts.
        trained_on : array of int64, optional
            Sketch of the training texts (:meth:`setwise.data.StringHashes.sketch`), with which an evaluation can detect
            texts that the classifier was trained on.
        **statistics
            Further facts about the training: strings, numbers, booleans, None or lists of strings.

        Examples
        --------
        >>> import tempfile, setwise
        >>> from setwise.models import BinaryRelevance
        >>> X, y = [[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]], [["a"], ["b"], ["a", "b"]]
        >>> classifier = setwise.SetClassifier(BinaryRelevance(1e-3), "support", "gfm", calibration=None).fit(X, y)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     classifier.save(f"{folder}/letters.setwise")
        ...     loaded = setwise.load(f"{folder}/letters.setwise")
        >>> loaded.predict([[1.0, 0.0]])
        [['a']]
        """
        check_is_fitted(self)
        vectorizer = self.vectorizer_ if vectorizer is None else vectorizer
        if vectorizer is not None and type(vectorizer) is not TextVectorizer:
            raise Incompatible(f"A model file can store a TextVectorizer only; got {type(vectorizer).__name__}.")
        names = getattr(self, "feature_names_in_", None)
        state = ClassifierState(
            self.get_params(deep=False),
            self.labels_,
            self.model_,
            self.recipe_,
            self.support_,
            self.tuning_,
            int(self.n_features_in_),
            None if names is None else [str(name) for name in names],
            vectorizer,
            self.weighting_,
            self.confidence_,
            self.automation_,
        )
        write_model(path, state, trained_on=trained_on, statistics=statistics)

    @classmethod
    def from_state(cls, state: ClassifierState) -> SetClassifier:
        """Build a fitted classifier from the content of a model file."""
        classifier = cls(**state.parameters)
        classifier.n_features_in_ = state.n_features
        if state.feature_names is not None:
            classifier.feature_names_in_ = np.asarray(state.feature_names, dtype=object)
        classifier.vectorizer_ = state.vectorizer
        classifier.weighting_ = state.weighting
        classifier._set_fitted(
            state.model, state.recipe, state.support, state.labels, state.tuning, state.confidence, state.automation
        )
        return classifier

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.target_tags.required = True
        tags.target_tags.multi_output = True
        tags.target_tags.single_output = False
        return tags

    def _training_documents(self, X: Any) -> Any:
        """Return the list of texts that X holds, or the checked feature matrix."""
        self.vectorizer_ = self.weighting_ = None
        texts = texts_of(X)
        if texts is None:
            return self._check_matrix(X, reset=True)
        if not texts:
            raise InvalidData("X has no documents. Hint: pass at least one text, or one row of features.")
        return texts

    def _validation_documents(self, X: Any, documents: Any) -> Any:
        """Return other documents in the form of the training documents: texts, or a checked feature matrix."""
        texts = texts_of(X)
        if (texts is not None) != isinstance(documents, list):
            raise InvalidData("validation_data must hold texts where X does, and features where X does.")
        return self._check_matrix(X, reset=False) if texts is None else texts

    def _fit_features(self, documents: Any, feature_set: FeatureSet) -> Any:
        """Return the features of the training documents. Sets: vectorizer_ or weighting_, fitted to all of them."""
        if feature_set.transformer is None:
            return documents
        transformer = clone(feature_set.transformer)
        X = transformer.fit_transform(documents)
        self._set_transformer(transformer, isinstance(documents, list))
        return self._check_matrix(X, reset=True) if isinstance(documents, list) else X

    def _set_transformer(self, transformer: Any, of_texts: bool) -> None:
        """Set the fitted transformer of texts, or of counts. Sets: vectorizer_ or weighting_."""
        if of_texts:
            self.vectorizer_ = transformer
        else:
            self.weighting_ = transformer


def _validation_data(pair: tuple[Any, Any] | None) -> tuple[Any, ...]:
    """Return validation documents in a form whose bytes identify a run."""
    if pair is None:
        return ()
    X, y = pair
    texts = texts_of(X)
    return (X if texts is None else texts, repr(y) if lists_of_names(y) is not None else LabelMatrix.of(y).indicator)


def load(path: str | Path) -> SetClassifier:
    """Load a classifier from a file that :meth:`SetClassifier.save` or ``setwise train`` wrote.

    Every value is checked before it is used, and nothing in the file is executed.

    Parameters
    ----------
    path : str or path-like
        The model file.

    Returns
    -------
    classifier : SetClassifier
        It predicts the same bits as the one that was saved.

    Examples
    --------
    >>> import tempfile, setwise
    >>> texts, labels = ["red fox", "red hen", "blue jay", "blue fox"] * 5, [["red"], ["red"], ["blue"], ["blue"]] * 5
    >>> classifier = setwise.SetClassifier(budget="quick", cv=2).fit(texts, labels)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     classifier.save(f"{folder}/colors.setwise")
    ...     setwise.load(f"{folder}/colors.setwise").predict(["a red jay"])
    [['red']]
    """
    return SetClassifier.from_state(read_model(path).state)
