"""Thousands of requests drawn from the OpenAPI document: no failure of the service, no answer that is not described."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.serve.small import started_service

SCHEMATHESIS = Path(sys.executable).parent / "schemathesis"
MIN_CASES = 5000
MAX_EXAMPLES = 450  # per operation and phase; of those with few possible requests there are fewer
CHECKS = (
    "not_a_server_error",
    "status_code_conformance",
    "content_type_conformance",
    "response_schema_conformance",
    "unsupported_method",
)
SHOWN = 3000  # characters of a report of failures


@pytest.mark.slow
@pytest.mark.skipif(not SCHEMATHESIS.exists(), reason="needs schemathesis: pip install 'setwise[fuzz]'")
def test_five_thousand_requests_drawn_from_the_document(model: Path, tmp_path: Path) -> None:
    limits = ["--max-text-length", "2000", "--max-texts", "20", "--max-body", "200000"]
    options = ["--annif", "--feedback", str(tmp_path / "feedback.jsonl"), "--no-access-log"]
    with started_service(model, *options, *limits) as service:
        run = subprocess.run(
            [
                str(SCHEMATHESIS),
                "run",
                f"http://127.0.0.1:{service.port}/openapi.json",
                *("--max-examples", str(MAX_EXAMPLES), "--checks", ",".join(CHECKS)),
                *("--continue-on-failure", "--no-color", "--seed", "1"),
            ],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=1200,
            check=False,
        )
    assert run.returncode == 0, run.stdout[-SHOWN:]
    (n_cases,) = re.findall(r"(\d[\d,]*) generated", run.stdout)
    assert int(n_cases.replace(",", "")) >= MIN_CASES
    assert len(service.notes) == 1, service.notes  # nothing failed that the log would tell of
