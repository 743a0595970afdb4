"""The five models of label sets.

BR, PCC, CRF and CBM are joint models: they know the probability of a set. LSF knows only labels and sizes together. Who
uses a model asks for its abilities and not for its class: see :mod:`setwise.abilities`.
"""

from setwise.models.br import BinaryRelevance
from setwise.models.cbm import BernoulliMixture
from setwise.models.crf import PairwiseCRF
from setwise.models.lsf import LabelSizeFactors
from setwise.models.pcc import ClassifierChain

__all__ = ["BernoulliMixture", "BinaryRelevance", "ClassifierChain", "LabelSizeFactors", "PairwiseCRF"]
