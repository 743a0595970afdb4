"""What the operations answer: the same as the classifier in this process and as ``setwise predict``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from setwise import load
from setwise.explain import Limits
from tests.cli.corpus import write_jsonl
from tests.cli.process import call
from tests.serve.small import TEXTS, app_client

PREDICT = "/v1/models/news/predict"


def predictions(client: TestClient, body: dict[str, Any]) -> list[dict[str, Any]]:
    answer = client.post(PREDICT, json=body)
    assert answer.status_code == 200, answer.text
    found: list[dict[str, Any]] = answer.json()["predictions"]
    return found


def test_models_are_listed_and_described(client: TestClient, model: Path) -> None:
    (listed,) = client.get("/v1/models").json()["models"]
    described = client.get("/v1/models/news").json()
    assert listed == {**{name: described[name] for name in ("name", "version", "n_labels", "model")}, "ready": True}
    assert (listed["name"], listed["model"], listed["n_labels"]) == ("news", "br", 4)
    assert described["labels"] == ["economy", "politics", "sport", "weather"]
    assert described["statistics"]["n_training_documents"] == 160
    assert described["trained_on"]["documents"] == 160
    assert described["automation"]["metric"] == "f1"
    assert described["has_confidence"] is True
    assert described["feedback"] is True
    assert described["limits"]["max_texts"] == 256


def test_the_answer_is_that_of_setwise_predict(client: TestClient, model: Path, tmp_path: Path) -> None:
    file = write_jsonl(tmp_path / "new.jsonl", [{"id": f"n{k}", "text": text} for k, text in enumerate(TEXTS)])
    rows = [
        json.loads(line)
        for line in call("predict", model, file, "--top", "2", "--marginals", "0.1").stdout.splitlines()
    ]
    documents = [{"id": f"n{k}", "text": text} for k, text in enumerate(TEXTS)]
    answers = predictions(client, {"documents": documents, "top": 2, "marginals": 0.1})
    assert len(rows) == len(answers) == len(TEXTS)
    for row, answer in zip(rows, answers, strict=True):
        alternatives = answer.pop("alternatives")
        assert [{name: one[name] for name in ("labels", "probability")} for one in alternatives] == row.pop("sets")
        assert row == {"row": row["row"], **answer}


def test_alternatives_have_the_expected_f1_of_the_classifier(client: TestClient, model: Path) -> None:
    expected = load(model).alternatives(TEXTS[:3], 4)
    answers = predictions(client, {"texts": TEXTS[:3], "top": 4})
    for answer, sets in zip(answers, expected, strict=True):
        assert answer["alternatives"] == [{**vars(one), "labels": list(one.labels)} for one in sets]
        assert answer["alternatives"][0]["expected_f1"] > 0.5


def test_marginals_are_listed_where_they_are_asked_for(client: TestClient) -> None:
    (none,) = predictions(client, {"texts": TEXTS[:1], "marginals": False})
    (every,) = predictions(client, {"texts": TEXTS[:1], "marginals": True})
    (likely,) = predictions(client, {"texts": TEXTS[:1], "marginals": 0.5})
    assert "marginals" not in none
    assert len(every["marginals"]) == 4
    assert likely["marginals"] == {name: p for name, p in every["marginals"].items() if p >= 0.5}
    assert list(every["marginals"].values()) == sorted(every["marginals"].values(), reverse=True)


def test_a_threshold_takes_the_place_of_the_decision(client: TestClient, model: Path) -> None:
    classifier = load(model)
    answers = predictions(client, {"texts": TEXTS[:5], "threshold": 0.2})
    for answer, marginals in zip(answers, classifier.predict_proba(TEXTS[:5]), strict=True):
        assert set(answer["labels"]) == {str(classifier.classes_[k]) for k in (marginals >= 0.2).nonzero()[0]}
        assert (answer["confidence"], answer["expected_f1"], answer["action"]) == (None, None, None)
        assert answer["coverage"] is not None
    assert predictions(client, {"texts": TEXTS[:1], "threshold": 1})[0]["labels"] == []


def test_ids_come_back_where_there_are_any(client: TestClient) -> None:
    answers = predictions(client, {"documents": [{"id": "a", "text": "rain"}, {"text": "goal"}]})
    assert answers[0]["id"] == "a"
    assert "id" not in answers[1]


@pytest.mark.parametrize("text", ["", " ", "\u0000", "words that are nowhere", "\U0001f600 goal", "goal " * 5000])
def test_odd_texts_have_an_answer(client: TestClient, text: str) -> None:
    (answer,) = predictions(client, {"texts": [text], "top": 3, "marginals": True})
    assert 0.0 <= answer["confidence"] <= 1.0
    explained = client.post("/v1/models/news/explain", json={"text": text[:100], "leave_out_words": True})
    assert explained.status_code == 200, explained.text


def test_explanations_are_those_of_the_classifier(client: TestClient, model: Path) -> None:
    body = {"texts": TEXTS[:2], "leave_out_words": True, "n_labels": 1, "n_features": 3, "n_rivals": 2}
    answer = client.post("/v1/models/news/explain", json=body).json()
    expected = load(model).explain(TEXTS[:2], limits=Limits(1, 3, 2))
    rows = [{"text": text, **one.as_dict()} for text, one in zip(TEXTS, expected, strict=False)]
    assert answer["explanations"] == json.loads(json.dumps(rows))
    assert answer["explanations"][0]["without_words"]
    short = client.post("/v1/models/news/explain", json={"text": TEXTS[0]}).json()
    assert short["explanations"][0]["without_words"] == []


def test_too_many_words_are_not_left_out(model: Path) -> None:
    with app_client(model, max_words=5) as client:
        body = {"text": TEXTS[0], "leave_out_words": True}
        answer = client.post("/v1/models/news/explain", json=body)
        assert answer.status_code == 422
        assert answer.json()["detail"].startswith("At most 5 words of a request can be left out one by one; the texts ")
        assert client.post("/v1/models/news/explain", json={"text": TEXTS[0]}).status_code == 200


def test_health(client: TestClient) -> None:
    assert client.get("/health/live").json() == {"status": "live"}
    assert client.get("/health/ready").json() == {"status": "ready"}


def test_the_page_is_served_with_its_files(client: TestClient) -> None:
    page = client.get("/")
    assert page.headers["content-type"] == "text/html; charset=utf-8"
    assert page.text.startswith("<!doctype html>")
    script = client.get("/page.js")
    assert script.headers["content-type"] == "text/javascript; charset=utf-8"
    again = client.get("/page.js", headers={"if-none-match": script.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")
    for answer in (page, script, client.get("/v1/models"), client.get("/nothing")):
        assert answer.headers["content-security-policy"].startswith("default-src 'none'; script-src 'self';")
        assert answer.headers["x-content-type-options"] == "nosniff"


class TestOpenInference:
    def test_labels_of_each_text(self, client: TestClient) -> None:
        tensor = {"name": "text", "datatype": "BYTES", "shape": [2, 1], "data": TEXTS[:2]}
        answer = client.post("/v2/models/news/infer", json={"id": "7", "inputs": [tensor]}).json()
        (output,) = answer["outputs"]
        expected = [one["labels"] for one in predictions(client, {"texts": TEXTS[:2]})]
        assert [json.loads(one) for one in output["data"]] == expected
        assert (answer["id"], answer["model_name"], output["shape"]) == ("7", "news", [2, 1])

    def test_metadata(self, client: TestClient) -> None:
        assert client.get("/v2").json()["name"] == "setwise"
        assert client.get("/v2/models/news").json()["inputs"] == [{"name": "text", "datatype": "BYTES", "shape": [-1]}]
        assert client.get("/v2/models/news/ready").json()["ready"] is True
        assert client.get("/v2/health/ready").json() == {"live": True, "ready": True}

    def test_the_shape_is_that_of_the_data(self, client: TestClient) -> None:
        tensor = {"name": "text", "datatype": "BYTES", "shape": [3], "data": TEXTS[:2]}
        answer = client.post("/v2/models/news/infer", json={"inputs": [tensor]})
        assert answer.status_code == 422
        assert answer.json()["detail"] == "inputs[0].shape [3] stands for 3 texts; inputs[0].data has 2."
        empty = {**tensor, "shape": [0], "data": []}
        assert client.post("/v2/models/news/infer", json={"inputs": [empty]}).json()["outputs"][0]["data"] == []


class TestAnnif:
    def test_suggestions_are_the_most_probable_labels(self, client: TestClient) -> None:
        marginals = predictions(client, {"texts": TEXTS[:1], "marginals": True})[0]["marginals"]
        answer = client.post("/v1/projects/news/suggest", data={"text": TEXTS[0], "limit": "2"})
        results = answer.json()["results"]
        assert [(one["label"], one["score"]) for one in results] == list(marginals.items())[:2]
        assert results[0].keys() == {"label", "uri", "notation", "score"}
        likely = client.post("/v1/projects/news/suggest", data={"text": TEXTS[0], "threshold": "0.5"}).json()["results"]
        assert [one["label"] for one in likely] == [name for name, p in marginals.items() if p >= 0.5]

    def test_projects(self, client: TestClient) -> None:
        (project,) = client.get("/v1/projects").json()["projects"]
        assert project == client.get("/v1/projects/news").json()
        assert (project["project_id"], project["is_trained"]) == ("news", True)

    @pytest.mark.parametrize(
        ("field", "value"), [("limit", "-1"), ("limit", "nan"), ("threshold", "2"), ("limit", "x")]
    )
    def test_numbers_that_are_none(self, client: TestClient, field: str, value: str) -> None:
        answer = client.post("/v1/projects/news/suggest", data={"text": "a", field: value})
        assert answer.status_code == 422
        assert answer.json()["detail"].startswith(f"{field} must be a number from 0 to ")

    def test_only_where_it_was_asked_for(self, model: Path) -> None:
        with app_client(model) as client:
            assert client.get("/v1/projects").status_code == 404
