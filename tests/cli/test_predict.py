"""Output of `predict`: row numbers, copied columns, escaped formulas, coverage, empty input, formats."""

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
from setwise.cli.predictions import Layout, Predictions, open_predictions
from setwise.exceptions import InvalidParameter
from setwise.models import BinaryRelevance
from setwise.text import TextVectorizer
from tests.cli.corpus import news, write_jsonl
from tests.cli.process import call
from tests.data.examples import plain, read_all, vector

TEXTS = ["a goal in the match", "rain and storm", "qwx zvy"]


def make_model(path: Path, labels: list[list[str]], texts: list[str]) -> Path:
    vectorizer = TextVectorizer()
    X = vectorizer.fit_transform(texts)
    classifier = SetClassifier(BinaryRelevance(strength=1e-3), "support", "gfm", calibration=None).fit(X, labels)
    classifier.save(path, vectorizer)
    return path


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    documents = news(120)
    folder = tmp_path_factory.mktemp("model")
    return make_model(folder / "m.setwise", [d["labels"] for d in documents], [d["text"] for d in documents])


def predict(*arguments: str | Path, stdin: str = "") -> list[dict[str, Any]]:
    """Return the predictions, written to standard output as jsonl."""
    result = call("predict", *arguments, stdin=stdin)
    assert result.returncode == 0, result.stderr
    return [json.loads(line) for line in result.stdout.splitlines()]


def table(*arguments: str | Path, stdin: str = "") -> list[dict[str, str]]:
    result = call("predict", *arguments, "--format", "csv", stdin=stdin)
    assert result.returncode == 0, result.stderr
    return list(csv.DictReader(io.StringIO(result.stdout)))


