"""
Which words made the set
========================

The score of a label is a sum: an intercept, and the weight times the value of every word of the text. ``explain``
lists the strongest words of each label, and where they are in the text.
"""

import matplotlib.pyplot as plt

from setwise import SetClassifier
from setwise.data import collect_docstrings
from setwise.explain import Limits
from setwise.models import BinaryRelevance

docstrings = collect_docstrings()[::8]
model = BinaryRelevance(strength=0.1 / len(docstrings), l1_ratio=1.0)
classifier = SetClassifier(model, "support", "gfm", calibration=None)
classifier.fit([one.text for one in docstrings], [list(one.labels) for one in docstrings])

text = """Return the eigenvalues of a sparse matrix.

Parameters
----------
A : sparse matrix of shape (n, n)

Returns
-------
w : ndarray
"""
(explanation,) = classifier.explain([text], limits=Limits(n_labels=4, n_features=6))
print(explanation.labels, f"expected F1 {explanation.expected_f1:.2f}")

# %%
# Words to the right speak for a label, words to the left against it.

reasons = [reason for reason in explanation.reasons if reason.features][:4]
figure, panels = plt.subplots(len(reasons), 1, figsize=(6, 2 * len(reasons)), sharex=True, layout="constrained")
for panel, reason in zip(panels, reasons, strict=True):
    words = [share.feature for share in reason.features][::-1]
    values = [share.contribution for share in reason.features][::-1]
    panel.barh(words, values, color=["tab:blue" if value > 0 else "tab:orange" for value in values])
    panel.axvline(0, color="tab:gray", linewidth=1)
    panel.set_title(f"{reason.label}: {'predicted' if reason.predicted else 'not predicted'}")
panels[-1].set_xlabel("share of the label's score")
plt.show()
