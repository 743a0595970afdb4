"""A tuning has the same bytes wherever it runs: in this process, in others, on Dask, and whatever dies meanwhile."""

from __future__ import annotations

import os
import random
import signal
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchmarks.cluster.local_cluster import local_cluster
from setwise import SetClassifier
from setwise.exceptions import InvalidParameter, WorkerRestarted
from setwise.executors import (
    DaskExecutor,
    Executor,
    FolderSession,
    ProcessExecutor,
    Scheduler,
    Task,
    WorkFolder,
    scheduler_of,
)
from setwise.executors import processes as processes_module
from setwise.labels import LabelMatrix
from setwise.models import (
    BernoulliMixture,
    BinaryRelevance,
    ClassifierChain,
    CostSensitiveRelevance,
    Ensemble,
    LabelSizeFactors,
    Member,
    PairwiseCRF,
    Patience,
    StrengthPath,
)
from setwise.prediction import Candidate, Recipe
from setwise.text import TextVectorizer
from setwise.tuning import PAPER, Validation, fit_tasks, label_blocks, search, stored_parts
from setwise.tuning.costs import SECONDS_PER_TASK
from tests.models.corpora import name_lists, same_state, small_corpus
from tests.tuning.deadly_fits import DEATHS

pytestmark = [
    pytest.mark.filterwarnings("ignore::setwise.exceptions.NotConverged"),
    pytest.mark.filterwarnings("ignore::setwise.exceptions.WorkerRestarted"),
    pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGKILL"),
]

X, y = small_corpus(n=90)
PARTS = Validation(n_folds=2, random_state=1).parts(X, LabelMatrix.of(y))
STRENGTHS = (0.1, 0.02, 0.004)
POOL = Ensemble([Member(BinaryRelevance(0.01, n_jobs=1)), Member(PairwiseCRF(0.01, n_jobs=1), n_iterations=3)])
TEXTS = [
    f"{'red' if row[0] else 'blue'} {'fox' if row[1] else 'hen'} sits {number % 7}" for number, row in enumerate(y)
]


LABELWISE = {"BinaryRelevance", "ClassifierChain", "LabelSizeFactors", "CostSensitiveRelevance"}


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Split the fits of this small corpus, in two label blocks on a path and in one per label where they start cold."""
    monkeypatch.setattr(label_blocks, "LEAST_BLOCK_SECONDS", SECONDS_PER_TASK / 2)


class Sent:
    """Notes the tasks that sessions are handed."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.tasks: dict[str, Task] = {}
        submit = FolderSession.submit

        def noted(session: FolderSession, task: Task) -> None:
            self.tasks[task.key] = task
            submit(session, task)

        monkeypatch.setattr(FolderSession, "submit", noted)

    def blocks(self, function: str) -> list[Any]:
        """Return the label blocks of the tasks of a function."""
        tasks = [task for task in self.tasks.values() if task.function.endswith(f":{function}")]
        return [task.parameters["block"] for task in tasks]


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> Sent:
    return Sent(monkeypatch)


def saved(folder: Path, executor: Executor | str | None, X: Any = X, **options: Any) -> bytes:
    """Return the bytes of the model file of a tuned classifier."""
    parameters = {"budget": "quick", "n_jobs": 1, "cv": 2, **options}
    classifier = SetClassifier(executor=executor, **parameters).fit(X, name_lists(y))
    file = folder / "model.setwise"
    classifier.save(file)
    return file.read_bytes()


@pytest.mark.parametrize(
    "options",
    [
        {"X": TEXTS, "vectorizer": [TextVectorizer(), TextVectorizer(ngram_range=(1, 2))], "cv": None},
        {"model": "pcc", "refit": "folds", "scoring": "hamming_loss"},
        {"model": "crf", "refit": False, "cv": 0.3},
        {"model": POOL, "cv": None},
        {"model": "lsf", "cv": None},
    ],
    ids=["texts and confidence", "chains of folds", "crf as it was trained", "pool and confidence", "lsf"],
)
def test_processes_write_the_same_bytes(tmp_path: Path, options: dict[str, Any]) -> None:
    assert saved(tmp_path, "local:2", **options) == saved(tmp_path, None, **options)


