"""The OpenAPI document describes the routes, and answers are as it says."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from starlette.routing import Route
from starlette.testclient import TestClient

from setwise.serve.app import create_app, operations_of
from setwise.serve.openapi import document
from setwise.serve.schemas import schemas
from setwise.serve.settings import Limits, Settings
from setwise.serve.validation import check
from tests.serve.small import TEXTS, app_client, make_service

TENSOR = {"name": "text", "datatype": "BYTES", "shape": [1], "data": TEXTS[:1]}
REQUESTS: dict[str, dict[str, Any]] = {
    "predict": {"json": {"documents": [{"id": "a", "text": TEXTS[0]}], "top": 3, "marginals": True}},
    "explain": {"json": {"text": TEXTS[0], "leave_out_words": True}},
    "storeFeedback": {"json": {"text": "a", "labels": ["x"], "predicted": [], "comment": "c", "id": "1"}},
    "v2Infer": {"json": {"inputs": [TENSOR]}},
    "suggest": {"data": {"text": TEXTS[0], "limit": "2"}},
}


@pytest.fixture(scope="module")
def described(client: TestClient) -> dict[str, Any]:
    answer = client.get("/openapi.json")
    assert answer.headers["content-type"] == "application/json"
    found: dict[str, Any] = answer.json()
    return found


@pytest.mark.parametrize("annif", [False, True])
def test_the_document_has_every_route_and_no_other(model: Path, annif: bool) -> None:
    service = make_service(model, annif=annif)
    app: Any = create_app(service)
    routes = {
        (route.path, method.lower())
        for route in app.app.routes
        if isinstance(route, Route) and route.name in {one.name for one in operations_of(service.settings)}
        for method in (route.methods or set()) - {"HEAD"}
    }
    others = {route.path for route in app.app.routes if (route.path, "get") not in routes} - {
        path for path, _ in routes
    }
    assert all(path == "/" or re.fullmatch(r"/[\w-]+\.(css|js|svg)", path) for path in others)  # of the page
    with app_client(model, annif=annif) as client:
        paths = client.get("/openapi.json").json()["paths"]
    assert {(path, method) for path, methods in paths.items() for method in methods} == routes


def test_every_operation_answers_as_described(client: TestClient, described: dict[str, Any]) -> None:
    for path, methods in described["paths"].items():
        for method, operation in methods.items():
            name = operation["operationId"]
            answer = client.request(method, path.replace("{model}", "news"), **REQUESTS.get(name, {}))
            assert str(answer.status_code) in operation["responses"], (name, answer.text)
            (media_type, content), *_ = operation["responses"][str(answer.status_code)]["content"].items()
            assert answer.headers["content-type"] == media_type
            assert answer.is_success, (name, answer.text)
            if "$ref" in content["schema"]:
                check(answer.json(), named(described, content["schema"]["$ref"]))


def test_answers_have_no_field_that_is_not_described(client: TestClient, described: dict[str, Any]) -> None:
    for path, schema in (("/v1/models/news", "Model"), ("/v1/models", "Models"), ("/v2", "ServerMetadata")):
        assert client.get(path).json().keys() == described["components"]["schemas"][schema]["properties"].keys()
    answer = client.post("/v1/models/news/predict", **REQUESTS["predict"]).json()
    prediction = described["components"]["schemas"]["Predictions"]["properties"]["predictions"]["items"]
    assert answer["predictions"][0].keys() == prediction["properties"].keys()
    answer = client.post("/v1/models/news/explain", **REQUESTS["explain"]).json()
    explanation = described["components"]["schemas"]["Explanations"]["properties"]["explanations"]["items"]
    assert answer["explanations"][0].keys() == explanation["properties"].keys()


def named(described: dict[str, Any], reference: str) -> Any:
    """Return the schema that a reference names."""
    return described["components"]["schemas"][reference.rpartition("/")[2]]


def test_limits_are_those_of_the_service(model: Path) -> None:
    with app_client(model, max_texts=7, max_text_length=9, max_explained=2) as client:
        found = client.get("/openapi.json").json()["components"]["schemas"]
    assert found["PredictRequest"]["properties"]["texts"]["maxItems"] == 7
    assert found["PredictRequest"]["properties"]["texts"]["items"]["maxLength"] == 9
    assert found["ExplainRequest"]["properties"]["texts"]["maxItems"] == 2


def test_a_token_is_a_security_scheme() -> None:
    operations = operations_of(Settings(()))
    found = document(operations, schemas(Limits()), ["a", "b"], has_token=True)
    assert found["components"]["securitySchemes"] == {"bearer": {"type": "http", "scheme": "bearer"}}
    predict = found["paths"]["/v1/models/{model}/predict"]["post"]
    assert predict["security"] == [{"bearer": []}]
    assert predict["parameters"][0]["schema"]["enum"] == ["a", "b"]
    assert "401" in predict["responses"]
    assert "security" not in found["paths"]["/health/live"]["get"]


def test_every_reference_has_its_schema(described: dict[str, Any]) -> None:
    references = set(re.findall(r"#/components/schemas/(\w+)", str(described)))
    assert references == set(described["components"]["schemas"])
    names = [one["operationId"] for methods in described["paths"].values() for one in methods.values()]
    assert len(names) == len(set(names))
