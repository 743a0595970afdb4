"""Neural networks of label sets: a multilayer perceptron, and an energy network over relaxed labels."""

from setwise.models.neural.mlp import MultilayerPerceptron
from setwise.models.neural.spen import EnergyNetwork

__all__ = ["EnergyNetwork", "MultilayerPerceptron"]