def test_fits_are_split_in_label_blocks(tmp_path: Path, sent: Sent) -> None:
    saved(tmp_path, "local:2", model="br", cv=None)
    assert {tuple(block) for block in sent.blocks("fit_next")} == {(0, 3), (3, 5)}
    assert {tuple(block) for block in sent.blocks("fit_alone")} == {(label, label + 1) for label in range(5)}
    assert len(sent.blocks("fit_alone")) == 5 * (10 + 1)  # the folds of the confidence, and all documents


def test_one_process_fits_all_labels_in_one_task(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stored_parts, "pieces_of_fit", lambda *_, **__: pytest.fail("a fit was split"))
    saved(tmp_path, None, model="br", cv=None)


def test_the_tasks_do_not_depend_on_the_number_of_workers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    keys = []
    for n_workers in (1, 3):
        sent = Sent(monkeypatch)
        saved(tmp_path, f"local:{n_workers}", model="br", budget="quick")
        keys.append({key for key, task in sent.tasks.items() if ":fit_" in task.function})
    assert keys[0] <= keys[1]  # more workers begin with some that are not needed
    assert len(keys[0]) > 10


def test_the_dearest_blocks_start_first(tmp_path: Path, sent: Sent) -> None:
    saved(tmp_path, ProcessExecutor(1), model="br", cv=None)
    costs = [task.cost for task in sent.tasks.values() if task.function.endswith(":fit_alone")]
    first = costs[:5]  # of one fold
    assert first == sorted(first, reverse=True)
    assert first[0] > first[-1]


@pytest.mark.parametrize(
    ("model", "paths", "patience"),
    [
        (BinaryRelevance(n_jobs=1), [{"l1_ratio": 1.0}, {"l1_ratio": 0.0}], None),
        (BinaryRelevance(n_jobs=1, loss="squared_hinge"), [{"strength_scaling": "label"}], None),
        (ClassifierChain(n_jobs=1, order="random", n_orders=2), [{"l1_ratio": 0.5}], None),
        (LabelSizeFactors(n_jobs=1), [{"l1_ratio": 0.5}], None),
        (LabelSizeFactors("multinomial", n_jobs=1), [{"l1_ratio": 0.5}], None),
        (CostSensitiveRelevance(n_jobs=1), [{"t": 0.4}], None),
        (PairwiseCRF(n_jobs=1), [{"l1_ratio": 0.5}], Patience(2, 3)),
        (BernoulliMixture(2, n_jobs=1), [{"l1_ratio": 1.0}], Patience(2, 3)),
    ],
    ids=["br", "squared hinge", "pcc", "lsf", "lsf multinomial", "cost-sensitive", "crf", "cbm"],
)
def test_every_model_is_trained_to_the_same_bits(
    model: Any, paths: list[Any], patience: Any, processes: Scheduler, sent: Sent
) -> None:
    recipe = PAPER if "log_prob" in model.abilities else Candidate("exact", Recipe("exact", "gfm"))
    options: dict[str, Any] = {"recipes": [recipe], "early_stopping": patience, "keeps_best": True}
    grid = [StrengthPath(STRENGTHS, parameters) for parameters in paths]
    serial = search(model, grid, PARTS, **options)
    others = search(model, grid, PARTS, executor=processes, **options)
    assert any(block is not None for block in sent.blocks("fit_next")) == (type(model).__name__ in LABELWISE)
    for one, other in zip(serial, others, strict=True):
        assert {**one.row, "seconds": 0} == {**other.row, "seconds": 0}
        assert (one.trained is None) == (other.trained is None)
        for a, b in zip(one.trained or (), other.trained or (), strict=True):
            assert same_state(a, b)


