"""Processes that only predict: they start without scikit-learn, and predict the same bits."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import BaseEstimator, clone
from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

from setwise import SetClassifier, TextVectorizer
from setwise._estimator import stand_ins
from setwise.exceptions import InvalidData
from setwise.models import MODELS, BinaryRelevance
from setwise.text.analysis import english_stop_words
from tests.cli.corpus import news, write_jsonl
from tests.cli.process import call

pytestmark = pytest.mark.filterwarnings("ignore::setwise.exceptions.NotConverged")


class _Scaler(stand_ins.BaseEstimator):
    def __init__(self, scale: float = 1.0) -> None:
        self.scale = scale


class _ClonesItself:
    def __sklearn_clone__(self) -> str:
        return "a copy"


def _sparse(rows: list[list[float]]) -> sp.csr_array:
    return sp.csr_array(np.array(rows))


HEAVY = ("sklearn", "pandas", "scipy.stats", "scipy.optimize")
SELDOM_NEEDED = ("scipy.special", "rich", "xml", "pydantic", "numpy.f2py", "numpy.testing")

RUN_COMMANDS = f"""
import json, sys
before = set(sys.modules)  # of whatever watches this process, such as coverage
from setwise.cli import main, program
start = {{"main": main, "program": program}}[sys.argv[1]]
for arguments in json.loads(sys.argv[2]):
    sys.argv = ["setwise", *arguments]
    try:
        start()
    except SystemExit as ended:
        assert not ended.code, arguments
imported = [name for name in {HEAVY + SELDOM_NEEDED!r} if name in sys.modules and name not in before]
from sklearn.base import BaseEstimator
from setwise import SetClassifier
import numpy as np
assert np.ma.masked is not None and np.testing.assert_allclose  # as ever, for whoever uses them
print(json.dumps([imported, issubclass(SetClassifier, BaseEstimator)]), file=sys.stderr)
"""


def run_commands(start: str, *commands: list[str]) -> tuple[list[str], bool, str]:
    """Run commands in one process; return the heavy modules, whether estimators are scikit-learn's, and the output."""
    ended = subprocess.run(
        [sys.executable, "-c", RUN_COMMANDS, start, json.dumps(commands)], capture_output=True, text=True, check=False
    )
    assert ended.returncode == 0, ended.stderr
    imported, is_estimator = json.loads(ended.stderr.splitlines()[-1])
    return imported, is_estimator, ended.stdout


@pytest.fixture(scope="module")
def texts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_jsonl(tmp_path_factory.mktemp("texts") / "news.jsonl", news(60, random_state=1))


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """One file per model."""
    documents, folder = news(90), tmp_path_factory.mktemp("models")
    X, y = [document["text"] for document in documents], [document["labels"] for document in documents]
    files = []
    for name in MODELS:
        classifier = SetClassifier(name, budget="quick", cv=2, n_jobs=1)
        classifier.fit(X, y).save(folder / f"{name}.setwise")
        files.append(folder / f"{name}.setwise")
    return files


def test_commands_that_predict_import_no_heavy_library(models: list[Path], texts: Path) -> None:
    commands = []
    for model in map(str, models):
        commands += [["predict", model, str(texts)], ["evaluate", model, str(texts), "--json"], ["inspect", model]]
    imported, _, output = run_commands("program", *commands)
    assert not set(HEAVY) & set(imported)
    assert output == "".join(call(*command).stdout for command in commands)


def test_the_recipe_of_the_paper_needs_only_numpy_and_sparse_matrices(texts: Path, tmp_path: Path) -> None:
    documents, model = news(90), tmp_path / "m.setwise"
    classifier = SetClassifier(BinaryRelevance(strength=1e-3), "support", "gfm", calibration=None, n_jobs=1)
    classifier.fit([one["text"] for one in documents], [one["labels"] for one in documents]).save(model)
    command = ["predict", str(model), str(texts), "--top", "2", "--marginals", "0.01"]
    imported, _, output = run_commands("program", command)
    assert set(imported) <= {"pydantic"}  # by which some versions of Typer read the numbers
    assert output == call(*command).stdout


def test_features_of_a_file_of_vectors(tmp_path: Path) -> None:
    file = tmp_path / "d.svm"
    file.write_text("0 1:1 2:3\n1 3:2 1:1\n0,1 2:1 3:1\n" * 8)
    counts = np.array([[1, 3, 0], [1, 0, 2], [0, 1, 1]] * 8)
    y = [["0"], ["1"], ["0", "1"]] * 8
    model = tmp_path / "m.setwise"
    SetClassifier("br", budget="quick", weighting="tfidf", cv=2, n_jobs=1).fit(counts, y).save(model)
    command = ["predict", str(model), str(file), "-o", "-"]
    imported, _, output = run_commands("program", command)
    assert imported == []
    assert output == call(*command).stdout


def test_a_program_that_calls_the_command_line_keeps_scikit_learn(models: list[Path], texts: Path) -> None:
    _, is_estimator, _ = run_commands("main", ["predict", str(models[0]), str(texts)])
    assert is_estimator


@pytest.mark.parametrize(
    "before", ["", "import sklearn; from setwise._estimator import leave_out_sklearn; leave_out_sklearn()"]
)
def test_python_users_have_estimators_of_scikit_learn(before: str) -> None:
    program = f"""{before}
from setwise import SetClassifier, TextVectorizer
from setwise.models import BinaryRelevance
from sklearn.base import BaseEstimator
assert all(issubclass(kind, BaseEstimator) for kind in (SetClassifier, TextVectorizer, BinaryRelevance))
"""
    subprocess.run([sys.executable, "-c", program], check=True)


class TestStandIns:
    @pytest.mark.parametrize("kind", [SetClassifier, TextVectorizer, *(entry.model for entry in MODELS.values())])
    def test_parameters_are_those_of_scikit_learn(self, kind: Callable[[], Any]) -> None:
        assert issubclass(kind, BaseEstimator)  # type: ignore[arg-type]
        names = stand_ins.BaseEstimator._get_param_names.__func__  # type: ignore[attr-defined]
        assert names(kind) == kind._get_param_names()  # type: ignore[attr-defined]

    def test_parameters_of_an_estimator(self) -> None:
        estimator = _Scaler(2.0).set_params(scale=3.0)
        assert estimator.get_params() == {"scale": 3.0}
        assert repr(estimator) == "_Scaler(scale=3.0)"

    def test_a_clone_is_not_fitted(self) -> None:
        fitted = _Scaler(2.0)
        fitted.n_features_in_ = 3  # type: ignore[attr-defined]
        stand_ins.check_is_fitted(fitted)
        copy = stand_ins.clone(fitted)
        assert copy.scale == 2.0
        with pytest.raises(InvalidData, match=r"^This _Scaler is not fitted yet\.$"):
            stand_ins.check_is_fitted(copy)

    def test_an_estimator_may_clone_itself(self) -> None:
        assert stand_ins.clone(_ClonesItself()) == clone(_ClonesItself()) == "a copy"

    def test_matrices_are_checked(self) -> None:
        fitted = _Scaler()
        fitted.n_features_in_ = 2  # type: ignore[attr-defined]
        for wrong in (np.ones((1, 2)), _sparse([[1.0]]), _sparse([[1.0, np.nan]])):
            with pytest.raises(InvalidData, match="^X must"):
                stand_ins.validate_data(fitted, wrong, reset=False)
        right = _sparse([[1.0, 2.0]])
        assert stand_ins.validate_data(fitted, right, reset=False) is right


def test_stop_words_are_those_of_scikit_learn() -> None:
    assert english_stop_words() == ENGLISH_STOP_WORDS
