"""
Four ways to predict from the same weights
==========================================

One model is trained once: BR, one logistic regression per label. What is predicted from it is another question.
Labels above one half are the most probable of all sets; support inference gives probability to the label sets of
the training documents alone; GFM predicts the set with the best expected F1.

The documents are docstrings of Python, NumPy, SciPy and scikit-learn, with their place and kind as labels.
"""

import matplotlib.pyplot as plt

from setwise import SetClassifier, TextVectorizer
from setwise.data import collect_docstrings, hold_out
from setwise.metrics import instance_f1, set_accuracy
from setwise.models import BinaryRelevance
from setwise.prediction import Recipe

docstrings = collect_docstrings()[::10]
texts, labels = [one.text for one in docstrings], [list(one.labels) for one in docstrings]
train, test = hold_out(labels, 0.25, random_state=0)
vectorizer = TextVectorizer()
X = vectorizer.fit_transform([texts[i] for i in train])
X_test = vectorizer.transform([texts[i] for i in test])
y, y_test = [labels[i] for i in train], [labels[i] for i in test]

# %%
# The model scores each document once. Every recipe asks the same posterior.

model = BinaryRelevance(strength=0.1 / len(y), l1_ratio=1.0)
classifier = SetClassifier(model, "support", "gfm", calibration=None).fit(X, y)
posterior = classifier.posterior(X_test)
recipes = {
    "cut at one half": Recipe("mode", "most_probable"),
    "all sets, GFM": Recipe("exact", "gfm"),
    "training sets, most probable": Recipe("support", "most_probable"),
    "training sets, GFM": Recipe("support", "gfm"),
}
scores = {}
for name, recipe in recipes.items():
    decision = recipe.decide(posterior, classifier.support_)
    predicted = classifier.labels_.with_indicator(decision.sets).name_lists()
    scores[name] = 100 * instance_f1(y_test, predicted), 100 * set_accuracy(y_test, predicted)
    print(f"{name:<30} F1 {scores[name][0]:.1f} %, exactly right {scores[name][1]:.1f} %")

# %%
# The most probable set is right most often; GFM has the best overlap.

figure, panels = plt.subplots(2, 1, figsize=(6, 4.6), sharey=True, layout="constrained")
for panel, column, title in zip(panels, (0, 1), ("instance F1 %", "sets that are exactly right %"), strict=True):
    names = list(scores)[::-1]
    values = [scores[name][column] for name in names]
    bars = panel.barh(names, values, color=["tab:gray" if "half" in name else "tab:blue" for name in names])
    panel.bar_label(bars, fmt="%.1f", padding=3)
    panel.set_xlim(0, 100)
    panel.set_title(title)
plt.show()
