"""Requests that cannot be answered: the status, and one sentence that says why."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from starlette.testclient import TestClient

from setwise.serve.app import operations_of
from setwise.serve.openapi import statuses_of
from setwise.serve.problems import MEDIA_TYPE, Problem
from setwise.serve.settings import Settings
from setwise.serve.validation import check
from tests.serve.small import JSON, app_client

PREDICT = "/v1/models/news/predict"


def problem_of(answer: Any, status: int) -> str:
    """Return the sentence of a problem after checking its form."""
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == MEDIA_TYPE
    body = answer.json()
    assert body.keys() == {"type", "title", "status", "detail"}
    assert body["status"] == status
    assert body["detail"].endswith(".")
    return str(body["detail"])


@pytest.mark.parametrize(
    ("body", "detail"),
    [
        ([], "The body must be an object; it is a list."),
        ({}, "The body must have exactly one of the fields 'texts' and 'documents'."),
        ({"texts": ["a"], "documents": []}, "The body must have exactly one of the fields 'texts' and 'documents'."),
        ({"texts": "a"}, "texts must be a list; it is a string."),
        ({"texts": []}, "texts must have at least 1 item; it has 0."),
        ({"texts": ["a"] * 4}, "texts must have at most 3 items; it has 4."),
        ({"texts": ["a", 1]}, "texts[1] must be a string; it is a number."),
        ({"texts": ["a" * 51]}, "texts[0] must have at most 50 characters; it has 51."),
        ({"documents": [{"id": "a"}]}, "documents[0] has no field 'text'; add it."),
        ({"documents": [{"id": 1, "text": "a"}]}, "documents[0].id must be a string; it is a number."),
        ({"texts": ["a"], "tops": 1}, "The body has the unknown field 'tops'; the fields are texts, documents, top, "),
        ({"texts": ["a"], "top": 1.5}, "top must be an integer; it is a number."),
        ({"texts": ["a"], "top": True}, "top must be an integer; it is true or false."),
        ({"texts": ["a"], "top": -1}, "top must be from 0 to 20; it is -1."),
        ({"texts": ["a"], "top": 2**70}, "top must be from 0 to 20; it is 1.18059e+21."),
        ({"texts": ["a"], "marginals": "all"}, "marginals must be true or false or a number; it is a string."),
        ({"texts": ["a"], "marginals": None}, "marginals must be true or false or a number; it is null."),
        ({"texts": ["a"], "threshold": 1.1}, "threshold must be from 0 to 1; it is 1.1."),
    ],
)
def test_bodies_that_are_not_as_described(model: Path, body: Any, detail: str) -> None:
    with app_client(model, max_texts=3, max_text_length=50) as client:
        answer = client.post(PREDICT, content=json.dumps(body), headers=JSON)
        assert problem_of(answer, 422).startswith(detail)


@pytest.mark.parametrize(
    ("content", "detail"),
    [
        (b"", "The body is empty; send a JSON object."),
        (b"{", "The body is no JSON: unexpected end of data: line 1 column 2 (char 1)."),
        (b'{"texts": ["\xff"]}', "The body is no JSON: "),
        (b'{"texts": ["\\ud800"]}', "The body is no JSON: "),
        (b"[" * 100_000, "The body is no JSON: "),
        (b'{"texts": [NaN]}', "The body is no JSON: "),
    ],
)
def test_bodies_that_are_no_json(client: TestClient, content: bytes, detail: str) -> None:
    assert problem_of(client.post(PREDICT, content=content, headers=JSON), 400).startswith(detail)


def test_a_body_that_is_too_large_is_refused_by_its_header_and_by_its_bytes(model: Path) -> None:
    with app_client(model, max_body_bytes=100) as client:
        detail = "The body must have at most 100 bytes; it has more."
        assert problem_of(client.post(PREDICT, content=b" " * 101, headers=JSON), 413) == detail
        parts = (b" " * 60 for _ in range(2))  # sent in chunks, without a length
        assert problem_of(client.post(PREDICT, content=parts, headers=JSON), 413) == detail
        assert client.post(PREDICT, content=b'{"texts": ["a"]}', headers=JSON).status_code == 200


def test_other_content_types_are_refused(client: TestClient) -> None:
    for headers in ({}, {"content-type": "text/plain"}, {"content-type": "application/x-www-form-urlencoded"}):
        answer = client.post(PREDICT, content=b'{"texts": ["a"]}', headers=headers)
        assert problem_of(answer, 415).startswith("The content type must be application/json; it is ")
    charset = {"content-type": "Application/JSON; charset=utf-8"}
    assert client.post(PREDICT, content=b'{"texts": ["a"]}', headers=charset).status_code == 200
    form = client.post("/v1/projects/news/suggest", json={"text": "a"})
    assert problem_of(form, 415).startswith("The content type must be application/x-www-form-urlencoded; it is ")
    odd = {"content-type": "application/x-www-form-urlencoded"}
    answer = client.post("/v1/projects/news/suggest", content=b"text=%ff", headers=odd)
    assert problem_of(answer, 400).startswith("The body is no form in UTF-8: ")


def test_paths_and_methods_that_there_are_not(client: TestClient) -> None:
    assert (
        problem_of(client.get("/v1/model"), 404) == "There is nothing at /v1/model; /openapi.json lists what there is."
    )
    assert problem_of(client.get(PREDICT), 405).startswith(f"{PREDICT} cannot be asked by GET; ")
    expected = "There is no model 'olds'; the models are news."
    assert problem_of(client.get("/v1/models/olds"), 404) == expected
    assert problem_of(client.post("/v1/models/olds/predict", json={"texts": ["a"]}), 404) == expected


def test_feedback_is_refused_where_it_is_off(model: Path) -> None:
    with app_client(model) as client:
        answer = client.post("/v1/models/news/feedback", json={"text": "a", "labels": []})
        assert problem_of(answer, 403).startswith("This service takes no feedback; ")


def test_the_token_is_asked_for(model: Path) -> None:
    with app_client(model, token="söcret") as client:
        missing = client.get("/v1/models")
        assert problem_of(missing, 401) == "The request needs a token; send the header Authorization: Bearer TOKEN."
        assert missing.headers["www-authenticate"] == "Bearer"
        for wrong in ("Bearer", "Bearer wrong", "Basic söcret", "söcret"):
            answer = client.get("/v1/models", headers=[(b"authorization", wrong.encode())])
            assert problem_of(answer, 401).startswith("The request has a wrong token; ")
        for scheme in ("Bearer", "bearer"):
            authorization = f"{scheme} söcret".encode()
            assert client.get("/v1/models", headers=[(b"authorization", authorization)]).status_code == 200
        assert client.get("/metrics").status_code == 401
        for path in ("/", "/page.js", "/health/live", "/health/ready", "/openapi.json"):
            assert client.get(path).status_code == 200


@pytest.mark.parametrize("host", ["127.0.0.1", "127.0.0.1:8080", "LOCALHOST:1", "[::1]:80", "[::1]", "proxy.example"])
def test_names_of_the_service(model: Path, host: str) -> None:
    with app_client(model, hosts=("127.0.0.1", "localhost", "[::1]", "proxy.example")) as client:
        assert client.get("/v1/models", headers={"host": host}).status_code == 200


@pytest.mark.parametrize("host", ["evil.example", "evil.example:80", "", "127.0.0.1.evil.example", "::1", "8080"])
@pytest.mark.parametrize("path", ["/", "/v1/models", "/health/live"])
def test_other_names_are_refused(model: Path, host: str, path: str) -> None:
    with app_client(model, hosts=("127.0.0.1", "localhost", "[::1]")) as client:
        assert problem_of(client.get(path, headers={"host": host}), 421).startswith("The service has no name ")


def test_what_fails_inside_is_told_to_the_log_alone(model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from setwise.serve import predicting

    def fail(*_: Any) -> Any:
        raise RuntimeError("secret")

    monkeypatch.setattr(predicting, "predicted_rows", fail)
    with app_client(model) as client, pytest.raises(RuntimeError, match="secret"):
        client.post(PREDICT, json={"texts": ["a"]})
    with app_client(model) as client:
        client._transport.raise_server_exceptions = False  # type: ignore[attr-defined]
        answer = client.post(PREDICT, json={"texts": ["a"]})
        assert problem_of(answer, 500) == "The service has failed; its log says why."


SCHEMA = {
    "type": "object",
    "properties": {"a": {"type": ["integer", "null"], "minimum": 2}, "b": {"enum": ["x", None]}},
    "additionalProperties": False,
}


@pytest.mark.parametrize("value", [{}, {"a": 2}, {"a": 3.0}, {"a": None, "b": "x"}, {"b": None}])
def test_values_that_a_schema_allows(value: Any) -> None:
    check(value, SCHEMA)


@pytest.mark.parametrize(
    ("value", "detail"),
    [
        ({"a": 1}, "a must be from 2 to None; it is 1."),
        ({"a": "1"}, "a must be an integer or null; it is a string."),
        ({"b": "y"}, "b must be 'x' or None."),
        ({"c": 1}, "The body has the unknown field 'c'; the fields are a, b."),
    ],
)
def test_values_that_it_does_not_allow(value: Any, detail: str) -> None:
    with pytest.raises(Problem) as raised:
        check(value, SCHEMA)
    assert raised.value.detail == detail


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=8,
)
FIELDS = st.sampled_from(
    ["texts", "text", "documents", "top", "marginals", "threshold", "labels", "predicted", "inputs", "n_labels", "id"]
)
BODIES = st.dictionaries(FIELDS, VALUES | st.lists(st.text(max_size=30), max_size=4), max_size=5) | VALUES
OPERATIONS = {one.path: one for one in operations_of(Settings(())) if one.method == "POST"}


@settings(max_examples=150)
@given(path=st.sampled_from(sorted(OPERATIONS)), body=BODIES)
def test_no_body_makes_the_service_fail(client: TestClient, path: str, body: Any) -> None:
    """An error of the service would be raised by the client."""
    operation = OPERATIONS[path]
    try:
        content = orjson.dumps(body)
    except orjson.JSONEncodeError:  # an integer of more than 64 bits
        content = json.dumps(body).encode()
    answer = client.post(path.replace("{model}", "news"), content=content, headers=JSON)
    assert answer.status_code in {operation.status, *statuses_of(operation, has_token=False)}


@settings(max_examples=100)
@given(content=st.binary(max_size=60))
def test_no_bytes_make_the_service_fail(client: TestClient, content: bytes) -> None:
    for path in OPERATIONS:
        answer = client.post(path.replace("{model}", "news"), content=content, headers=JSON)
        assert answer.status_code in (400, 422)
