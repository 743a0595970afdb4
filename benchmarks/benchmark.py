"""A benchmark as a value: what its command, its runner and its page have to know."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # numpy must not be imported before the command has held it to one thread
    from benchmarks.rows import Row


@dataclass(frozen=True)
class Section:
    """What a section is called, tells, shows in columns, and how its rows come about."""

    title: str
    text: str
    columns: tuple[str, ...]
    question: str  # what "yes" in the last column but one answers
    rows: Callable[[Any, Any], Iterator[Row]]  # of a problem, as it was loaded, and an effort of the benchmark
    together: bool = False  # one table for all data sets, a row each


@dataclass(frozen=True)
class Benchmark:
    name: str
    """Of its command, and of the file with its rows."""
    aim: str
    head: str
    """The page before its first section; ``{data}`` stands for the file with the rows."""
    page: Path
    datasets: Mapping[str, tuple[str, ...]]
    """The data sets of each section, in the order of the page."""
    module: str
    """Holds ``SECTIONS``, by name; it is imported when measuring or drawing begins."""
    full: Any
    """How much is measured: an effort that the sections understand."""
    quick: Any
    quick_text: str
    packages: tuple[str, ...]
    """Whose versions a run notes."""
    load: Callable[[str], Any] | None = None
    """Gives a data set by name; None reads it whole, as a ``Problem``."""

    @property
    def sections(self) -> Mapping[str, Section]:
        known: Mapping[str, Section] = importlib.import_module(self.module).SECTIONS
        return known

    @property
    def all_datasets(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(name for names in self.datasets.values() for name in names))

    def plan(self, datasets: Iterable[str], sections: Iterable[str]) -> dict[str, list[str]]:
        """Which of these sections to measure on each of these data sets."""
        sections = list(sections)
        wanted = {dataset: [name for name in sections if dataset in self.datasets[name]] for dataset in datasets}
        return {dataset: names for dataset, names in wanted.items() if names}

    def data_beside(self, page: Path) -> Path:
        """The file with the rows of a page."""
        return page.parent / "benchmarks" / f"{self.name}.jsonl"
