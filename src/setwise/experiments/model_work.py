"""Recipes of a model: settings are chosen on training documents, trained on all of them, and tested once."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

from setwise.experiments.corpora import Parts
from setwise.experiments.documents import Documents, some_of
from setwise.experiments.grids import SLOW, looked_at, make_model, settings
from setwise.experiments.plan import Work, recipes_of
from setwise.experiments.recipes import Letters, prediction
from setwise.experiments.rows import Score, packed
from setwise.experiments.run_config import Circumstances, Tell, peak_mb, versions
from setwise.experiments.seeds import seed_of
from setwise.experiments.watching import Best, Watched, watched
from setwise.models.model_size import model_size
from setwise.prediction import Recipe
from setwise.tuning import Validation, fit_for
from setwise.tuning.store import CellStore

__all__ = ["FEW_DOCUMENTS", "FEW_DOCUMENTS_OF_CBM", "N_FOLDS", "ModelWork"]

FEW_DOCUMENTS = 2_000
"""Below so many a fifth of them is too few to choose by, and all are held out in turns."""
FEW_DOCUMENTS_OF_CBM = 6_000
"""Its F1 jumps from one iteration of EM to the next, so it takes more documents to choose by."""
N_FOLDS = 3


@dataclass(frozen=True, eq=False)
class ModelWork:
    """The recipes of a model that share what they try."""

    work: Work
    run: Circumstances
    tell: Tell

    def rows(self) -> Iterator[Score]:
        """Choose settings for each recipe, then train and test; recipes that chose the same share the trained model."""
        started = time.perf_counter()
        documents = {self.work.dataset: self._documents(self.work.dataset)}
        best = self._choose(documents[self.work.dataset])
        trained: dict[Any, Any] = {}
        for key in sorted(self.work.keys, key=lambda key: (key[4], key[1])):  # a repeat of all, then the next
            _, dataset, name, recipe, repeat = key
            some = documents.setdefault(dataset, self._documents(dataset))
            seed = seed_of(self.run.seed, dataset, name, repeat)
            chosen, n_repeat = best[recipe], repeat if name == "CBM" else 0
            which = repr((dataset, sorted(chosen.settings.items()), chosen.iterations, n_repeat))
            if which not in trained:
                model = make_model(name, seed, self.run.n_jobs).set_params(**chosen.settings)
                trained[which] = fit_for(model, some.train.X, some.y, chosen.iterations)
            model = trained[which]
            f1 = some.f1(prediction(name, recipe, seed=seed), model)
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
                peak_mb(),
                versions(),
                packed(f1),
            )
            started = time.perf_counter()

    def _documents(self, dataset: str) -> Documents:
        most = self.run.effort.trained_on_if_slow if self.work.model in SLOW else None
        return Documents(Parts(dataset, self.run.data), most, seed_of(self.run.seed, self.work.dataset))

    def _choose(self, documents: Documents) -> dict[str, Best]:
        """Give each recipe the setting that served the documents held out best, predicted in the recipe's own way."""
        # Judges of all tables, whatever is wanted now: settings that were tried serve later runs too.
        judges = {_way(one): self._judge(one) for one in recipes_of(self.work.model, l1=self.work.l1)}
        seed = seed_of(self.run.seed, self.work.dataset)
        effort = self.run.effort
        some = some_of(documents.y.n_samples, effort.chosen_on, seed)
        X, y = documents.train.X[some], documents.y.take(some)
        parts = Validation(0.2, self._n_folds(y.n_samples), seed, effort.judged_on).parts(X, y)
        grid = settings(self.work.model, X, y, effort, l1=self.work.l1)
        model = make_model(self.work.model, seed_of(self.run.seed, self.work.dataset, self.work.model, 0))
        identity = {
            "work": self.work.name,
            "documents": documents.corpus.digest(),
            "seed": self.run.seed,
            "model": repr(model),
            "settings": grid,
            "held_out": [part.y_held.n_samples for part in parts],
            "judges": {name: recipe.n_samples for name, recipe in judges.items()},
        }
        model.set_params(n_jobs=self.run.n_jobs)
        path = self.run.cells / f"{self.work.name.replace(' ', '-')}.jsonl"
        with CellStore(path, identity) as store:
            for number, one in enumerate(grid):
                if number >= len(store.rows):
                    seen = watched(model, one, parts, judges, partial(looked_at, self.work.model))
                    store.add(vars(seen))
                self.tell(number + 1, len(grid))
            tried = [Watched(**row) for row in store.rows]
        return {recipe: _best(tried, recipe) for recipe in dict.fromkeys(key[3] for key in self.work.keys)}

    def _n_folds(self, n_documents: int) -> int | None:
        """Give the number of turns in which documents are held out; None is one part."""
        few = FEW_DOCUMENTS_OF_CBM if self.work.model == "CBM" else FEW_DOCUMENTS
        return N_FOLDS if n_documents < few else None

    def _judge(self, recipe: str) -> Recipe:
        return prediction(self.work.model, recipe, seed=self.run.seed, n_samples=self.run.effort.n_samples_judged)


def _way(recipe: str) -> str:
    """The letters of prediction: recipes that agree on them have one judge."""
    letters = Letters.of(recipe)
    return Letters(support=letters.support, gfm=letters.gfm).name


def _best(tried: list[Watched], recipe: str) -> Best:
    early = Letters.of(recipe).early
    return max((one.best(_way(recipe), early=early) for one in tried), key=lambda best: best.value)
