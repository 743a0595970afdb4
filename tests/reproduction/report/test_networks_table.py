"""Table 6 with our networks."""

from __future__ import annotations

from reproduction.plan import SUPPORT_GFM, TUNED_THRESHOLD
from reproduction.report import table_6
from reproduction.run import Row
from tests.reproduction.examples import score, scores


def test_networks_stand_beside_the_numbers_of_the_paper_and_of_their_authors() -> None:
    rows: list[Row] = [
        *scores({("bibtex", "CBM", "All4"): 50, ("imdb", "CBM", "All4"): 66, ("enron_raw", "BR", "All4"): 60}),
        *(score("bibtex", "SPEN", TUNED_THRESHOLD.name, 41 + repeat, repeat) for repeat in (0, 1)),
        score("bibtex", "MLP", TUNED_THRESHOLD.name, 41),
        score("bibtex", "MLP", SUPPORT_GFM.name, 43),
    ]
    table = table_6(rows)
    assert [[entry.text for entry in row] for row in table.rows] == [
        ["bibtex (BIBTEX)", "38.7", "42.2", "41.5 ± 0.7", "41.0", "43.0", "49.5", "50.0"],
        ["enron_raw (ENRON)", "59.4", "-", "-", "-", "-", "62.5", "-"],
    ]
    assert [row[-1].note for row in table.rows] == [None, "not run"]


def test_what_was_run_is_compared_with_what_was_expected() -> None:
    name = TUNED_THRESHOLD.name
    rows = [score("bibtex", "SPEN", name, 40.9), score("bibtex", "MLP", name, 40.5)]
    assert "MLP on bibtex: 38 to 40.5, and ours is as expected, 40.5." in table_6(rows).text
    assert "SPEN on bibtex: at least 41, and ours is below, 40.9." in table_6(rows).text
    assert "ours is above, 40.6." in table_6([score("bibtex", "MLP", name, 40.6)]).text
    assert "Expected" not in table_6([]).text
