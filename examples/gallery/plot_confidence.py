"""
How sure a prediction is, and which need no review
==================================================

``confidence`` returns the probability that the predicted set is exactly right, as the outcomes on held-out
documents say. Two questions decide whether it is useful. Do the stated probabilities come true? And how many
documents can be accepted without review if most of them must be right?
"""

import matplotlib.pyplot as plt
import numpy as np

from setwise import SetClassifier
from setwise.data import collect_docstrings, hold_out
from setwise.models import BinaryRelevance

docstrings = collect_docstrings()[::8]
texts, labels = [one.text for one in docstrings], [list(one.labels) for one in docstrings]
train, test = hold_out(labels, 0.4, random_state=0)
model = BinaryRelevance(strength=0.1 / len(train), l1_ratio=1.0)
classifier = SetClassifier(model, "support", "gfm").fit([texts[i] for i in train], [labels[i] for i in train])

X_test, y_test = [texts[i] for i in test], [labels[i] for i in test]
confidence = classifier.confidence(X_test)
predicted = classifier.labels_.with_indicator(confidence.sets).name_lists()
right = np.array([sorted(one) == sorted(true) for one, true in zip(predicted, y_test, strict=True)])

# %%
# Documents in eight groups of equal size, the least sure first.

N_GROUPS = 8
order = np.argsort(confidence.probability, kind="stable")
stated, observed = np.array(
    [(confidence.probability[group].mean(), right[group].mean()) for group in np.array_split(order, N_GROUPS)]
).T

# %%
# The surest documents, and the share of them that is right.

n_accepted = np.arange(1, len(order) + 1)
accuracy = np.cumsum(right[order[::-1]]) / n_accepted

figure, (reliability, automation) = plt.subplots(2, 1, figsize=(6, 7), layout="constrained")
reliability.plot([0, 1], [0, 1], color="tab:gray", linestyle=":")
reliability.plot(stated, observed, "o-", color="tab:blue")
reliability.set_xlabel("stated probability to be exactly right")
reliability.set_ylabel("share that is right")
automation.plot(100 * n_accepted / len(order), 100 * accuracy, color="tab:blue")
automation.set_xlabel("surest documents, % of all")
automation.set_ylabel("of which exactly right, %")
automation.set_ylim(0, 102)
plt.show()

# %%
# ``automate`` finds the lowest confidence that keeps the promise with a margin for chance. The labeled documents
# must not be those of the training.

found = classifier.automate(X_test, y_test, target_f1=0.8)
print(f"accepted: {found.share:.0%} of the documents")
print(f"their mean F1 is at least {found.target} with a chance of {found.level}")
