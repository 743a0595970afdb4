"""Stochastic training: random mini-batches, and Adam."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from setwise import _core

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
    parameters : sequence of C-contiguous arrays
        They are changed in place.
    learning_rate : float
    """

    def __init__(self, parameters: Sequence[Array], learning_rate: float) -> None:
        if not all(one.flags.c_contiguous for one in parameters):
            raise ValueError("Parameters must be C-contiguous arrays: others would not be changed in place.")
        self._parameters = [one.reshape(-1) for one in parameters]
        self._learning_rate = learning_rate
        self._means = [np.zeros_like(one) for one in self._parameters]
        self._squares = [np.zeros_like(one) for one in self._parameters]
        self._n_steps = 0

    def step(self, gradients: Sequence[Array]) -> None:
        """Take one step against the gradients."""
        self._n_steps += 1
        # The means start at zero; these undo their bias towards it.
        rate = self._learning_rate / (1.0 - _DECAY_OF_MEAN**self._n_steps)
        root = 1.0 / np.sqrt(1.0 - _DECAY_OF_SQUARE**self._n_steps)
        arrays = zip(self._parameters, gradients, self._means, self._squares, strict=True)
        for parameter, gradient, mean, square in arrays:
            slopes = gradient.reshape(-1)
            _core.adam_step(parameter, slopes, mean, square, _DECAY_OF_MEAN, _DECAY_OF_SQUARE, rate, root, _LEAST_ROOT)


def mini_batches(n_samples: int, batch_size: int, random: np.random.Generator) -> Iterator[NDArray[np.intp]]:
    """Yield the documents of one epoch: each once, in random order; in order where one batch has them all."""
    if batch_size >= n_samples:
        yield np.arange(n_samples)
        return
    order = random.permutation(n_samples)
    for start in range(0, n_samples, batch_size):
        yield order[start : start + batch_size]
