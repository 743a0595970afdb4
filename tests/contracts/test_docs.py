"""The pages agree with the registries and with the tree, their links work, and their language is plain."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from sklearn.calibration import CalibratedClassifierCV
from sklearn.metrics import get_scorer
from sklearn.model_selection import StratifiedKFold, cross_val_predict, cross_val_score
from sklearn.multioutput import ClassifierChain, MultiOutputClassifier
from sklearn.preprocessing import MultiLabelBinarizer

from setwise import SetClassifier, TextVectorizer
from setwise.decision import DECISIONS
from setwise.inference import INFERENCES
from setwise.metrics import METRICS
from setwise.models import BUDGETS, MODELS, BinaryRelevance
from setwise.posterior import ABILITIES, lacking
from setwise.prediction import Recipe, TuningTargets, are_compatible
from tests.conftest import REPOSITORY

PAGES = [
    *(REPOSITORY / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md")),
    *sorted((REPOSITORY / "docs").rglob("*.md")),
]
PYTHON = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\[[^\]]*\]\(([^)\s#]+)(?:#[^)]*)?\)")

OLD_WORDS = {
    "the idiom 'a row a document'": r"\ba (?:row|line|number|value|column) an? \w",
    "a sentence that begins with 'Give'": r"(?:^|[.:!?] |\| |[-*] )Give\b",
    "an old parameter name": r"\bn_threads\b|\bseed=|\bheld_out=|\btuning_file\b|\bmetric=",
    "an old attribute name": r"(?<![\w.])names_\b|\.names_\b",
    "British spelling of the vectorizer": r"[Vv]ectoriser",
    "an old command": r"setwise reproduce\b",
    "a path of one machine": r"(?<![\w.])/(?:work|tmp|home|root)/",
}


def text_of(page: str) -> str:
    return (REPOSITORY / page).read_text(encoding="utf-8")


def table_of(page: str, first_cell: str) -> dict[str, dict[str, str]]:
    """Return the rows of the only table whose header begins with a cell, by their first cell and by column."""
    heads = re.findall(rf"^\| {re.escape(first_cell)} \|.*\|$", text_of(page), re.MULTILINE)
    tables = [text_of(page).partition(head + "\n")[2].partition("\n\n")[0].splitlines()[1:] for head in heads]
    assert len(tables) == 1, f"{page} has {len(tables)} tables that begin with {first_cell!r}"
    columns = cells_of(heads[0])
    rows = [cells_of(line) for line in tables[0]]
    return {row[0]: dict(zip(columns[1:], row[1:], strict=True)) for row in rows}


def cells_of(line: str) -> list[str]:
    return [cell.strip().strip("`") for cell in re.split(r"(?<!\\)\|", line.strip())[1:-1]]


def model_rows(page: str) -> dict[str, dict[str, str]]:
    """Return the rows of a table of models by the name of the model, which begins the row, in any case."""
    return {re.split(r"\W", name)[0].lower(): row for name, row in table_of(page, "model").items()}


@pytest.mark.parametrize("page", ["docs/models/README.md", "docs/choosing.md", "docs/prediction.md"])
def test_tables_of_models_have_every_model(page: str) -> None:
    assert list(model_rows(page)) == list(MODELS)


def test_every_model_has_a_page() -> None:
    pages = {path.stem for path in (REPOSITORY / "docs" / "models").glob("*.md")} - {"README"}
    assert pages == {*MODELS, "ensemble"}
    for name, entry in MODELS.items():
        assert entry.model.__name__ in text_of(f"docs/models/{name}.md")


def test_the_table_of_abilities_is_that_of_the_models() -> None:
    for name, row in model_rows("docs/models/README.md").items():
        assert row.keys() == ABILITIES.keys()
        assert {ability for ability, how in row.items() if how != "-"} == MODELS[name].model.abilities, name


def test_every_model_and_choice_is_named_in_the_readme() -> None:
    readme = text_of("README.md")
    for name in (*MODELS, *INFERENCES, *DECISIONS):
        assert f'`"{name}"`' in readme, name


def test_tables_of_inferences_and_decisions_are_those_of_the_registries() -> None:
    page = text_of("docs/prediction.md")
    for registry, heading in ((INFERENCES, "| inference | beliefs |"), (DECISIONS, "| decision | what it chooses |")):
        lines = page.partition(heading)[2].partition("\n\n")[0].splitlines()[2:]
        assert [cells_of(line)[0] for line in lines] == list(registry)


def test_the_table_of_compatibility_is_are_compatible() -> None:
    head = "| inference | " + " | ".join(DECISIONS) + " |"
    lines = text_of("docs/prediction.md").partition(head)[2].partition("\n\n")[0].splitlines()[2:]
    expected = [
        [inference, *("yes" if are_compatible(inference, decision) else "-" for decision in DECISIONS)]
        for inference in INFERENCES
    ]
    assert [cells_of(line) for line in lines] == expected


def test_the_table_of_models_and_inferences_follows_from_their_abilities() -> None:
    likelihood = TuningTargets("likelihood")
    for name, row in model_rows("docs/prediction.md").items():
        model = MODELS[name].model()
        recipes = {inference: Recipe(inference, "gfm") for inference in INFERENCES}
        cut = [one for one in INFERENCES if not lacking(model, *Recipe(one, "threshold").needs(model))]
        able = [inference for inference, recipe in recipes.items() if not lacking(model, *recipe.needs(model))]
        calibrated = [
            inference
            for inference in able
            if INFERENCES[inference].calibrates and not lacking(model, *likelihood.needs(recipes[inference], model))
        ]
        expected = {one: "yes" if one in able else "threshold" if one in cut else "-" for one in INFERENCES}
        assert row == {**expected, "calibrated": ", ".join(calibrated) or "-"}, name


def test_the_table_of_metrics_is_that_of_the_registry() -> None:
    rows = table_of("docs/tuning.md", "`scoring`")
    assert list(rows) == list(METRICS)
    for name, row in rows.items():
        assert ("lower is better" in row["what it is"]) != METRICS[name].higher_is_better, name


def test_the_table_of_budgets_has_every_budget_and_model() -> None:
    rows = table_of("docs/tuning.md", "`budget`")
    assert [name.strip('"') for name in rows] == list(BUDGETS)
    for row in rows.values():
        assert {name.strip().lower() for title in row for name in title.split(",")} == set(MODELS)


@pytest.mark.parametrize("budget", BUDGETS)
def test_the_table_of_budgets_has_the_sizes_of_the_grids(budget: str) -> None:
    row = table_of("docs/tuning.md", "`budget`")[f'"{budget}"']
    for models, text in row.items():
        for name in models.lower().split(", "):
            entry = MODELS[name]
            paths = entry.grid(entry.model(), budget, 1.0)  # type: ignore[arg-type]
            assert re.search(rf"^{len(paths[0].strengths)}\b", text), (name, text)
            ratios = {path.parameters.get("l1_ratio") for path in paths}
            if len(ratios) > 1:
                assert f"x {len(ratios)}" in text, (name, text)


def test_what_the_scikit_learn_page_says_does_not_work() -> None:
    texts = ["red fox runs", "red hen sits", "blue fox sits", "blue hen runs"] * 3
    labels = [["fox"], ["hen", "still"], ["fox", "still"], ["hen"]] * 3
    y = MultiLabelBinarizer().fit_transform(labels)
    classifier = SetClassifier(BinaryRelevance(), "support", "gfm", calibration=None, n_jobs=1)
    with pytest.raises(ValueError, match="sequence"):
        cross_val_predict(classifier, texts, labels, cv=2)
    with pytest.raises(ValueError, match="legacy multi-label"):
        get_scorer("f1_samples")(classifier.fit(texts, labels), texts, labels)
    with pytest.raises(ValueError, match="multilabel-indicator"):
        cross_val_score(classifier, texts, y, cv=StratifiedKFold(2))
    with pytest.raises(ValueError, match="1d array"):
        CalibratedClassifierCV(classifier, cv=2).fit(TextVectorizer().fit_transform(texts), y)
    for one_label_at_a_time in (MultiOutputClassifier(classifier), ClassifierChain(classifier)):
        with pytest.raises(ValueError, match="y must|label"):
            one_label_at_a_time.fit(TextVectorizer().fit_transform(texts), y)


def test_the_map_of_the_design_page_is_the_tree() -> None:
    page = text_of("docs/design.md")
    package = {cells_of(line)[0] for line in page.partition("| package |")[2].partition("\n\n")[0].splitlines()[2:]}
    there = {
        f"{path.name}/" if path.is_dir() else path.name
        for path in (REPOSITORY / "src" / "setwise").iterdir()
        if path.name not in ("__init__.py", "py.typed", "__pycache__")
    }
    assert package == there
    folders = {cells_of(line)[0] for line in page.partition("| folder |")[2].partition("\n\n")[0].splitlines()[2:]}
    assert all((REPOSITORY / folder).is_dir() for folder in folders)
    code = {path.name for path in REPOSITORY.iterdir() if path.is_dir() and list(path.rglob("*.[ch]pp"))} | {
        path.name for path in REPOSITORY.iterdir() if path.is_dir() and list(path.glob("*.py"))
    }
    ignored = {"build", "dist", ".venv"}
    assert code - ignored <= {folder.split("/")[0] for folder in folders}


def test_files_named_in_contributing_and_design_exist() -> None:
    for page in ("CONTRIBUTING.md", "docs/design.md"):
        text = PYTHON.sub("", text_of(page))
        for name in re.findall(r"`((?:src|core|tests|docs|benchmarks|examples)/[\w/.-]*)`", text):
            if "sized" not in name:  # the module that the example adds
                assert (REPOSITORY / name).exists(), (page, name)
        for name in re.findall(r"`((?:cli|models|inference|decision|metrics|data)/[\w/]+\.py)`", text):
            assert (REPOSITORY / "src" / "setwise" / name).exists(), (page, name)


def test_commands_in_the_pages_are_targets_of_the_makefile() -> None:
    targets = set(re.findall(r"^([a-z-]+):", text_of("Makefile"), re.MULTILINE))
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        named = set(re.findall(r"(?:^|`)make ([a-z-]+)", text, re.MULTILINE)) - {"bench-"}  # `make bench-<name>`
        assert named <= targets, page.name


def test_contributing_lists_every_target() -> None:
    targets = re.findall(r"^([a-z-]+):.*## ", text_of("Makefile"), re.MULTILINE)
    listed = [name.removeprefix("make ") for name in table_of("CONTRIBUTING.md", "command")]
    assert sorted(listed) == sorted(set(targets) - {"help"})


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(REPOSITORY)))
def test_links_lead_to_files(page: Path) -> None:
    for target in LINK.findall(page.read_text(encoding="utf-8")):
        if "://" not in target:
            assert (page.parent / target).exists(), target


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(REPOSITORY)))
def test_the_language_is_plain(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    for what, pattern in OLD_WORDS.items():
        match = re.search(pattern, text, re.MULTILINE)
        assert match is None, f"{page.name} has {what}: {text[max(0, match.start() - 40) : match.end() + 20]!r}"


def test_no_page_is_an_orphan() -> None:
    linked = {
        (page.parent / target).resolve() for page in PAGES for target in LINK.findall(page.read_text(encoding="utf-8"))
    }
    for page in PAGES:
        if REPOSITORY / "docs" / "reproduction" not in page.parents:  # tables for a paper, which no page needs
            assert page.name == "README.md" or page.resolve() in linked, page
