"""One piece of work, done: settings are chosen on training documents, trained on all of them, and tested once."""

from __future__ import annotations

import resource
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from setwise.data.splits import random_hold_out
from setwise.experiments.corpora import Part, Parts
from setwise.experiments.grids import SLOW, Effort, looks, make_model, settings
from setwise.experiments.plan import HEAT_MODEL, HEAT_RECIPE, Work, recipes_of
from setwise.experiments.recipes import Letters, prediction
from setwise.experiments.rows import Corpus, Heat, Row, Score, packed
from setwise.experiments.seeds import seed_of
from setwise.experiments.watching import Best, Watched, watched
from setwise.labels import LabelMatrix, Support
from setwise.metrics.overlap import Overlap
from setwise.models.size import model_size
from setwise.prediction import Recipe
from setwise.tuning import Validation, fit_for
from setwise.tuning.lines import LEAST_PULL, critical_of_all
from setwise.tuning.store import CellStore

__all__ = ["Circumstances", "found_by"]

FEW_DOCUMENTS = 2_000
"""Below so many a fifth of them is too few to choose by, and all are held out in turns."""
FEW_DOCUMENTS_OF_CBM = 6_000
"""Its F1 jumps from one iteration of EM to the next, so it takes more documents to choose by."""
N_FOLDS = 3

Tell = Callable[[int, int], None]
"""Hears how many steps of how many are done."""


@dataclass(frozen=True)
class Circumstances:
    """What all work of a run shares."""

    effort: Effort
    seed: int
    cells: Path
    """A folder for settings that were tried, so that no run tries them twice."""
    data: Path | None = None
    n_threads: int = 1


def found_by(work: Work, run: Circumstances, tell: Tell = lambda done, total: None) -> Iterator[Row]:
    """Give the wanted rows of a piece of work, each as soon as it is found."""
    corpus = Parts(work.dataset, run.data)
    match work.kind:
        case "corpus":
            yield _corpus(corpus)
        case "heat":
            yield _heat(corpus, run, tell)
        case _:
            yield from _Model(work, run, corpus, tell).rows()


def _corpus(corpus: Parts) -> Corpus:
    train = corpus.train()
    test = corpus.test(train)
    Y, Y_test = LabelMatrix.of(train.Y), LabelMatrix.of(test.Y)
    n_labels, n_documents = Y.n_labels, Y.n_samples + Y_test.n_samples
    known = set(map(tuple, Y.name_lists()))
    return Corpus(
        corpus.name,
        labels=n_labels,
        label_sets=len(known),
        features=train.X.shape[1],
        instances=n_documents,
        cardinality=(Y.indicator.nnz + Y_test.indicator.nnz) / n_documents,
        instances_per_label=Y.indicator.nnz / n_labels,
        n_train=Y.n_samples,
        n_test=Y_test.n_samples,
        unseen=sum(tuple(one) not in known for one in Y_test.name_lists()),
    )


def _heat(corpus: Parts, run: Circumstances, tell: Tell) -> Heat:
    """Train a line a ratio on all training documents, and test every setting of it: to be looked at, not chosen by."""
    started = time.perf_counter()
    train = corpus.train()
    test = corpus.test(train)
    Y, truth = LabelMatrix.of(train.Y), LabelMatrix.of(test.Y)
    support, critical = Support.of(Y), critical_of_all(train.X, Y, run.n_threads)
    recipe, grid = prediction(HEAT_MODEL, HEAT_RECIPE), run.effort.heat
    lines = [grid.strengths(critical, ratio) for ratio in grid.l1_ratios]
    f1: list[list[float]] = []
    for ratio, strengths in zip(grid.l1_ratios, lines, strict=True):
        model = make_model(HEAT_MODEL, n_threads=run.n_threads).set_params(l1_ratio=ratio)
        f1.append([])
        for fitted in model.fit_path(train.X, Y, strengths):
            f1[-1].append(float(_f1(recipe, fitted, test.X, truth, support).mean()))
            tell(sum(map(len, f1)), len(lines) * grid.n_strengths)
    return Heat(
        corpus.name,
        HEAT_MODEL,
        HEAT_RECIPE,
        run.seed,
        list(grid.l1_ratios),
        lines,
        [strength * LEAST_PULL / critical for strength in grid.strengths(critical, 0.0)],
        f1,
        round(time.perf_counter() - started, 2),
        _versions(),
    )


@dataclass(frozen=True, eq=False)
class _Documents:
    """A corpus, or a variant of it, of which the test documents are read when they are asked for."""

    corpus: Parts
    most: int | None
    """Training documents at most; None is all."""
    seed: int

    @cached_property
    def train(self) -> Part:
        whole = self.corpus.train()
        if self.most is None:
            return whole
        some = _some(whole.X.shape[0], self.most, self.seed)
        return Part(whole.X[some], whole.Y[some], whole.weighting)

    @cached_property
    def Y(self) -> LabelMatrix:
        return LabelMatrix.of(self.train.Y)

    @cached_property
    def support(self) -> Support:
        return Support.of(self.Y)

    @cached_property
    def test(self) -> tuple[Any, LabelMatrix]:
        part = self.corpus.test(self.train)
        return part.X, LabelMatrix.of(part.Y)


