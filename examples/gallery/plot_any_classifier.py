"""
Better sets from the probabilities of any classifier
====================================================

``setwise.decide`` takes the label probabilities of any classifier, and the label sets of the training documents.
Here they come from scikit-learn. The curve is the F1 of a cut at each threshold, measured on the test documents, so
that its peak is more than any threshold tuned beforehand could promise.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_multilabel_classification
from sklearn.linear_model import LogisticRegression
from sklearn.multiclass import OneVsRestClassifier

from setwise import decide
from setwise.metrics import instance_f1

X, y = make_multilabel_classification(
    n_samples=2400, n_features=60, n_classes=12, n_labels=3, allow_unlabeled=False, random_state=0
)
X_train, y_train, X_test, y_test = X[:1200], y[:1200], X[1200:], y[1200:]
classifier = OneVsRestClassifier(LogisticRegression(solver="liblinear")).fit(X_train, y_train)
probabilities = classifier.predict_proba(X_test)

# %%

thresholds = np.linspace(0.05, 0.8, 40)
cut = [instance_f1(y_test, (probabilities > threshold).astype(int)) for threshold in thresholds]
at_half = instance_f1(y_test, classifier.predict(X_test))
training_sets = instance_f1(y_test, decide(probabilities, y_train))
any_set = instance_f1(y_test, decide(probabilities, y_train, inference="exact"))
print(f"cut at one half {at_half:.3f}, best cut {max(cut):.3f}")
print(f"decide, training sets {training_sets:.3f}; decide, any set {any_set:.3f}")

# %%

figure, axes = plt.subplots(figsize=(6, 4), layout="constrained")
axes.plot(thresholds, cut, color="tab:gray", label="cut at a threshold")
axes.plot(0.5, at_half, "o", color="tab:orange", label="cut at one half")
axes.axhline(training_sets, color="tab:blue", label="decide, training sets")
axes.axhline(any_set, color="tab:blue", linestyle="--", label="decide, any set")
axes.set_xlabel("threshold")
axes.set_ylabel("instance F1 on test documents")
axes.legend()
plt.show()