@pytest.fixture(scope="module")
def processes() -> Iterator[Scheduler]:
    with scheduler_of(ProcessExecutor(2)) as scheduler:
        yield scheduler


@pytest.mark.parametrize(
    "model",
    [
        BinaryRelevance(),
        BinaryRelevance(loss="squared_hinge", l1_ratio=0.0),
        ClassifierChain(order="random", n_orders=2),
        LabelSizeFactors(),
        CostSensitiveRelevance(t=0.3),
    ],
    ids=["br", "squared hinge", "pcc", "lsf", "cost-sensitive"],
)
def test_a_path_that_is_continued_has_the_bits_of_one_that_is_walked_at_once(model: Any) -> None:
    whole = list(model.fit_path(X, y, STRENGTHS))
    for number in (1, 2):
        start = type(model).from_state(whole[number - 1].state())
        for fitted, at_once in zip(model.fit_path(X, y, STRENGTHS[number:], start=start), whole[number:], strict=True):
            assert same_state(fitted, at_once)
    (cold,) = model.fit_path(X, y, STRENGTHS[2:])
    assert not same_state(cold, whole[2])  # so that the start is seen to matter


def test_dask_writes_the_same_bytes(tmp_path: Path) -> None:
    pytest.importorskip("distributed")
    with local_cluster(tmp_path) as cluster:
        options: dict[str, Any] = {"X": TEXTS, "model": "br", "cv": None}
        assert saved(tmp_path, DaskExecutor(cluster.address), **options) == saved(tmp_path, None, **options)


def while_running(work: Callable[[], bytes], disturb: Callable[[], object], moments: list[float]) -> bytes:
    """Return what ``work`` returns, disturbed after so many seconds each."""
    ended = threading.Event()

    def disturb_at_moments() -> None:
        for seconds in moments:
            if ended.wait(seconds):
                return
            disturb()

    thread = threading.Thread(target=disturb_at_moments)
    thread.start()
    try:
        return work()
    finally:
        ended.set()
        thread.join()


