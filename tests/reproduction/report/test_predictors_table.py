"""The table of predictors for F1."""

from __future__ import annotations

from reproduction.plan import ENSEMBLE, PREDICTORS
from reproduction.report import Entry, predictors_table
from reproduction.run import Row
from tests.reproduction.examples import corpus, score

ROWS: list[Row] = [
    corpus("medical"),
    corpus("imdb", n_train=96_735),
    score("medical", "br", "half", 70.04),
    score("medical", "br", "support", 80),
    score("imdb", "br", "half", 30),
    score("imdb", "powerset", "powerset", 35),
    score("bibtex", "br", "half", 37),
    score("enron", "BR", "All4", 60),
]


def entry(predictor: str, dataset: str) -> Entry:
    table = predictors_table(ROWS)
    title = next(one.title for one in PREDICTORS if one.name == predictor)
    (row,) = (row for row in table.rows if row[0].text == title)
    return row[table.columns.index(dataset)]


def test_every_predictor_has_a_row_and_every_dataset_with_one_a_column() -> None:
    table = predictors_table(ROWS)
    assert table.columns == ("predictor", "by", "medical", "bibtex", "imdb")
    assert [row[0].text for row in table.rows] == [one.title for one in PREDICTORS]
    assert predictors_table([]).columns == ("predictor", "by")


def test_the_best_of_a_dataset_is_bold() -> None:
    assert entry("half", "medical") == Entry("70.0")
    assert entry("support", "medical") == Entry("80.0", bold=True)


def test_fewer_training_documents_are_stated() -> None:
    assert entry("powerset", "imdb") == Entry("35.0", bold=True, note="trained on 12,000 of the training documents")
    assert entry("half", "imdb").note is None


def test_a_dash_has_a_reason() -> None:
    assert entry(ENSEMBLE, "medical") == Entry("-", note="not run")
    assert "take too long" in (entry("rakel", "bibtex").note or "")
