"""
Sparse models along a path of strengths
=======================================

The elastic net has a strength, and an L1 ratio between ridge (0) and lasso (1). Along a path, strength falls and
the model grows. With L1 most weights are zero, and a model of a few thousand weights predicts about as well as a
full one.
"""

import matplotlib.pyplot as plt
import numpy as np

from setwise import SetClassifier, TextVectorizer
from setwise.data import collect_docstrings, hold_out
from setwise.learners import critical_strength
from setwise.models import BinaryRelevance

docstrings = collect_docstrings()[::20]
texts, labels = [one.text for one in docstrings], [list(one.labels) for one in docstrings]
train, test = hold_out(labels, 0.3, random_state=0)
vectorizer = TextVectorizer(min_df=2)
X = vectorizer.fit_transform([texts[i] for i in train])
X_test = vectorizer.transform([texts[i] for i in test])
y, y_test = [labels[i] for i in train], [labels[i] for i in test]

# %%
# From the critical strength upwards, every weight is zero with L1. The path begins there.

strengths = critical_strength(X, y) * np.geomspace(0.3, 3e-3, 7)
paths = {}
for l1_ratio in (1.0, 0.5, 0.0):
    rows = []
    for strength in strengths:
        model = BinaryRelevance(strength=strength, l1_ratio=l1_ratio)
        classifier = SetClassifier(model, "support", "gfm", calibration=None).fit(X, y)
        rows.append((classifier.model_.coef_.nnz, classifier.score(X_test, y_test)))
    paths[l1_ratio] = np.array(rows)
    best = paths[l1_ratio][:, 1].argmax()
    print(f"l1_ratio {l1_ratio}: F1 {rows[best][1]:.3f} with {rows[best][0]:,} weights that are not zero")

# %%

figure, axes = plt.subplots(figsize=(6, 4), layout="constrained")
for l1_ratio, path in paths.items():
    axes.plot(path[:, 0], path[:, 1], "o-", label=f"l1_ratio {l1_ratio}")
axes.set_xscale("log")
axes.set_xlabel("weights that are not zero")
axes.set_ylabel("instance F1 on test documents")
axes.legend()
plt.show()
