"""Joint models of label sets: what they can be asked is in :mod:`setwise.abilities`."""

from setwise.models.br import BinaryRelevance
from setwise.models.lsf import LabelSizeFactors

__all__ = ["BinaryRelevance", "LabelSizeFactors"]
