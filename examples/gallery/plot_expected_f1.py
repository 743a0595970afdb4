"""
The set with the best expected F1
=================================

A model says that a document has exactly one label: the first with probability 0.5, the second with 0.4, the third
with 0.1. The most probable set is {1}. It is not the best prediction: {1, 2} has probability zero, and a higher
expected F1, because half a hit is worth more than a miss. This is the example of the paper (section 3.2).
"""

from itertools import product

import matplotlib.pyplot as plt
import numpy as np

from setwise.decision import gfm
from setwise.labels import SizeMarginals
from setwise.metrics import instance_f1

possible = np.eye(3, dtype=int)  # {1}, {2}, {3}
probability = np.array([0.5, 0.4, 0.1])

# %%
# The expected F1 of a prediction is the mean of its F1 over the sets that the document may have.

predictions = np.array(list(product([0, 1], repeat=3)))
expected = [
    sum(p * instance_f1(one[None], prediction[None]) for p, one in zip(probability, possible, strict=True))
    for prediction in predictions
]

# %%
# GFM finds the best of the 2\ :sup:`L` predictions without trying them all. It needs only how probable each label
# is together with each size of the set.

joint = np.zeros((1, 3, 3))  # documents, labels, sizes 1 to 3
joint[0, :, 0] = probability
decision = gfm(SizeMarginals(joint, np.zeros(1)))
print("GFM predicts", decision.sets.toarray()[0], "with an expected F1 of", round(float(decision.value[0]), 3))

# %%

names = ["{" + ", ".join(str(label + 1) for label in np.flatnonzero(one)) + "}" for one in predictions]
order = np.argsort(expected)
figure, axes = plt.subplots(figsize=(6, 3.6), layout="constrained")
best = order[-1]
axes.barh(
    [names[i] for i in order],
    [expected[i] for i in order],
    color=["tab:blue" if i == best else "tab:gray" for i in order],
)
axes.set_xlabel("expected F1")
axes.set_ylabel("prediction")
plt.show()
