"""Stochastic training: random mini-batches, and Adam."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

__all__ = ["Adam", "Array", "mini_batches"]

Array = NDArray[np.floating]

_DECAY_OF_MEAN, _DECAY_OF_SQUARE = 0.9, 0.999
"""How much of the mean gradient, and of the mean squared gradient, Adam keeps at each step."""

_LEAST_ROOT = 1e-8
"""Added to the root of the mean squared gradient, so that no step divides by zero."""


class Adam:
    """Adam (Kingma and Ba 2015): gradient steps scaled by running means of each coordinate's gradient and its square.

    Parameters
    ----------
    parameters : sequence of arrays
        They are changed in place.
    learning_rate : float
    """

    def __init__(self, parameters: Sequence[Array], learning_rate: float) -> None:
        self._parameters = parameters
        self._learning_rate = learning_rate
        self._means = [np.zeros_like(one) for one in parameters]
        self._squares = [np.zeros_like(one) for one in parameters]
        self._buffers = [np.empty_like(one) for one in parameters]
        self._n_steps = 0

    def step(self, gradients: Sequence[Array]) -> None:
        """Take one step against the gradients, whose arrays are used up."""
        self._n_steps += 1
        # The means start at zero; these undo their bias towards it.
        rate = self._learning_rate / (1.0 - _DECAY_OF_MEAN**self._n_steps)
        root = 1.0 / np.sqrt(1.0 - _DECAY_OF_SQUARE**self._n_steps)
        arrays = zip(self._parameters, gradients, self._means, self._squares, self._buffers, strict=True)
        for parameter, gradient, mean, square, buffer in arrays:
            np.multiply(gradient, gradient, out=buffer)
            buffer *= 1.0 - _DECAY_OF_SQUARE
            square *= _DECAY_OF_SQUARE
            square += buffer
            gradient *= 1.0 - _DECAY_OF_MEAN
            mean *= _DECAY_OF_MEAN
            mean += gradient
            np.sqrt(square, out=buffer)
            buffer *= root
            buffer += _LEAST_ROOT
            np.divide(mean, buffer, out=buffer)
            buffer *= rate
            parameter -= buffer


def mini_batches(n_samples: int, batch_size: int, random: np.random.Generator) -> Iterator[NDArray[np.intp]]:
    """Yield the documents of one epoch: each once, in random order; in order where one batch has them all."""
    if batch_size >= n_samples:
        yield np.arange(n_samples)
        return
    order = random.permutation(n_samples)
    for start in range(0, n_samples, batch_size):
        yield order[start : start + batch_size]
