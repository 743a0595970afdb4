"""How well predicted label sets agree with the true ones.

One convention holds throughout: **F1 of two empty sets is 1** (:data:`F1_OF_EMPTY_SETS`), and so are their precision
and recall; where only one of the two is empty, all three are 0. It holds for the label sets of a document, and for the
sets of documents that have a label, so a label that is neither present nor predicted counts as 1 in macro F1.
scikit-learn's default gives 0 in all these cases, and agrees with setwise in every other.
"""

from setwise.metrics.calibration import calibration_error
from setwise.metrics.convention import F1_OF_EMPTY_SETS
from setwise.metrics.documents import hamming_loss, instance_f1, instance_precision, instance_recall, set_accuracy
from setwise.metrics.labels import LabelScore, label_table, macro_f1, micro_f1

__all__ = [
    "F1_OF_EMPTY_SETS",
    "LabelScore",
    "calibration_error",
    "hamming_loss",
    "instance_f1",
    "instance_precision",
    "instance_recall",
    "label_table",
    "macro_f1",
    "micro_f1",
    "set_accuracy",
]
