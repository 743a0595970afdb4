"""Predictions as they are written: rows that join back to the input, kept columns, coverage, no documents."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from setwise import SetClassifier
from setwise.models import BinaryRelevance
from setwise.persistence import save
from setwise.text import TextVectorizer
from tests.cli.corpus import news, write_jsonl
from tests.cli.in_process import call

TEXTS = ["a goal in the match", "rain and storm", "qwx zvy"]


def make_model(path: Path, labels: list[list[str]], texts: list[str]) -> Path:
    words = TextVectorizer()
    X = words.fit_transform(texts)
    classifier = SetClassifier(BinaryRelevance(strength=1e-3), "support", "gfm", calibration=None).fit(X, labels)
    save(path, classifier, words)
    return path


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    documents: list[Any] = news(120)
    folder = tmp_path_factory.mktemp("model")
    return make_model(folder / "m.setwise", [one["labels"] for one in documents], [one["text"] for one in documents])


def predict(*arguments: str | Path, stdin: str = "") -> list[dict[str, Any]]:
    """The rows predicted, which go to standard output as jsonl."""
    result = call("predict", *arguments, stdin=stdin)
    assert result.returncode == 0, result.stderr
    return [json.loads(line) for line in result.stdout.splitlines()]


def table(*arguments: str | Path, stdin: str = "") -> list[dict[str, str]]:
    result = call("predict", *arguments, "--format", "csv", stdin=stdin)
    assert result.returncode == 0, result.stderr
    return list(csv.DictReader(io.StringIO(result.stdout)))


class TestRows:
    def test_every_prediction_has_the_number_of_its_document(self, model: Path, tmp_path: Path) -> None:
        file = write_jsonl(tmp_path / "d.jsonl", [{"text": text} for text in TEXTS])
        assert [row["row"] for row in predict(model, file)] == [1, 2, 3]
        assert [row["row"] for row in table(model, file)] == ["1", "2", "3"]
        assert call("predict", model, file, "-o", tmp_path / "p.parquet").returncode == 0
        assert pq.read_table(tmp_path / "p.parquet").column("row").to_pylist() == [1, 2, 3]

    def test_numbers_count_skipped_documents(self, model: Path) -> None:
        given = '{"text": "a goal"}\nnot json\n\n{"text": 3}\n{"text": "rain"}\n'
        rows = predict(model, "-", "--from", "jsonl", "--on-error", "skip", stdin=given)
        assert [row["row"] for row in rows] == [1, 4]  # an empty line is no document
        given = "text,labels\na goal,x\na,b,c\nrain,y\n"
        assert [row["row"] for row in table(model, "-", "--from", "csv", "--on-error", "skip", stdin=given)] == [
            "1",
            "3",
        ]

    def test_numbers_go_on_from_batch_to_batch(
        self, model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("setwise.cli.predict.BATCH", 2)
        file = write_jsonl(tmp_path / "d.jsonl", [{"text": text} for text in TEXTS])
        assert [row["row"] for row in predict(model, file)] == [1, 2, 3]


class TestKeptColumns:
    CSV = 'text,labels,date,price\na goal,x,2024-01-01,-0.5\nrain,y,"=HYPERLINK(1)",7\n'

    @pytest.fixture
    def file(self, tmp_path: Path) -> Path:
        (tmp_path / "d.csv").write_text(self.CSV, encoding="utf-8")
        return tmp_path / "d.csv"

    def test_named_columns_follow_the_prediction(self, model: Path, file: Path) -> None:
        rows = predict(model, file, "--keep", "date", "--keep", "price")
        assert [(row["date"], row["price"]) for row in rows] == [("2024-01-01", "-0.5"), ("=HYPERLINK(1)", "7")]
        assert rows == predict(model, file, "--keep", "date,price")
        assert rows[0]["labels"] == ["sport"]

    def test_all_columns_and_ours_keep_their_names(self, model: Path, file: Path) -> None:
        row = table(model, file, "--keep-all")[0]
        assert (row["text"], row["input_labels"], row["labels"]) == ("a goal", "x", "sport")

    def test_kept_cells_are_no_formulas_in_csv(self, model: Path, file: Path) -> None:
        rows = table(model, file, "--keep", "date,price")
        assert [row["date"] for row in rows] == ["2024-01-01", "'=HYPERLINK(1)"]
        assert [row["price"] for row in rows] == ["-0.5", "7"]
        plain = table(model, file, "--keep", "date", "--no-escape-formulas")
        assert plain[1]["date"] == "=HYPERLINK(1)"

    def test_fields_of_jsonl_keep_their_types(self, model: Path, tmp_path: Path) -> None:
        file = write_jsonl(tmp_path / "d.jsonl", [{"text": "rain", "n": 3, "tags": ["a"]}, {"text": "goal", "n": None}])
        first, second = predict(model, file, "--keep-all")
        assert (first["n"], first["tags"], second["n"]) == (3, ["a"], None)
        assert "tags" not in second
        cells = table(model, file, "--keep-all")
        assert [(row["n"], row["tags"]) for row in cells] == [("3", '["a"]'), ("", "")]

    def test_parquet_in_and_out(self, model: Path, tmp_path: Path) -> None:
        pq.write_table(pa.table({"text": ["rain"], "n": [3], "when": ["now"]}), tmp_path / "d.parquet")
        result = call("predict", model, tmp_path / "d.parquet", "--keep", "n,when", "-o", tmp_path / "p.parquet")
        assert result.returncode == 0, result.stderr
        (row,) = pq.read_table(tmp_path / "p.parquet").to_pylist()
        assert (row["n"], row["when"], row["row"]) == ("3", "now", 1)

    def test_a_column_that_is_not_there_is_one_sentence(self, model: Path, file: Path) -> None:
        result = call("predict", model, file, "--keep", "datum")
        assert (result.returncode, result.stdout) == (1, "")
        assert result.stderr == (
            f"error: {file}, line 1: there must be a field 'datum'; got 'text', 'labels', 'date', 'price'.\n"
        )

    @pytest.mark.parametrize("name", ["d.txt", "d.svm"])
    def test_a_format_without_columns_is_one_sentence(self, model: Path, tmp_path: Path, name: str) -> None:
        (tmp_path / name).write_text("1 1:1\n", encoding="utf-8")
        result = call("predict", model, tmp_path / name, "--keep", "date")
        assert (result.returncode, result.stderr.count("\n")) == (2, 1)
        assert f"{tmp_path / name} has no columns to keep" in result.stderr

    def test_a_field_that_comes_late_is_refused_where_columns_are_fixed(
        self, model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("setwise.cli.predict.BATCH", 1)
        file = write_jsonl(tmp_path / "d.jsonl", [{"text": "rain"}, {"text": "goal", "late": 1}])
        assert [row.get("late") for row in predict(model, file, "--keep-all")] == [None, 1]
        result = call("predict", model, file, "--keep-all", "--format", "csv")
        assert result.returncode == 1
        assert "document 2 also has 'late'" in result.stderr


class TestFormulas:
    @pytest.fixture
    def risky(self, tmp_path: Path) -> Path:
        labels = [["=cmd()", "-x"], ["plain"]] * 10
        texts = ["goal match coach", "rain storm wind"] * 10
        return make_model(tmp_path / "m.setwise", labels, texts)

    def test_labels_sets_marginals_and_ids_are_no_formulas(self, risky: Path) -> None:
        given = "id,text\n+1,goal match\n"
        asked = (risky, "-", "--from", "csv", "--top", "1", "--marginals", "0.5")
        (row,) = table(*asked, stdin=given)
        assert (row["id"], row["labels"], row["set_1"]) == ("'+1", "'-x;'=cmd()", "'-x;'=cmd()")
        assert row["marginals"].startswith("'")
        (row,) = table(*asked, "--no-escape-formulas", stdin=given)
        assert (row["id"], row["labels"], row["set_1"]) == ("+1", "-x;=cmd()", "-x;=cmd()")
        assert row["marginals"][0] in "-="
        (row,) = predict(*asked, stdin=given)
        assert row["labels"] == ["-x", "=cmd()"]


class TestCoverage:
    def test_the_share_of_known_words_stands_beside_the_expected_f1(self, model: Path, tmp_path: Path) -> None:
        texts = ["goal match", "goal zzyzx match qqwq", "zzyzx", "", "!"]
        file = write_jsonl(tmp_path / "d.jsonl", [{"text": text} for text in texts])
        assert [row["coverage"] for row in predict(model, file)] == [1.0, 0.5, 0.0, 0.0, 0.0]
        assert [row["coverage"] for row in table(model, file)] == ["1.0", "0.5", "0.0", "0.0", "0.0"]

    def test_documents_without_a_known_word_are_told(self, model: Path, tmp_path: Path) -> None:
        file = write_jsonl(tmp_path / "d.jsonl", [{"text": "goal"}, {"text": "zzyzx"}])
        told = call("predict", model, file).stderr
        assert "1 of 2 documents have no word that the model knows; do not trust their expected_f1" in told
        assert "no word that" not in call("predict", model, file.with_name("g.jsonl"), stdin="").stderr


class TestNoDocuments:
    def test_an_empty_file_gives_no_rows(self, model: Path, tmp_path: Path) -> None:
        file = write_jsonl(tmp_path / "d.jsonl", [])
        assert predict(model, file) == []
        result = call("predict", model, file, "--format", "csv", "--top", "2", "--marginals", "0.1")
        assert result.stdout.split() == [
            "row,id,labels,expected_f1,coverage,set_1,probability_1,set_2,probability_2,marginals"
        ]
        assert call("predict", model, file, "-o", tmp_path / "p.parquet").returncode == 0
        assert pq.read_table(tmp_path / "p.parquet").num_rows == 0

    def test_a_csv_of_only_a_header_gives_a_header(self, model: Path) -> None:
        result = call("predict", model, "-", "--from", "csv", "--format", "csv", "--keep-all", stdin="text,date\n")
        assert (result.returncode, result.stdout.split()) == (0, ["row,id,labels,expected_f1,coverage,text,date"])

    def test_an_empty_file_of_vectors_gives_no_rows(self, model: Path, tmp_path: Path) -> None:
        (tmp_path / "d.svm").write_text("", encoding="utf-8")
        assert call("predict", model, tmp_path / "d.svm").returncode == 0

    def test_training_and_scoring_still_need_documents(self, model: Path, tmp_path: Path) -> None:
        file = write_jsonl(tmp_path / "d.jsonl", [])
        for given in (["train", file, "-o", tmp_path / "m"], ["evaluate", model, file]):
            result = call(*given)
            assert (result.returncode, result.stderr) == (
                1,
                f"error: {file} must hold at least one document; it holds none.\n",
            )

    def test_documents_that_were_all_skipped_are_an_error(self, model: Path) -> None:
        result = call("predict", model, "-", "--from", "jsonl", "--on-error", "skip", stdin="no json\n")
        assert result.returncode == 1
        assert "all were skipped" in result.stderr
