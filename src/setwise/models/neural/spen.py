"""SPEN: a structured prediction energy network, whose labels interact through a learned energy."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from setwise._validation import STRENGTH, Interval
from setwise.learners import one_blas_thread
from setwise.models.base import Callback, numbered_generator, reads_model
from setwise.models.neural.energy import Descent, Energy, hinge_and_gradient
from setwise.models.neural.hidden_layers import LEARNING_RATE, HiddenLayersModel, check_magnitude
from setwise.models.neural.layers import Layers, activations
from setwise.models.neural.optimizer import Adam
from setwise.models.neural.training import Documents, network_epochs
from setwise.models.state_checks import check_array
from setwise.posterior import Posterior, Rows

__all__ = ["EnergyNetwork"]

Array = NDArray[np.float64]

_MOST_STEPS = 10_000
"""Most steps of the descent: a parameter of a model file must not make a prediction endless."""


class EnergyNetwork(HiddenLayersModel):
    """SPEN (Belanger and McCallum 2016): labels y in [0, 1]^L that minimize an energy of document and labels.

    The energy has a part per label and a part of all labels together::

        E(x, y) = sum_l y_l (F(x) . b_l + a_l)  +  c2 . softplus(C1' y)

    F(x) are the hidden layers of a :class:`MultilayerPerceptron`, which is trained first and then stays as it is; b_l
    and a_l start as minus the last layer of it. Then Adam minimizes, over b, a, C1 and c2 (a is not penalized)::

        (1 / sum_i c_i) sum_i c_i max(0, max_y margin |y - t_i|^2 - E(x_i, y) + E(x_i, t_i))
            +  strength * (|b|^2 + |C1|^2 + |c2|^2)

    with true labels t_i and sample weights c_i. Both that maximum and predictions take a fixed number of steps of
    projected gradient descent from y = 0. A prediction is a relaxed label set: numbers in [0, 1] that order the labels,
    most of them 0 or 1. They are not probabilities, so a threshold has to be tuned, and nothing else works with them.

    Parameters
    ----------
    n_hidden : int
        Units of each hidden layer of F.
    n_units : int
        Units of the label energy, the length of c2.
    strength : float
        Weight of the penalty on the energy.
    margin : float
        How much more energy than the true labels other labels shall have, per squared distance.
    max_iter : int
        Number of epochs of the energy.
    batch_size : int
        Documents per step.
    learning_rate : float
        Step size of Adam for the local energy, b and a.
    unit_learning_rate : float
        Step size of Adam for the label energy, C1 and c2, which starts at random and has more to learn.
    mlp_strength, mlp_max_iter, mlp_learning_rate : float, int, float
        ``strength``, ``max_iter`` and ``learning_rate`` of the perceptron that F is taken from.
    n_steps, step_size, momentum : int, float, float
        Steps of the descent, their size, and the share of the last step that is added to the next.
    random_state : int
        Seed of the initial weights and of the order of the documents.
    n_jobs : int, optional
        Accepted as by all models; training and predictions use one thread.

    Attributes
    ----------
    classes_ : tuple of str
        The label names.
    n_features_in_ : int
        Number of features seen in ``fit``.
    input_coef_, input_intercept_, hidden_weights_, hidden_intercept_, coactivation_
        As of :class:`MultilayerPerceptron`.
    local_weights_, local_intercept_ : arrays of shape (n_hidden, n_labels) and (n_labels,)
        b, one column per label, and a. A label that all training documents have, or none, has no weights.
    unit_weights_, unit_energies_ : arrays of shape (n_labels, n_units) and (n_units,)
        C1 and c2.
    objective_ : float
        Mean of the objectives of the last epoch's mini-batches, each before its step.
    n_iter_ : int
        Number of epochs of the energy.
    history_ : list of dict
        One row per epoch: the iteration and its objective.

    Examples
    --------
    >>> from setwise.models import EnergyNetwork
    >>> model = EnergyNetwork(n_hidden=8).fit([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]], [["a"], ["b"], ["a", "b"]])
    >>> model.posterior([[1.0, 0.0]]).marginals().shape
    (1, 2)
    """

    abilities: ClassVar = frozenset({"marginals"})
    _parameter_constraints: ClassVar = {
        **HiddenLayersModel._parameter_constraints,
        "n_units": Interval("integer", 1, 2**14),
        "margin": Interval("real", 0, 1e6),
        "mlp_strength": STRENGTH,
        "mlp_max_iter": Interval("integer", 1),
        "unit_learning_rate": LEARNING_RATE,
        "mlp_learning_rate": LEARNING_RATE,
        "n_steps": Interval("integer", 1, _MOST_STEPS),
        "step_size": Interval("real", 0, 1e6, closed="right"),
        "momentum": Interval("real", 0, 1, closed="left"),
    }
    _fitted: ClassVar = (
        *HiddenLayersModel._fitted,
        "local_weights_",
        "local_intercept_",
        "unit_weights_",
        "unit_energies_",
    )

    local_weights_: Array
    local_intercept_: Array
    unit_weights_: Array
    unit_energies_: Array

    def __init__(
        self,
        n_hidden: int = 150,
        n_units: int = 16,
        strength: float = 5e-5,
        margin: float = 5.0,
        max_iter: int = 10,
        batch_size: int = 32,
        learning_rate: float = 1e-5,
        unit_learning_rate: float = 3e-3,
        mlp_strength: float = 1e-3,
        mlp_max_iter: int = 10,
        mlp_learning_rate: float = 1e-3,
        n_steps: int = 30,
        step_size: float = 0.1,
        momentum: float = 0.95,
        random_state: int = 0,
        n_jobs: int | None = None,
    ) -> None:
        self.n_hidden = n_hidden
        self.n_units = n_units
        self.strength = strength
        self.margin = margin
        self.max_iter = max_iter
        self.batch_size = batch_size
        self.learning_rate = learning_rate
        self.unit_learning_rate = unit_learning_rate
        self.mlp_strength = mlp_strength
        self.mlp_max_iter = mlp_max_iter
        self.mlp_learning_rate = mlp_learning_rate
        self.n_steps = n_steps
        self.step_size = step_size
        self.momentum = momentum
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any, sample_weight: Any = None, callback: Callback | None = None) -> EnergyNetwork:
        """Train the perceptron, then the energy; ``callback`` is called after each epoch of the energy."""
        self._check_parameters()
        documents = Documents.of(X, y, sample_weight)
        self.history_ = []
        with one_blas_thread():
            layers = self._train_layers(documents)
            self._set_hidden_layers(documents, layers)
            energy = self._initial_energy(layers)
            for iteration, objective in enumerate(self._epochs(documents, layers, energy), start=1):
                self._record(iteration, objective)
                if callback is not None:
                    if reads_model(callback, iteration):
                        self._set_energy(documents, energy)
                    if callback(iteration, self):
                        break
            self._set_energy(documents, energy)
        return self

    def _train_layers(self, documents: Documents) -> Layers:
        """Train the perceptron, as :class:`MultilayerPerceptron` with the same seed does."""
        random = numbered_generator(self.random_state, 0)
        n_inputs, n_learned = documents.inputs.scaled.shape[1], documents.learned.size
        layers = Layers.random(n_inputs, self.n_hidden, n_learned, random)
        for _ in network_epochs(
            documents,
            layers,
            self.mlp_max_iter,
            batch_size=self.batch_size,
            learning_rate=self.mlp_learning_rate,
            strength=self.mlp_strength,
            random=random,
        ):
            pass
        return layers

    def _initial_energy(self, layers: Layers) -> Energy:
        """Return minus the last layer of the perceptron, and a random label energy."""
        random = numbered_generator(self.random_state, 1)
        n_labels = layers.output_intercept.size
        return Energy(
            -layers.output_weights.astype(np.float64),
            -layers.output_intercept.astype(np.float64),
            random.normal(size=(n_labels, self.n_units)) * np.sqrt(2.0 / max(1, n_labels)),
            random.normal(size=self.n_units) * np.sqrt(2.0 / self.n_units),
        )

    def _epochs(self, documents: Documents, layers: Layers, energy: Energy) -> Iterator[float]:
        """Train the energy in place; after each epoch yield the mean of the objectives that its steps started from."""
        hidden = np.concatenate([activations(layers, documents.inputs, rows).hidden[-1] for rows in documents.blocks()])
        random = numbered_generator(self.random_state, 2)
        local = Adam((energy.local_weights, energy.local_intercept), self.learning_rate)
        units = Adam((energy.unit_weights, energy.unit_energies), self.unit_learning_rate)
        for _ in range(self.max_iter):
            total = 0.0
            for rows, weight in documents.batches(self.batch_size, random):
                share = rows.size / documents.n_samples
                total += share * self._penalty(energy)
                loss, gradient = hinge_and_gradient(
                    energy,
                    hidden[rows].astype(np.float64),
                    documents.targets[rows].astype(np.float64),
                    weight,
                    self._descent,
                    self.margin,
                    self.strength,
                )
                total += share * loss
                local.step((gradient.local_weights, gradient.local_intercept))
                units.step((gradient.unit_weights, gradient.unit_energies))
            yield total

    def _penalty(self, energy: Energy) -> float:
        penalized = (energy.local_weights, energy.unit_weights, energy.unit_energies)
        return self.strength * sum(float(np.vdot(one, one)) for one in penalized) if self.strength > 0.0 else 0.0

    @property
    def _descent(self) -> Descent:
        return Descent(self.n_steps, self.step_size, self.momentum)

    def _set_energy(self, documents: Documents, energy: Energy) -> None:
        """Set the fitted attributes of the energy; constant labels have a local part alone."""
        self.local_weights_ = documents.spread(energy.local_weights)
        self.local_intercept_ = documents.spread(energy.local_intercept, -documents.constant_logits)
        self.unit_weights_ = documents.spread(energy.unit_weights.T).T.copy()
        self.unit_energies_ = energy.unit_energies.copy()

    @property
    def _energy(self) -> Energy:
        return Energy(self.local_weights_, self.local_intercept_, self.unit_weights_, self.unit_energies_)

    @property
    def _output_weights(self) -> Array:
        return -self.local_weights_

    def _check_state(self) -> None:
        super()._check_state()
        n_labels = len(self.classes_)
        check_array(self.local_weights_, "local_weights_", (self.n_hidden, n_labels))
        check_array(self.local_intercept_, "local_intercept_", (n_labels,))
        check_array(self.unit_weights_, "unit_weights_", (n_labels, self.n_units))
        check_array(self.unit_energies_, "unit_energies_", (self.n_units,))
        for name in ("local_weights_", "local_intercept_", "unit_weights_", "unit_energies_"):
            check_magnitude(getattr(self, name), name)

    def _posterior(self, X: Any) -> RelaxedPosterior:
        energy = self._energy
        with one_blas_thread():
            relaxed = self._descent.minimize(energy, energy.local(self._hidden(X)))
        return RelaxedPosterior(self.classes_, relaxed)


class RelaxedPosterior(Posterior):
    """Relaxed labels in [0, 1], documents by labels, in the place of marginals."""

    model_name = "EnergyNetwork"
    abilities = EnergyNetwork.abilities

    def __init__(self, classes: tuple[str, ...], relaxed: Array) -> None:
        self.classes = classes
        self.n_samples = len(relaxed)
        self._relaxed = relaxed

    def take(self, rows: Rows) -> RelaxedPosterior:
        return RelaxedPosterior(self.classes, self._relaxed[rows])

    def marginals(self) -> Array:
        """Return the relaxed labels."""
        return self._relaxed