@dataclass(frozen=True, eq=False)
class _Model:
    """The recipes of a model that share what they try."""

    work: Work
    run: Circumstances
    corpus: Parts
    tell: Tell

    @property
    def recipes(self) -> list[str]:
        return list(dict.fromkeys(key[3] for key in self.work.keys))

    def documents(self, dataset: str) -> _Documents:
        most = self.run.effort.trained_on_if_slow if self.work.model in SLOW else None
        return _Documents(Parts(dataset, self.run.data), most, seed_of(self.run.seed, self.work.dataset))

    def rows(self) -> Iterator[Score]:
        """Choose settings for each recipe, then train and test; recipes that chose the same share the trained model."""
        started = time.perf_counter()
        documents = {self.work.dataset: self.documents(self.work.dataset)}
        best = self._choose(documents[self.work.dataset])
        trained: dict[Any, Any] = {}
        for key in sorted(self.work.keys, key=lambda key: (key[4], key[1])):  # a repeat of all, then the next
            _, dataset, name, recipe, repeat = key
            some = documents.setdefault(dataset, self.documents(dataset))
            seed = seed_of(self.run.seed, dataset, name, repeat)
            chosen, n_repeat = best[recipe], repeat if name == "CBM" else 0
            which = repr((dataset, sorted(chosen.settings.items()), chosen.iterations, n_repeat))
            if which not in trained:
                model = make_model(name, seed, self.run.n_threads).set_params(**chosen.settings)
                trained[which] = fit_for(model, some.train.X, some.Y, chosen.iterations)
            model = trained[which]
            f1 = _f1(prediction(name, recipe, seed=seed), model, *some.test, some.support)
            size = model_size(model)
            yield Score(
                dataset,
                name,
                recipe,
                repeat,
                seed,
                float(f1.mean()),
                chosen.value,
                chosen.settings,
                chosen.iterations,
                size.n_features_used,
                size.n_nonzero,
                size.n_bytes,
                round(time.perf_counter() - started, 2),
                _peak_mb(),
                _versions(),
                packed(f1),
            )
            started = time.perf_counter()

    def _choose(self, documents: _Documents) -> dict[str, Best]:
        """Give each recipe the setting that served the documents held out best, predicted in the recipe's own way."""
        # Judges of all tables, whatever is wanted now: settings that were tried serve later runs too.
        judges = {_way(one): self._judge(one) for one in recipes_of(self.work.model, l1=self.work.l1)}
        seed = seed_of(self.run.seed, self.work.dataset)
        effort = self.run.effort
        some = _some(documents.Y.n_samples, effort.chosen_on, seed)
        X, Y = documents.train.X[some], documents.Y.take(some)
        parts = Validation(0.2, self._n_folds(Y.n_samples), seed, effort.judged_on).parts(X, Y)
        grid = settings(self.work.model, X, Y, effort, l1=self.work.l1)
        model = make_model(self.work.model, seed_of(self.run.seed, self.work.dataset, self.work.model, 0))
        identity = {
            "work": self.work.name,
            "documents": self.corpus.digest(),
            "seed": self.run.seed,
            "model": repr(model),
            "settings": grid,
            "held_out": [part.Y_held.n_samples for part in parts],
            "judges": {name: recipe.n_samples for name, recipe in judges.items()},
        }
        model.set_params(n_threads=self.run.n_threads)
        path = self.run.cells / f"{self.work.name.replace(' ', '-')}.jsonl"
        with CellStore(path, identity) as store:
            for number, one in enumerate(grid):
                if number >= len(store.rows):
                    seen = watched(model, one, parts, judges, looks(self.work.model))
                    store.add(vars(seen))
                self.tell(number + 1, len(grid))
            tried = [Watched(**row) for row in store.rows]
        return {recipe: _best(tried, recipe) for recipe in self.recipes}

    def _n_folds(self, n_documents: int) -> int | None:
        """Give the number of turns in which documents are held out; None is one part."""
        few = FEW_DOCUMENTS_OF_CBM if self.work.model == "CBM" else FEW_DOCUMENTS
        return N_FOLDS if n_documents < few else None

    def _judge(self, recipe: str) -> Recipe:
        return prediction(self.work.model, recipe, seed=self.run.seed, n_samples=self.run.effort.n_samples_judged)


def _some(n_documents: int, most: int, seed: int) -> NDArray[np.int64]:
    """Give so many of the documents at most, by chance and rising."""
    if n_documents <= most:
        return np.arange(n_documents)
    return random_hold_out(n_documents, most / n_documents, seed)[1]


def _way(recipe: str) -> str:
    """The letters of prediction: recipes that agree on them have one judge."""
    letters = Letters.of(recipe)
    return Letters(support=letters.support, gfm=letters.gfm).name


def _best(tried: list[Watched], recipe: str) -> Best:
    early = Letters.of(recipe).early
    return max((one.best(_way(recipe), early=early) for one in tried), key=lambda best: best.value)


def _f1(recipe: Recipe, model: Any, X: Any, truth: LabelMatrix, support: Support) -> NDArray[np.float64]:
    decided = recipe.decided(model, X, support)
    return Overlap.by_document(truth, truth.with_indicator(decided.sets)).f1


def _versions() -> dict[str, str]:
    packages = {name: version(name) for name in ("setwise", "numpy", "scipy", "scikit-learn")}
    return {"python": ".".join(map(str, sys.version_info[:3])), **packages}


def _peak_mb() -> float:
    """Give the most memory that this process has held; macOS counts bytes, Linux kilobytes."""
    unit = 2**20 if sys.platform == "darwin" else 2**10
    return round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit, 1)
