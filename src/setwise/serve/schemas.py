"""JSON Schemas of requests and answers. Requests are checked by them, and the OpenAPI document publishes them."""

from __future__ import annotations

from typing import Any

from setwise.serve.settings import Limits

__all__ = ["MAX_TOP", "Schema", "schemas"]

Schema = dict[str, Any]

MAX_TOP = 20
"""Alternatives per document."""

MAX_LISTED = 100
"""Labels, features and rival sets of an explanation."""

MAX_NAME = 1000
"""Characters of an id or a label in a request."""

MAX_COMMENT = 10_000

_SHARE: Schema = {"type": "number", "minimum": 0, "maximum": 1}
_SHARE_OR_NULL: Schema = {"type": ["number", "null"], "minimum": 0, "maximum": 1}
_NUMBER: Schema = {"type": "number"}
_NUMBER_OR_NULL: Schema = {"type": ["number", "null"]}
_STRING: Schema = {"type": "string"}
_NAME: Schema = {"type": "string", "maxLength": MAX_NAME}
_NAMES: Schema = {"type": "array", "items": _STRING}
_COUNT: Schema = {"type": "integer", "minimum": 0}
_SPAN: Schema = {"type": "array", "items": _COUNT, "minItems": 2, "maxItems": 2}


def schemas(limits: Limits) -> dict[str, Schema]:
    """Return every schema by its name; the limits of the service are part of them."""
    return {**_requests(limits), **_answers(), **_open_inference(limits), **_annif(limits)}


def _requests(limits: Limits) -> dict[str, Schema]:
    text: Schema = {"type": "string", "maxLength": limits.max_text_length}
    document = _closed({"id": _NAME, "text": text}, required=("text",))
    labels: Schema = {
        "type": "array",
        "items": {"type": "string", "minLength": 1, "maxLength": MAX_NAME},
        "maxItems": limits.max_feedback_labels,
    }
    listed: Schema = {"type": "integer", "minimum": 0, "maximum": MAX_LISTED}
    return {
        "PredictRequest": {
            **_closed(
                {
                    "texts": _list(text, limits.max_texts),
                    "documents": _list(document, limits.max_texts),
                    "top": {
                        "type": "integer",
                        "minimum": 0,
                        "maximum": MAX_TOP,
                        "description": "How many alternatives: the most probable label sets of the training documents.",
                    },
                    "marginals": {
                        "type": ["boolean", "number"],
                        "minimum": 0,
                        "maximum": 1,
                        "description": "Whether to list the probability of each label, or the least one to list.",
                    },
                    "threshold": {
                        **_SHARE,
                        "description": "Predict the labels of at least this probability in place of the decision of "
                        "the model. Such sets have neither confidence nor expected F1.",
                    },
                }
            ),
            "oneOf": [{"required": ["texts"]}, {"required": ["documents"]}],
        },
        "ExplainRequest": {
            **_closed(
                {
                    "text": text,
                    "texts": _list(text, limits.max_explained),
                    "leave_out_words": {
                        "type": "boolean",
                        "description": "Whether to predict each text again without each of its words.",
                    },
                    "n_labels": {**listed, "description": "Labels that are not predicted."},
                    "n_features": {**listed, "description": "Features per label."},
                    "n_rivals": {**listed, "description": "Other likely sets."},
                }
            ),
            "oneOf": [{"required": ["text"]}, {"required": ["texts"]}],
        },
        "FeedbackRequest": _closed(
            {
                "text": text,
                "labels": {**labels, "description": "The right label set."},
                "predicted": {**labels, "description": "The label set that was predicted."},
                "id": _NAME,
                "comment": {"type": "string", "maxLength": MAX_COMMENT},
            },
            required=("text", "labels"),
        ),
    }


