"""Fitted classifiers in one file: safetensors arrays and a JSON manifest. Reading a file executes nothing in it."""

from setwise.persistence.container import FORMAT_VERSION
from setwise.persistence.save_load import ModelFile, read_model, write_model
from setwise.persistence.state import ClassifierState

__all__ = ["FORMAT_VERSION", "ClassifierState", "ModelFile", "read_model", "write_model"]
