"""A thin ``/v2``: the Open Inference Protocol, so that its clients can ask for label sets."""

from __future__ import annotations

from collections.abc import Callable
from importlib.metadata import version
from math import prod
from typing import Any

import orjson

from setwise.serve.models import LoadedModel
from setwise.serve.operations import Call, Operation, Reply
from setwise.serve.predicting import Options, PredictJob, Row
from setwise.serve.problems import Problem
from setwise.serve.service import Service

__all__ = ["OPERATIONS"]

_OUTPUT = "labels"
"""Name of the tensor of the answer: one JSON list of labels per text."""


async def server_metadata(service: Service, call: Call) -> Reply:
    """Answer what the server is."""
    return _json({"name": "setwise", "version": version("setwise"), "extensions": []})


async def health(service: Service, call: Call) -> Reply:
    """Answer that the server is live and ready."""
    return _json({"live": True, "ready": True})


async def model_metadata(service: Service, call: Call) -> Reply:
    """Answer the name and form of the tensors."""
    model = call.named_model
    tensor = {"datatype": "BYTES", "shape": [-1]}
    return _json(
        {
            "name": model.name,
            "versions": [model.version],
            "platform": "setwise",
            "inputs": [{"name": "text", **tensor}],
            "outputs": [{"name": _OUTPUT, **tensor}],
        }
    )


async def model_ready(service: Service, call: Call) -> Reply:
    """Answer that a model is loaded."""
    return _json({"name": call.named_model.name, "ready": True})


async def infer(service: Service, call: Call) -> Reply:
    """Answer the label set of each text of the input tensor."""
    (tensor,) = call.body["inputs"]
    texts, shape = tensor["data"], [int(side) for side in tensor["shape"]]
    if prod(shape) != len(texts):
        raise Problem(
            422, f"inputs[0].shape {shape} stands for {prod(shape):,} texts; inputs[0].data has {len(texts):,}."
        )
    render = _rendered(shape, call.body.get("id"))
    return Reply(await service.predict(PredictJob(call.named_model, texts, Options(), render)))


def _rendered(shape: list[int], request_id: str | None) -> Callable[[LoadedModel, list[Row]], bytes]:
    """Return what makes the answer from rows."""

    def render(model: LoadedModel, rows: list[Row]) -> bytes:
        data = [orjson.dumps(row["labels"]).decode() for row in rows]
        answer: dict[str, Any] = {
            "model_name": model.name,
            "model_version": model.version,
            "outputs": [{"name": _OUTPUT, "datatype": "BYTES", "shape": shape, "data": data}],
        }
        return orjson.dumps(answer if request_id is None else {**answer, "id": request_id})

    return render


def _json(value: Any) -> Reply:
    return Reply(orjson.dumps(value))


_MODEL = "/v2/models/{model}"

OPERATIONS: tuple[Operation, ...] = (
    Operation("GET", "/v2", "v2Server", "Describe the server.", server_metadata, "ServerMetadata"),
    Operation("GET", "/v2/health/live", "v2Live", "Tell that the server is live.", health, "V2Health", is_open=True),
    Operation("GET", "/v2/health/ready", "v2Ready", "Tell that it is ready.", health, "V2Health", is_open=True),
    Operation("GET", _MODEL, "v2Model", "Describe the tensors of a model.", model_metadata, "ModelMetadata"),
    Operation("GET", f"{_MODEL}/ready", "v2ModelReady", "Tell that a model is loaded.", model_ready, "ModelReady"),
    Operation(
        "POST",
        f"{_MODEL}/infer",
        "v2Infer",
        "Predict one JSON list of labels per text of a BYTES tensor.",
        infer,
        "InferResponse",
        request="InferRequest",
    ),
)
