"""MLP: a multilayer perceptron whose outputs are the logits of independent labels."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from setwise._validation import STRENGTH, Boolean, Interval, NoneOr, check_sample_weight, effective_n_jobs
from setwise.labels import LabelMatrix
from setwise.learners import FeatureColumns, one_blas_thread
from setwise.models.base import Callback, numbered_generator, reads_model
from setwise.models.bernoulli_posterior import IndependentPosterior
from setwise.models.feature_screening import ScreenedFeatures
from setwise.models.neural.hidden_layers import HiddenLayersModel, check_magnitude, row_products
from setwise.models.neural.layers import Layers
from setwise.models.neural.training import Documents, network_epochs
from setwise.models.state_checks import check_array

__all__ = ["MultilayerPerceptron"]

SCREENED_WEIGHTS = 500_000
"""Features are screened where the first layer would have more weights than this."""


class MultilayerPerceptron(HiddenLayersModel):
    """MLP: independent labels, p(y | x) = prod_l p(y_l | x), whose logits are the outputs of a neural network.

    The network has one or two hidden layers of rectified linear units; with two it is::

        z = F(x) W3 + b3          F(x) = relu(relu(u W1 + b1) W2 + b2)          u = (x - mean) / deviation

    It minimizes, over weights and intercepts (the intercepts are not penalized)::

        (1 / sum_i c_i) sum_i c_i sum_l (log(1 + exp(z_il)) - y_il z_il)  +  strength * (|W1|^2 + |W2|^2 + |W3|^2)

    with sample weights c_i, by Adam on random mini-batches. Features are standardized to mean 0 and variance 1 over the
    training documents. Sparse features are centered too, without making documents dense: the means enter the products.
    The loss is not convex, so a fit depends on ``random_state``, and more epochs can make predictions worse.

    The defaults are those of the networks that the paper compares with. On texts, one hidden layer with dropout, and
    features that keep the scale that TF-IDF gave them, is better by far: see ``tuned for texts`` in docs/models/mlp.md.

    Parameters
    ----------
    n_hidden : int
        Units of each hidden layer.
    n_layers : {1, 2}
        Number of hidden layers.
    dropout : float
        Share of the hidden units that are left out at random, for each document and step of the training.
    standardize : bool
        False divides all features by one number instead: rare words then stay as small as they are.
    screening_strength : float, optional
        Where there are many features, those alone get weights that BR with squared hinge and an L1 penalty of this
        strength uses for some label: every step reads and writes the weights of all features. None uses all.
    strength : float
        Weight of the penalty.
    max_iter : int
        Number of epochs.
    batch_size : int
        Documents per step; the last batch of an epoch may have fewer.
    learning_rate : float
        Step size of Adam.
    random_state : int
        Seed of the initial weights and of the order of the documents.
    n_jobs : int, optional
        Number of threads of predictions; None uses every core. Training uses one. No result depends on it.

    Attributes
    ----------
    classes_ : tuple of str
        The label names.
    n_features_in_ : int
        Number of features seen in ``fit``.
    input_coef_, input_intercept_ : sparse array of shape (n_hidden, n_features), array of shape (n_hidden,)
        The first layer, for features that are not standardized.
    hidden_weights_, hidden_intercept_ : arrays of shape (n_hidden, n_hidden) and (n_hidden,)
        The second layer, inputs by outputs; without rows where there is none.
    output_weights_, output_intercept_ : arrays of shape (n_hidden, n_labels) and (n_labels,)
        The last layer. A label that all training documents have, or none, has no weights and a large intercept.
    coactivation_ : array of shape (n_hidden, n_hidden)
        Share of the training documents for which a unit of the first and one of the last hidden layer are both active.
    objective_ : float
        Mean of the objectives of the last epoch's mini-batches, each before its step.
    n_iter_ : int
        Number of epochs.
    history_ : list of dict
        One row per epoch: the iteration and its objective.

    Examples
    --------
    >>> from setwise.models import MultilayerPerceptron
    >>> model = MultilayerPerceptron(n_hidden=8).fit([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]], [["a"], ["b"], ["a", "b"]])
    >>> model.posterior([[1.0, 0.0]]).marginals().shape
    (1, 2)
    """

    abilities: ClassVar = IndependentPosterior.abilities
    _parameter_constraints: ClassVar = {
        **HiddenLayersModel._parameter_constraints,
        "n_layers": Interval("integer", 1, 2),
        "dropout": Interval("real", 0, 1, closed="left"),
        "standardize": Boolean(),
        "screening_strength": NoneOr(STRENGTH),
    }
    _fitted: ClassVar = (*HiddenLayersModel._fitted, "output_weights_", "output_intercept_")

    output_weights_: NDArray[np.float64]
    output_intercept_: NDArray[np.float64]

    def __init__(
        self,
        n_hidden: int = 150,
        n_layers: int = 2,
        dropout: float = 0.0,
        standardize: bool = True,
        screening_strength: float | None = None,
        strength: float = 1e-3,
        max_iter: int = 10,
        batch_size: int = 32,
        learning_rate: float = 1e-3,
        random_state: int = 0,
        n_jobs: int | None = None,
    ) -> None:
        self.n_hidden = n_hidden
        self.n_layers = n_layers
        self.dropout = dropout
        self.standardize = standardize
        self.screening_strength = screening_strength
        self.strength = strength
        self.max_iter = max_iter
        self.batch_size = batch_size
        self.learning_rate = learning_rate
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any, sample_weight: Any = None, callback: Callback | None = None) -> MultilayerPerceptron:
        """Train the network; ``callback`` is called after each epoch."""
        self._check_parameters()
        screened = self._screened(X, y, sample_weight)
        documents = Documents.of(screened.features if screened else X, y, sample_weight, self.standardize)
        random = numbered_generator(self.random_state, 0)
        n_inputs, n_learned = documents.inputs.scaled.shape[1], documents.learned.size
        layers = Layers.random(n_inputs, self.n_hidden, n_learned, random, self.n_layers)
        self.history_ = []
        epochs = network_epochs(
            documents,
            layers,
            self.max_iter,
            batch_size=self.batch_size,
            learning_rate=self.learning_rate,
            strength=self.strength,
            random=random,
            dropout=self.dropout,
        )
        with one_blas_thread():
            for iteration, objective in enumerate(epochs, start=1):
                self._record(iteration, objective)
                if callback is not None:
                    if reads_model(callback, iteration):
                        self._set_layers(documents, layers, screened)
                    if callback(iteration, self):
                        break
            self._set_layers(documents, layers, screened)
        return self

    def _screened(self, X: Any, y: Any, sample_weight: Any) -> ScreenedFeatures | None:
        """Return the features that get weights; None stands for all of them."""
        if self.screening_strength is None:
            return None
        features, labels = FeatureColumns.of(X), LabelMatrix.of(y)
        labels.check_rows(features.n_samples)
        weight = None if sample_weight is None else check_sample_weight(sample_weight, features.n_samples)
        n_jobs, most = effective_n_jobs(self.n_jobs), SCREENED_WEIGHTS / self.n_hidden
        return ScreenedFeatures.of(features, labels, self.screening_strength, weight, n_jobs, max_features=most)

    def _set_layers(self, documents: Documents, layers: Layers, screened: ScreenedFeatures | None) -> None:
        """Set the fitted attributes of all layers."""
        self._set_hidden_layers(documents, layers)
        if screened is not None:
            self.input_coef_, self.n_features_in_ = screened.outward(self.input_coef_), screened.n_features
        self.output_weights_ = documents.spread(layers.output_weights)
        self.output_intercept_ = documents.spread(layers.output_intercept, documents.constant_logits)

    @property
    def _output_weights(self) -> NDArray[np.float64]:
        return self.output_weights_

    def _check_state(self) -> None:
        super()._check_state()
        n_labels = len(self.classes_)
        check_array(self.output_weights_, "output_weights_", (self.n_hidden, n_labels))
        check_array(self.output_intercept_, "output_intercept_", (n_labels,))
        for name in ("output_weights_", "output_intercept_"):
            check_magnitude(getattr(self, name), name)

    def _posterior(self, X: Any) -> IndependentPosterior:
        with one_blas_thread():
            logits = row_products(self._hidden(X), self.output_weights_) + self.output_intercept_
        return IndependentPosterior.of_scores(self.classes_, logits, effective_n_jobs(self.n_jobs))
