"""The loaded models, and how one is replaced while requests are answered.

A new model is loaded and tried first, in a thread of its own; then one reference is replaced. Requests that have begun
keep the model that they began with.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from time import time
from typing import Any

from setwise.classifier import SetClassifier
from setwise.exceptions import InvalidData, InvalidParameter, SetwiseError
from setwise.persistence import read_model
from setwise.serve.facts import model_facts
from setwise.serve.problems import Problem
from setwise.serve.snapshots import snapshot

__all__ = ["LoadedModel", "ModelStore", "model_names"]

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
"""Names that need no escapes in a path of a URL."""

_TRIAL_TEXT = "a text that is predicted once"
"""Predicted before a model is used, so that what is computed at the first use is there when requests come."""

Stamp = tuple[int, int, int]


@dataclass(frozen=True, eq=False)
class LoadedModel:
    """A model that answers requests. It never changes; another version is another object."""

    name: str
    version: str
    classifier: SetClassifier
    facts: dict[str, Any]
    """What the service tells about it."""
    loaded_at: float

    @classmethod
    def load(cls, name: str, path: str) -> LoadedModel:
        """Load a model file and try it on one text."""
        with snapshot(path) as copy:
            try:
                file = read_model(copy.path)
            except SetwiseError as error:
                raise InvalidData(str(error).replace(str(copy.path), path)) from None
            version = copy.version
        classifier = SetClassifier.from_state(file.state)
        if classifier.vectorizer_ is None:
            raise InvalidData(f"Cannot serve {path}. It was trained on vectors, and the service takes texts.")
        classifier.explain([_TRIAL_TEXT])
        facts = {"name": name, "version": version, **model_facts(classifier, file.manifest)}
        return cls(name, version, classifier, facts, time())


class ModelStore:
    """The models by name.

    Parameters
    ----------
    files : iterable of pairs
        Name and file of each model; all are loaded at once, so that an error shows before anything is served.
    note : callable
        Called with one sentence for each model that was replaced or could not be.
    load : callable
        Called with name and path; loads a file.
    """

    def __init__(
        self,
        files: Iterable[tuple[str, str]],
        note: Callable[[str], object],
        load: Callable[[str, str], LoadedModel] = LoadedModel.load,
    ) -> None:
        self._files = dict(files)
        self._note = note
        self._load = load
        self._stamps = {name: _stamp(path) for name, path in self._files.items()}
        self._models = {name: load(name, path) for name, path in self._files.items()}

    def __iter__(self) -> Iterator[LoadedModel]:
        return iter(list(self._models.values()))

    def get(self, name: str) -> LoadedModel:
        """Return the present version of a model."""
        found = self._models.get(name)
        if found is None:
            raise Problem(404, f"There is no model {name[:100]!r}; the models are {', '.join(self._models)}.")
        return found

    def reload(self, *, only_changed: bool) -> tuple[int, int]:
        """Load files again and replace their models; a file that cannot be loaded leaves its model in place.

        Returns how many models were replaced, and how many could not be.

        With ``only_changed``, a file is read where its size, its time or the file itself is not what it was.
        """
        n_swaps = n_failed = 0
        for name, path in self._files.items():
            stamp = _stamp(path)
            if stamp is None or (only_changed and stamp == self._stamps[name]):
                continue
            self._stamps[name] = stamp  # what was damaged is tried again once it changes
            old = self._models[name]
            try:
                new = self._load(name, path)
            except Exception as error:  # whatever is in the file, the old model goes on
                n_failed += 1
                reason = str(error) if isinstance(error, SetwiseError) else f"Cannot load {path}. {error!r:.200}"
                self._note(f"{reason} The model {name} {old.version} stays.")
                continue
            if new.version != old.version:
                self._models[name] = new
                n_swaps += 1
                self._note(f"The model {name} {old.version} was replaced by {new.version}.")
        return n_swaps, n_failed


def model_names(files: Iterable[str]) -> tuple[tuple[str, str], ...]:
    """Return name and path of each model file, given as ``PATH`` or ``NAME=PATH``."""
    found: dict[str, str] = {}
    for file in files:
        name, equals, path = file.partition("=")
        if not equals or "/" in name:
            name, path = Path(file).stem, file
        if not _NAME.fullmatch(name):
            raise InvalidParameter(
                f"The model name {name!r} must have only letters, digits, dots, dashes and underscores. "
                f"Name it on the command line: NAME={path}."
            )
        if name in found:
            raise InvalidParameter(f"Two models have the name {name!r}. Name one on the command line: NAME={path}.")
        found[name] = path
    return tuple(found.items())


def _stamp(path: str) -> Stamp | None:
    """Return what changes when a file is replaced or written; None where there is no file."""
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status.st_ino, status.st_size, status.st_mtime_ns