class Killer:
    """Kills a random worker process."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._alive: list[Any] = []
        self._random = random.Random(0)
        self.n_kills = 0
        start = processes_module._ProcessSession._start

        def noted(session: Any, number: int) -> Any:
            worker = start(session, number)
            self._alive.append(worker.process)
            if len(self._alive) == 1:  # at least one is killed, however fast the machine is: it has not even started up
                threading.Timer(0.1, self).start()
            return worker

        monkeypatch.setattr(processes_module._ProcessSession, "_start", noted)

    def __call__(self) -> None:
        alive = [process for process in self._alive if process.poll() is None]
        if alive:
            os.kill(self._random.choice(alive).pid, signal.SIGKILL)
            self.n_kills += 1


def disturbed_by_kills(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, n_kills: int, **options: Any) -> None:
    expected = saved(tmp_path, None, **options)
    killer, moments = Killer(monkeypatch), random.Random(1)
    monkeypatch.setattr("setwise.executors.folder_session.MAX_LOSSES", 10**6)
    work = tmp_path / "work"

    def tuned() -> bytes:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", WorkerRestarted)
            return saved(tmp_path, ProcessExecutor(2, work), **options)

    found = while_running(tuned, killer, [2.0] + [moments.uniform(0.2, 3.0) for _ in range(n_kills - 1)])
    assert found == expected
    assert killer.n_kills > 0
    parts = {path.name: path.read_bytes() for path in work.rglob("*.part")}
    monkeypatch.setattr(processes_module._ProcessSession, "_start", lambda *_: pytest.fail("a task was done again"))
    assert saved(tmp_path, ProcessExecutor(2, work), **options) == expected  # nothing that was finished is lost
    assert {path.name: path.read_bytes() for path in work.rglob("*.part")} == parts


def test_a_killed_worker_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    disturbed_by_kills(tmp_path, monkeypatch, 2)


@pytest.mark.slow
def test_twenty_killed_workers_change_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    disturbed_by_kills(tmp_path, monkeypatch, 20, budget="normal", cv=None)


@pytest.mark.slow
def test_dask_survives_killed_workers_and_a_restarted_scheduler(tmp_path: Path) -> None:
    pytest.importorskip("distributed")
    options: dict[str, Any] = {"budget": "normal", "cv": None}
    expected = saved(tmp_path, None, **options)
    with local_cluster(tmp_path) as cluster:
        numbers = iter(range(100))

        def disturb() -> None:
            number = next(numbers)
            if number == 3:
                cluster.restart_scheduler()
            else:
                cluster.kill_worker(number % 2)

        executor = DaskExecutor(cluster.address, tmp_path / "work")
        moments = random.Random(2)
        found = while_running(
            lambda: saved(tmp_path, executor, **options), disturb, [moments.uniform(1.0, 6.0) for _ in range(20)]
        )
        assert next(numbers) > 3
    assert found == expected


def test_a_worker_that_is_killed_in_the_middle_of_a_block_changes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It dies when the block is fitted and its part file is not written: once on a path, once in a final fit."""
    expected = saved(tmp_path, None, model="br")
    (tmp_path / "deaths").mkdir()
    monkeypatch.setenv(DEATHS, str(tmp_path / "deaths"))
    monkeypatch.setattr(fit_tasks, "_MODULE", "tests.tuning.deadly_fits")
    with pytest.warns(WorkerRestarted, match=r"a fit of BinaryRelevance at strength .*, labels \d to \d; the task"):
        assert saved(tmp_path, ProcessExecutor(2), model="br") == expected
    assert {path.name for path in (tmp_path / "deaths").iterdir()} == {"fit_next", "fit_alone"}


def test_blocks_that_are_finished_are_not_fitted_again(tmp_path: Path, sent: Sent) -> None:
    expected = saved(tmp_path, "serial", model="br")
    work = tmp_path / "work"
    assert saved(tmp_path, ProcessExecutor(2, work), model="br") == expected
    parts = sorted(work.rglob("*.part"))
    for path in parts:
        if (block := sent.tasks[path.stem].parameters.get("block")) is not None:
            fitted = WorkFolder(work).part(path.stem).value["model"]["arrays"]["intercept_"]
            assert np.flatnonzero(fitted).tolist() == list(range(*block))  # its labels, and no others
    lost = [path for path in parts if sent.tasks[path.stem].parameters.get("block") is not None][::3]
    for path in lost:
        path.unlink()
    sent.tasks.clear()
    assert saved(tmp_path, ProcessExecutor(2, work), model="br") == expected
    assert set(sent.tasks) <= {path.stem for path in lost} != set()
    assert sent.tasks


def test_an_interrupted_run_goes_on_where_it_was(tmp_path: Path) -> None:
    expected = saved(tmp_path, None)
    work = tmp_path / "work"
    interrupt = threading.Timer(3.0, lambda: os.kill(os.getpid(), signal.SIGINT))
    interrupt.start()
    try:
        saved(tmp_path, ProcessExecutor(2, work))
        while interrupt.is_alive():
            time.sleep(0.1)
    except KeyboardInterrupt:
        pass
    assert saved(tmp_path, ProcessExecutor(2, work)) == expected


def test_the_parameter_is_checked_and_no_part_of_the_model(tmp_path: Path) -> None:
    with pytest.raises(InvalidParameter, match="executor must be one of serial"):
        SetClassifier(executor="cloud").fit(X, y)
    from sklearn.base import clone

    import setwise

    executor = ProcessExecutor(2)
    assert clone(SetClassifier(executor=executor)).executor == executor
    saved(tmp_path, "serial", model=BinaryRelevance(0.01))
    assert setwise.load(tmp_path / "model.setwise").executor is None