def _answers() -> dict[str, Schema]:
    alternative = _object({"labels": _NAMES, "probability": _SHARE, "expected_f1": _NUMBER_OR_NULL})
    summary = {
        "name": _STRING,
        "version": {"type": "string", "description": "The first hex digits of the SHA-256 of the file."},
        "n_labels": _COUNT,
    }
    prediction = {
        "labels": _NAMES,
        "action": {"enum": ["accept", "review", None]},
        "confidence": {**_SHARE_OR_NULL, "description": "Probability that the set is exactly right."},
        "expected_f1": _SHARE_OR_NULL,
        "coverage": {**_SHARE_OR_NULL, "description": "Share of the words that the vocabulary contains."},
        "alternatives": {"type": "array", "items": alternative},
    }
    feature = _object(
        {"feature": _STRING, "contribution": {"type": "number"}, "spans": {"type": "array", "items": _SPAN}}
    )
    reason = _object(
        {
            "label": _STRING,
            "predicted": {"type": "boolean"},
            "probability": _NUMBER_OR_NULL,
            **dict.fromkeys(("score", "intercept", "other_labels", "other_features"), _NUMBER),
            "features": {"type": "array", "items": feature},
            "expected_f1_without": _NUMBER_OR_NULL,
        }
    )
    without_word = _object(
        {
            "word": _STRING,
            "span": _SPAN,
            "labels": _NAMES,
            "expected_f1": _NUMBER_OR_NULL,
            "changes_set": {"type": "boolean"},
        }
    )
    explanation = _object(
        {
            "text": _STRING,
            "labels": _NAMES,
            **dict.fromkeys(("confidence", "expected_f1", "stated_expected_f1"), _NUMBER_OR_NULL),
            "cut_at_half": _NAMES,
            "reasons": {"type": "array", "items": reason},
            "rivals": {"type": "array", "items": alternative},
            "components": {"type": "array"},
            "without_words": {"type": "array", "items": without_word},
        }
    )
    automation = _object(
        {"metric": _STRING, "target": _SHARE, "level": _SHARE, "threshold": _SHARE_OR_NULL},
        more={"type": ["object", "null"]},
    )
    limits = _object(dict.fromkeys(("max_texts", "max_text_length", "max_body_bytes"), _COUNT))
    return {
        "Problem": _object({"type": _STRING, "title": _STRING, "status": {"type": "integer"}, "detail": _STRING}),
        "Models": _object(
            {"models": {"type": "array", "items": _object({**summary, "model": _STRING, "ready": {"type": "boolean"}})}}
        ),
        "Model": _object(
            {
                **summary,
                "model": _STRING,
                "labels": _NAMES,
                "statistics": {"type": "object"},
                "trained_on": {"type": "object"},
                "recipe": _STRING,
                "has_confidence": {"type": "boolean"},
                "automation": automation,
                "feedback": {"type": "boolean"},
                "limits": limits,
            }
        ),
        "Predictions": _object(
            {
                "model": _STRING,
                "version": _STRING,
                "predictions": {
                    "type": "array",
                    "items": {
                        **_object(prediction),
                        "properties": {
                            "id": _STRING,
                            **prediction,
                            "marginals": {"type": "object", "additionalProperties": _SHARE},
                        },
                    },
                },
            }
        ),
        "Explanations": _object(
            {"model": _STRING, "version": _STRING, "explanations": {"type": "array", "items": explanation}}
        ),
        "Stored": _object({"stored": {"type": "boolean"}}),
        "Health": _object({"status": {"enum": ["live", "ready"]}}),
        "OpenApi": {"type": "object"},
    }


def _open_inference(limits: Limits) -> dict[str, Schema]:
    text: Schema = {"type": "string", "maxLength": limits.max_text_length}
    shape: Schema = {"type": "array", "items": _COUNT, "minItems": 1, "maxItems": 2}
    tensor = {"name": _STRING, "datatype": _STRING, "shape": shape}
    metadata = {"type": "array", "items": _object({**tensor, "shape": {"type": "array", "items": {"type": "integer"}}})}
    request_tensor = {
        "name": _NAME,
        "datatype": {"type": "string", "enum": ["BYTES"]},
        "shape": shape,
        "data": {"type": "array", "items": text, "maxItems": limits.max_texts},
        "parameters": {"type": "object"},
    }
    return {
        "InferRequest": _closed(
            {
                "id": _NAME,
                "inputs": {
                    "type": "array",
                    "items": _closed(request_tensor, required=("name", "datatype", "shape", "data")),
                    "minItems": 1,
                    "maxItems": 1,
                },
                "outputs": {"type": "array", "items": {"type": "object"}, "maxItems": MAX_LISTED},
                "parameters": {"type": "object"},
            },
            required=("inputs",),
        ),
        "InferResponse": _object(
            {
                "model_name": _STRING,
                "model_version": _STRING,
                "outputs": {"type": "array", "items": _object({**tensor, "data": {"type": "array"}})},
            }
        ),
        "V2Health": _object({"live": {"type": "boolean"}, "ready": {"type": "boolean"}}),
        "ServerMetadata": _object({"name": _STRING, "version": _STRING, "extensions": _NAMES}),
        "ModelMetadata": _object(
            {"name": _STRING, "versions": _NAMES, "platform": _STRING, "inputs": metadata, "outputs": metadata}
        ),
        "ModelReady": _object({"name": _STRING, "ready": {"type": "boolean"}}),
    }


def _annif(limits: Limits) -> dict[str, Schema]:
    text: Schema = {"type": "string", "maxLength": limits.max_text_length}
    project = _object(
        {
            "project_id": _STRING,
            "name": _STRING,
            "language": _STRING,
            "backend": _object({"backend_id": _STRING}),
            "is_trained": {"type": "boolean"},
            "modification_time": _STRING,
        }
    )
    suggestion = _object({"label": _STRING, "uri": _STRING, "notation": {"type": ["string", "null"]}, "score": _SHARE})
    return {
        "Project": project,
        "Projects": _object({"projects": {"type": "array", "items": project}}),
        "SuggestRequest": _object({"text": text, "limit": _STRING, "threshold": _STRING}, required=("text",)),
        "Suggestions": _object({"results": {"type": "array", "items": suggestion}}),
    }


def _object(
    properties: dict[str, Schema], *, required: tuple[str, ...] | None = None, more: Schema | None = None
) -> Schema:
    """Return the schema of an object, all of whose properties are required unless some are named."""
    needed = list(properties if required is None else required)
    return {"type": "object", "properties": properties, "required": needed, **(more or {})}


def _closed(properties: dict[str, Schema], required: tuple[str, ...] = ()) -> Schema:
    """Return the schema of an object of a request, which has no other fields."""
    return {"type": "object", "properties": properties, "required": list(required), "additionalProperties": False}


def _list(item: Schema, most: int) -> Schema:
    return {"type": "array", "items": item, "minItems": 1, "maxItems": most}
