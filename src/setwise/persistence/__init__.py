"""A trained classifier in one file: safetensors and a JSON manifest; to load it runs no code of the file's."""

from setwise.persistence.container import FORMAT
from setwise.persistence.save_load import Saved, load, save

__all__ = ["FORMAT", "Saved", "load", "save"]
