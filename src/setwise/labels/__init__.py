"""Label sets as data: which labels each document has, and which sets occur."""

from setwise.labels.matrix import LabelMatrix
from setwise.labels.support import Support

__all__ = ["LabelMatrix", "Support"]
