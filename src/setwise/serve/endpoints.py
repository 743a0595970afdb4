"""The operations of the service's own interface, ``/v1``, with health and metrics."""

from __future__ import annotations

from typing import Any

import orjson

from setwise.exceptions import SetwiseError
from setwise.explain import Limits, word_spans
from setwise.serve.metrics import METRICS_TYPE
from setwise.serve.models import LoadedModel
from setwise.serve.operations import Call, Operation, Reply
from setwise.serve.predicting import Options, PredictJob, predictions_body
from setwise.serve.problems import Problem
from setwise.serve.service import Service

__all__ = ["OPERATIONS"]


async def list_models(service: Service, call: Call) -> Reply:
    """Answer which models are served."""
    listed = ("name", "version", "n_labels", "model")
    return _json({"models": [{name: one.facts[name] for name in listed} | {"ready": True} for one in service.models]})


async def describe_model(service: Service, call: Call) -> Reply:
    """Answer what is known about a model."""
    limits = service.settings.limits
    names = ("max_texts", "max_text_length", "max_body_bytes")
    return _json(
        {
            **call.named_model.facts,
            "feedback": service.feedback is not None,
            "limits": {name: getattr(limits, name) for name in names},
        }
    )


async def predict(service: Service, call: Call) -> Reply:
    """Answer the label set of each text."""
    body = call.body
    if "texts" in body:
        texts, ids = body["texts"], [None] * len(body["texts"])
    else:
        texts = [document["text"] for document in body["documents"]]
        ids = [document.get("id") for document in body["documents"]]
    options = Options(int(body.get("top", 0)), _least_probability(body.get("marginals", False)), body.get("threshold"))
    return Reply(await service.predict(PredictJob(call.named_model, texts, options, predictions_body(ids))))


def _least_probability(marginals: bool | float) -> float | None:
    if isinstance(marginals, bool):
        return 0.0 if marginals else None
    return marginals


async def explain(service: Service, call: Call) -> Reply:
    """Answer why the label set of each text was predicted."""
    body = call.body
    texts = [body["text"]] if "text" in body else body["texts"]
    names = ("n_labels", "n_features", "n_rivals")
    limits = Limits(**{name: int(body[name]) for name in names if name in body})
    leave_out_words = body.get("leave_out_words", False)
    max_words = service.settings.limits.max_words
    return Reply(await service.explain(_explained, call.named_model, texts, limits, leave_out_words, max_words))


def _explained(model: LoadedModel, texts: list[str], limits: Limits, leave_out_words: bool, max_words: int) -> bytes:
    """Return the body of the answer to ``explain``."""
    if leave_out_words:
        n_words = sum(len(word_spans(model.classifier.vectorizer_, text)) for text in texts)
        if n_words > max_words:
            raise Problem(
                422,
                f"At most {max_words:,} words of a request can be left out one by one; the texts have {n_words:,}. "
                f"Send a shorter text, or leave_out_words false.",
            )
    try:
        found = model.classifier.explain(texts, limits=limits, leave_out_words=leave_out_words)
    except SetwiseError as error:
        raise Problem(422, str(error)) from None
    explanations = [{"text": text, **vars(one)} for text, one in zip(texts, found, strict=True)]
    return orjson.dumps({"model": model.name, "version": model.version, "explanations": explanations})


async def store_feedback(service: Service, call: Call) -> Reply:
    """Store a corrected label set, and answer once it is on the disk."""
    if service.feedback is None:
        raise Problem(403, "This service takes no feedback; its operator can start it with --feedback FILE.")
    model = call.named_model
    await service.write(service.feedback.append, {"model": model.name, "version": model.version, **call.body})
    service.metrics.count_feedback()
    return _json({"stored": True})


async def live(service: Service, call: Call) -> Reply:
    """Answer that the process runs."""
    return _json({"status": "live"})


async def ready(service: Service, call: Call) -> Reply:
    """Answer that all models are loaded: the service does not listen before they are."""
    return _json({"status": "ready"})


async def metrics(service: Service, call: Call) -> Reply:
    """Answer what was counted, in the text format of Prometheus."""
    models = [(model.name, model.version, model.loaded_at) for model in service.models]
    return Reply(service.metrics.text(models).encode(), METRICS_TYPE)


def _json(value: Any) -> Reply:
    return Reply(orjson.dumps(value))


OPERATIONS: tuple[Operation, ...] = (
    Operation("GET", "/v1/models", "listModels", "List the models.", list_models, "Models"),
    Operation(
        "GET",
        "/v1/models/{model}",
        "describeModel",
        "Describe a model: labels, statistics, what it was trained on.",
        describe_model,
        "Model",
    ),
    Operation(
        "POST",
        "/v1/models/{model}/predict",
        "predict",
        "Predict the label set of each text, and how sure it is.",
        predict,
        "Predictions",
        request="PredictRequest",
    ),
    Operation(
        "POST",
        "/v1/models/{model}/explain",
        "explain",
        "Explain why a label set was predicted; spans count characters (Unicode code points).",
        explain,
        "Explanations",
        request="ExplainRequest",
    ),
    Operation(
        "POST",
        "/v1/models/{model}/feedback",
        "storeFeedback",
        "Store a corrected label set; the answer comes once it is on the disk.",
        store_feedback,
        "Stored",
        request="FeedbackRequest",
        status=202,
        errors=(403, 507),
    ),
    Operation("GET", "/health/live", "live", "Tell that the process runs.", live, "Health", is_open=True),
    Operation("GET", "/health/ready", "ready", "Tell that all models are loaded.", ready, "Health", is_open=True),
    Operation(
        "GET",
        "/metrics",
        "metrics",
        "Return what was counted, in the text format of Prometheus.",
        metrics,
        "Metrics",
        media_type=METRICS_TYPE,
    ),
)
"""In the order of the OpenAPI document."""
