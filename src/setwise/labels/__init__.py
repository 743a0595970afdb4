"""Label sets as data: which labels each document has, which sets occur, and what is known of them."""

from setwise.labels.distribution import Decision, MostProbable, SetDistribution, SizeMarginals
from setwise.labels.matrix import LabelMatrix
from setwise.labels.support import Support

__all__ = ["Decision", "LabelMatrix", "MostProbable", "SetDistribution", "SizeMarginals", "Support"]