class TestRows:
    def test_every_prediction_has_its_row_number(self, model: Path, tmp_path: Path) -> None:
        file = write_jsonl(tmp_path / "d.jsonl", [{"text": text} for text in TEXTS])
        assert [row["row"] for row in predict(model, file)] == [1, 2, 3]
        assert [row["row"] for row in table(model, file)] == ["1", "2", "3"]
        assert call("predict", model, file, "-o", tmp_path / "p.parquet").returncode == 0
        assert pq.read_table(tmp_path / "p.parquet").column("row").to_pylist() == [1, 2, 3]

    def test_row_numbers_count_skipped_documents(self, model: Path) -> None:
        lines = '{"text": "a goal"}\nnot json\n\n{"text": 3}\n{"text": "rain"}\n'
        rows = predict(model, "-", "--from", "jsonl", "--on-error", "skip", stdin=lines)
        assert [row["row"] for row in rows] == [1, 4]  # an empty line is no document
        lines = "text,labels\na goal,x\na,b,c\nrain,y\n"
        assert [row["row"] for row in table(model, "-", "--from", "csv", "--on-error", "skip", stdin=lines)] == [
            "1",
            "3",
        ]

    def test_row_numbers_continue_across_batches(
        self, model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("setwise.cli.predict.BATCH", 2)
        file = write_jsonl(tmp_path / "d.jsonl", [{"text": text} for text in TEXTS])
        assert [row["row"] for row in predict(model, file)] == [1, 2, 3]


class TestCopiedColumns:
    CSV = 'text,labels,date,price\na goal,x,2024-01-01,-0.5\nrain,y,"=HYPERLINK(1)",7\n'

    @pytest.fixture
    def file(self, tmp_path: Path) -> Path:
        (tmp_path / "d.csv").write_text(self.CSV, encoding="utf-8")
        return tmp_path / "d.csv"

    def test_named_columns_are_copied(self, model: Path, file: Path) -> None:
        rows = predict(model, file, "--keep", "date", "--keep", "price")
        assert [(row["date"], row["price"]) for row in rows] == [("2024-01-01", "-0.5"), ("=HYPERLINK(1)", "7")]
        assert rows == predict(model, file, "--keep", "date,price")
        assert rows[0]["labels"] == ["sport"]

    def test_input_columns_named_like_predictions_get_a_prefix(self, model: Path, file: Path) -> None:
        row = table(model, file, "--keep-all")[0]
        assert (row["text"], row["input_labels"], row["labels"]) == ("a goal", "x", "sport")

    def test_copied_cells_are_escaped_in_csv(self, model: Path, file: Path) -> None:
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

    def test_missing_column_is_one_sentence(self, model: Path, file: Path) -> None:
        result = call("predict", model, file, "--keep", "datum")
        assert (result.returncode, result.stdout) == (1, "")
        assert result.stderr == (
            f"error: {file}, line 1: field 'datum' is missing; the fields are 'text', 'labels', 'date', 'price'.\n"
        )

    @pytest.mark.parametrize("name", ["d.txt", "d.svm"])
    def test_format_without_columns_is_one_sentence(self, model: Path, tmp_path: Path, name: str) -> None:
        (tmp_path / name).write_text("1 1:1\n", encoding="utf-8")
        result = call("predict", model, tmp_path / name, "--keep", "date")
        assert (result.returncode, result.stderr.count("\n")) == (2, 1)
        assert f"{tmp_path / name} has no columns to keep" in result.stderr

    def test_csv_refuses_a_column_that_later_documents_add(
        self, model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("setwise.cli.predict.BATCH", 1)
        file = write_jsonl(tmp_path / "d.jsonl", [{"text": "rain"}, {"text": "goal", "late": 1}])
        assert [row.get("late") for row in predict(model, file, "--keep-all")] == [None, 1]
        result = call("predict", model, file, "--keep-all", "--format", "csv")
        assert result.returncode == 1
        assert "Document 2 has the column 'late'" in result.stderr


class TestFormulas:
    @pytest.fixture
    def risky(self, tmp_path: Path) -> Path:
        labels = [["=cmd()", "-x"], ["plain"]] * 10
        texts = ["goal match coach", "rain storm wind"] * 10
        return make_model(tmp_path / "m.setwise", labels, texts)

    def test_labels_sets_marginals_and_ids_are_escaped(self, risky: Path) -> None:
        lines = "id,text\n+1,goal match\n"
        arguments = (risky, "-", "--from", "csv", "--top", "1", "--marginals", "0.5")
        (row,) = table(*arguments, stdin=lines)
        assert (row["id"], row["labels"], row["set_1"]) == ("'+1", "'-x;'=cmd()", "'-x;'=cmd()")
        assert row["marginals"].startswith("'")
        (row,) = table(*arguments, "--no-escape-formulas", stdin=lines)
        assert (row["id"], row["labels"], row["set_1"]) == ("+1", "-x;=cmd()", "-x;=cmd()")
        assert row["marginals"][0] in "-="
        (prediction,) = predict(*arguments, stdin=lines)
        assert prediction["labels"] == ["-x", "=cmd()"]


class TestCoverage:
    def test_coverage_is_the_share_of_vocabulary_words(self, model: Path, tmp_path: Path) -> None:
        texts = ["goal match", "goal zzyzx match qqwq", "zzyzx", "", "!"]
        file = write_jsonl(tmp_path / "d.jsonl", [{"text": text} for text in texts])
        assert [row["coverage"] for row in predict(model, file)] == [1.0, 0.5, 0.0, 0.0, 0.0]
        assert [row["coverage"] for row in table(model, file)] == ["1.0", "0.5", "0.0", "0.0", "0.0"]

    def test_documents_without_vocabulary_words_are_reported(self, model: Path, tmp_path: Path) -> None:
        file = write_jsonl(tmp_path / "d.jsonl", [{"text": "goal"}, {"text": "zzyzx"}])
        warning = call("predict", model, file).stderr
        assert "1 of 2 documents contain no word of the model's vocabulary (coverage 0)" in warning
        assert "no word of" not in call("predict", model, file.with_name("g.jsonl"), stdin="").stderr


class TestNoDocuments:
    def test_empty_file_gives_no_rows(self, model: Path, tmp_path: Path) -> None:
        file = write_jsonl(tmp_path / "d.jsonl", [])
        assert predict(model, file) == []
        result = call("predict", model, file, "--format", "csv", "--top", "2", "--marginals", "0.1")
        assert result.stdout.split() == [
            "row,id,labels,confidence,expected_f1,coverage,set_1,probability_1,set_2,probability_2,marginals"
        ]
        assert call("predict", model, file, "-o", tmp_path / "p.parquet").returncode == 0
        assert pq.read_table(tmp_path / "p.parquet").num_rows == 0

    def test_csv_with_only_a_header_gives_a_header(self, model: Path) -> None:
        result = call("predict", model, "-", "--from", "csv", "--format", "csv", "--keep-all", stdin="text,date\n")
        assert (result.returncode, result.stdout.split()) == (
            0,
            ["row,id,labels,confidence,expected_f1,coverage,text,date"],
        )

    def test_empty_file_of_vectors_gives_no_rows(self, model: Path, tmp_path: Path) -> None:
        (tmp_path / "d.svm").write_text("", encoding="utf-8")
        assert call("predict", model, tmp_path / "d.svm").returncode == 0

    def test_training_and_evaluation_need_documents(self, model: Path, tmp_path: Path) -> None:
        file = write_jsonl(tmp_path / "d.jsonl", [])
        commands: list[list[str | Path]] = [["train", file, "-o", tmp_path / "m"], ["evaluate", model, file]]
        for arguments in commands:
            result = call(*arguments)
            assert (result.returncode, result.stderr) == (
                1,
                f"error: {file} contains no documents.\n",
            )

    def test_skipping_all_documents_is_an_error(self, model: Path) -> None:
        result = call("predict", model, "-", "--from", "jsonl", "--on-error", "skip", stdin="no json\n")
        assert result.returncode == 1
        assert "all were skipped" in result.stderr


class TestFormat:
    @pytest.mark.parametrize("output", ["predicted.word", "predicted"])
    def test_unknown_suffix_names_the_option(self, tmp_path: Path, output: str) -> None:
        with (
            pytest.raises(InvalidParameter, match=r"is unknown\. Use a suffix of \.jsonl, .*, or add --format\."),
            open_predictions(str(tmp_path / output), None, ("a",), Layout()),
        ):
            pass

    @pytest.mark.parametrize("labels", [[[], ["b"], []], [[], [], []]])
    def test_predicted_labels_of_vectors_are_read_back(self, tmp_path: Path, labels: list[list[str]]) -> None:
        documents = [vector({}), vector({}), vector({1: 0.5})]
        with open_predictions(str(tmp_path / "docs.svm"), None, ("a", "b"), Layout()) as write:
            write(Predictions([1, 2, 3], documents, labels, [None] * 3, [None] * 3, [None] * 3, [[], [], []], None))
        expected = [
            (*plain(document)[:2], tuple(names), None) for document, names in zip(documents, labels, strict=True)
        ]
        assert read_all(tmp_path / "docs.svm") == expected


class TestThreshold:
    @pytest.fixture
    def file(self, tmp_path: Path) -> Path:
        return write_jsonl(tmp_path / "d.jsonl", news(30, random_state=3))

    def test_it_cuts_the_probabilities_of_the_labels(self, model: Path, file: Path) -> None:
        sizes = []
        for least in ("0", "0.05", "0.4", "1"):
            rows = predict(model, file, "--threshold", least, "--marginals", least)
            assert [row["labels"] for row in rows] == [list(row["marginals"]) for row in rows]
            assert {(row["confidence"], row["expected_f1"]) for row in rows} == {(None, None)}
            sizes.append(sum(len(row["labels"]) for row in rows))
        assert sizes[0] == 4 * len(rows)
        assert sizes == sorted(sizes, reverse=True)
        assert sizes[1] > sizes[2] > sizes[3]

    def test_documents_are_not_marked_by_a_threshold_of_other_sets(
        self, model: Path, file: Path, tmp_path: Path
    ) -> None:
        automated = tmp_path / "auto.setwise"
        trained = write_jsonl(tmp_path / "train.jsonl", news(120))
        options = ("--model", "br", "--budget", "quick")
        assert call("train", trained, "-o", tmp_path / "m", *options).returncode == 0
        found = call("automate", tmp_path / "m", trained, "--target-f1", "0.5", "-o", automated)
        assert found.returncode == 0, found.stderr
        assert "action" in predict(automated, file)[0]
        assert "action" not in predict(automated, file, "--threshold", "0.3")[0]
        assert "action" not in table(automated, file, "--threshold", "0.3")[0]

    @pytest.mark.parametrize("wrong", ["-0.1", "1.5", "half"])
    def test_it_is_a_probability(self, model: Path, file: Path, wrong: str) -> None:
        refused = call("predict", model, file, "--threshold", wrong)
        assert (refused.returncode, refused.stdout) == (2, "")
        assert "--threshold" in refused.stderr

    def test_a_model_without_probabilities_of_labels_says_so_in_one_sentence(self, file: Path, tmp_path: Path) -> None:
        documents = news(60)
        classifier = SetClassifier(BinaryRelevance(), "mode", "most_probable", calibration=None)
        classifier.fit([one["text"] for one in documents], [one["labels"] for one in documents])
        classifier.save(tmp_path / "m")
        refused = call("predict", tmp_path / "m", file, "--threshold", "0.3", "-o", tmp_path / "p.jsonl")
        assert refused.returncode == 1
        assert refused.stderr == (
            "error: inference='mode' has no label probabilities. Hint: use 'support', 'exact' or 'sampled'.\n"
        )
        assert not (tmp_path / "p.jsonl").exists()
