"""``setwise compare``: every model, tuned and scored on one split."""

from __future__ import annotations

from time import perf_counter
from typing import Annotated, Any

import typer

from setwise.cli.reading import takes_read_options
from setwise.cli.runtime import note, note_skipped, watch
from setwise.cli.settings import Budget, Metric, RandomState, Threads
from setwise.cli.terminal import Table, say, say_json, show
from setwise.cli.text_options import takes_word_options
from setwise.exceptions import InvalidParameter

__all__ = ["compare"]

SHOWN = ("instance_f1", "set_accuracy", "micro_f1", "macro_f1", "hamming_loss")


@takes_word_options
@takes_read_options
def compare(
    data: Annotated[str, typer.Argument(metavar="DATA", help="Documents with labels; - is standard input.")],
    models: Annotated[str, typer.Option(help="Which models, with commas between them.")] = "br,pcc,crf,cbm,lsf",
    budget: Budget = "quick",
    metric: Metric = "instance_f1",
    share: Annotated[float, typer.Option(help="Which share of the documents is held out to score on.")] = 0.2,
    random_state: RandomState = 0,
    threads: Threads = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object a model.")] = False,
    reading: Any = None,
    words: Any = None,
) -> None:
    """Tune and train every model on one part of the documents, and score each on the other.

    Examples:

        setwise compare docs.jsonl

        setwise compare train.svm.gz --models br,crf --budget normal --json
    """
    from setwise import SetClassifier
    from setwise.classifier_spec import MODELS
    from setwise.cli.features import Features
    from setwise.cli.scoring import Scoring
    from setwise.data import Dataset, check_files, files_read, read_dataset
    from setwise.data.splits import hold_out

    wanted = [name.strip() for name in models.split(",") if name.strip()]
    if not wanted or not set(wanted) <= MODELS.keys():
        raise InvalidParameter(f"models must be some of {', '.join(MODELS)}; got {models!r}.")
    check_files(files_read(data, reading))
    found = read_dataset(data, reading, watch=lambda documents: watch(documents, "reading"))
    note_skipped(found.problems)
    assert found.y is not None
    rest, held = hold_out(found.y, share, random_state)
    # Words are learnt on the first part alone: the other is scored as documents that nobody has seen.
    part = Dataset(_taken(found.X, rest), [found.y[i] for i in rest], [], found.names, found.problems)
    features = Features.learnt(part, words, data)
    X_held, y_held = features.of(_taken(found.X, held)), [found.y[i] for i in held]
    table = Table("model", *(name.replace("_", " ") for name in SHOWN), "prediction", "seconds")
    for name in wanted:
        started = perf_counter()
        classifier = SetClassifier(
            name,
            budget=budget,
            metric=metric,
            random_state=random_state,
            n_jobs=threads,
            progress=True,
        ).fit(features.X, part.y)
        seconds = perf_counter() - started
        scoring = Scoring(classifier)
        scoring.add(X_held, y_held)
        scores = scoring.scores()
        row = {metric: getattr(scores, metric) for metric in SHOWN}
        recipe = "" if classifier.tuning_ is None else classifier.tuning_.recipe_name
        if as_json:
            say_json({"model": name, **row, "prediction": recipe, "seconds": seconds})
        else:
            note(f"{name}: instance F1 {scores.instance_f1:.4f} in {seconds:.1f} s")
        table.add_row(name, *(f"{value:.4f}" for value in row.values()), recipe, f"{seconds:.1f}")
    if not as_json:
        say(f"{len(rest):,} documents to train on, {len(held):,} to score on")
        show(table)


def _taken(X: Any, documents: Any) -> Any:
    return [X[i] for i in documents] if isinstance(X, list) else X[documents]
