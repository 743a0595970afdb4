"""The declaration of a benchmark: all that its command, its runner and its page need to know."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.harness.rows import Row

if TYPE_CHECKING:  # numpy must not be imported before the command has set the number of threads
    from benchmarks.harness.corpora import Parts
    from benchmarks.harness.problem import Problem


@dataclass(frozen=True)
class Section:
    """One section of the page: its text, the columns of its tables, and the function that measures its rows."""

    title: str
    text: str
    columns: tuple[str, ...]
    question: str  # heading of the verdict column; the verdicts "yes" and "no" answer it
    rows: Callable[[Any, Any], Iterator[Row]]  # called with a loaded data set and the benchmark's effort
    one_table: bool = False  # whether all data sets share one table, one row per data set


def load_problem(name: str) -> Problem:
    """Read a data set, train and test documents at once."""
    from benchmarks.harness.problem import load

    return load(name)


def load_parts(name: str) -> Parts:
    """Return a data set whose train and test documents are read by separate calls."""
    from benchmarks.harness.corpora import Parts

    return Parts(name)


def load_texts_or_features(name: str) -> Parts:
    """Return the same, as texts where these are stored."""
    from benchmarks.harness.corpora import texts_or_features

    return texts_or_features(name)


@dataclass(frozen=True)
class Benchmark:
    """One benchmark, declared in the package ``benchmarks.<name>``."""

    # Name of the package, of `make bench-<name>`, and of the page and its rows.
    name: str
    # One sentence for the command's help.
    description: str
    # Heading of the page.
    title: str
    # How to read the page: the text before its first section.
    introduction: str
    # Data sets of each section, in the order of the page.
    datasets: Mapping[str, tuple[str, ...]]
    # How much a run measures. Only the benchmark's own sections read it.
    full_effort: Any
    # The same for ``--quick``.
    quick_effort: Any
    # What ``--quick`` leaves out, for the command's help.
    quick_description: str
    # Packages whose versions a run records.
    packages: tuple[str, ...]
    # Loads a data set by name.
    load: Callable[[str], Any] = load_problem

    @property
    def page(self) -> Path:
        """The page that a full run updates."""
        return Path("docs/benchmarks") / f"{self.name}.md"

    @property
    def sections(self) -> Mapping[str, Section]:
        """The sections by name; they are imported here because their module imports numpy."""
        sections: Mapping[str, Section] = importlib.import_module(f"benchmarks.{self.name}.sections").SECTIONS
        return sections

    @property
    def all_datasets(self) -> tuple[str, ...]:
        """Every data set of any section, once."""
        return tuple(dict.fromkeys(name for names in self.datasets.values() for name in names))

    def plan(self, datasets: Iterable[str], sections: Iterable[str]) -> dict[str, list[str]]:
        """Return which of these sections to measure on each of these data sets."""
        sections = list(sections)
        plan = {dataset: [name for name in sections if dataset in self.datasets[name]] for dataset in datasets}
        return {dataset: names for dataset, names in plan.items() if names}

    def rows_file(self, page: Path) -> Path:
        """Return the file with the rows of a page, which is stored beside the page."""
        return page.parent / f"{self.name}.jsonl"
