"""Corpora: where they are, and how to read them."""

from setwise.data.catalogue import Corpus, find_corpus
from setwise.data.libsvm import read_libsvm

__all__ = ["Corpus", "find_corpus", "read_libsvm"]
