"""The site: its pages are complete, its references have everything, and its check finds what is broken."""

from __future__ import annotations

import re
import runpy
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any

import matplotlib as mpl
import pytest
import typer

import setwise
from setwise.cli.app import app
from tests.conftest import REPOSITORY
from website.api_reference import PACKAGES, constant_documentation, write_api_reference
from website.check import check_site
from website.command_reference import command_reference
from website.docstrings import escape_bars
from website.repository_links import SHOWN, rewrite_links
from website.same_text import FILE, Comparison, draw

DOCS = REPOSITORY / "docs"
EXAMPLES = sorted((REPOSITORY / "examples" / "gallery").glob("plot_*.py"))
QUICK = {"plot_expected_f1", "plot_any_classifier", "plot_models"}
"""Examples that need no docstrings, which take seconds to collect."""

NO_REFERENCE = {"batch_predictions", "classifier", "classifier_predictions", "classifier_spec", "cli", "shards"}
"""What users import from elsewhere, and the commands, which have a reference of their own."""


def pages_of_toctrees() -> set[Path]:
    """Return the pages that a table of contents names, as files without their suffix."""
    named = set()
    for page in DOCS.rglob("*.md"):
        for block in re.findall(r"^```\{toctree\}\n(.*?)^```$", page.read_text(encoding="utf-8"), re.M | re.S):
            entries = [line for line in block.splitlines() if line and not line.startswith(":")]
            named |= {(page.parent / entry).resolve() for entry in entries}
    return named


def test_every_page_and_notebook_is_in_a_table_of_contents() -> None:
    named = pages_of_toctrees()
    for page in [*DOCS.rglob("*.md"), *(DOCS / "notebooks").glob("*.ipynb")]:
        if page != DOCS / "index.md" and DOCS / "reproduction" not in page.parents:
            hint = "add it to the toctree of docs/guide.md, or of another page"
            assert page.with_suffix("").resolve() in named, (
                f"{page.relative_to(REPOSITORY)} is not on the site: {hint}."
            )


def test_tables_of_contents_name_what_exists() -> None:
    made = {"gallery/index", *(f"api/{name}" for name in PACKAGES)}
    for page in pages_of_toctrees():
        exists = any(page.with_name(page.name + suffix).is_file() for suffix in (".md", ".rst", ".ipynb"))
        assert exists or str(page.relative_to(DOCS)) in made, page


@pytest.mark.parametrize("name", SHOWN)
def test_pages_that_show_a_file_lead_to_it_on_a_forge(name: str) -> None:
    assert f"](../{SHOWN[name]})" in (DOCS / f"{name}.md").read_text(encoding="utf-8")


def test_every_public_package_has_a_reference() -> None:
    source = Path(setwise.__file__).parent
    public = {path.stem for path in source.iterdir() if path.suffix in ("", ".py") and not path.name.startswith("_")}
    assert {f"setwise.{name}" for name in public - NO_REFERENCE} | {"setwise"} == set(PACKAGES)


def test_the_reference_has_every_public_name(tmp_path: Path) -> None:
    write_api_reference(tmp_path)
    described = "".join((tmp_path / f"{name}.rst").read_text(encoding="utf-8") for name in PACKAGES)
    for name in PACKAGES:
        page = (tmp_path / f"{name}.rst").read_text(encoding="utf-8")
        for member in __import__(name, fromlist=["x"]).__all__:
            here = re.search(rf"^(   |\.\. py:data:: ){member}$", page, re.MULTILINE)
            assert here or f".{member}`" in page or member.startswith("__"), (name, member)
    assert described.count("\n   TextVectorizer\n") == 1  # of `setwise` and `setwise.text`


def test_the_documentation_of_a_constant_is_found_where_it_is_defined() -> None:
    from setwise import metrics

    assert constant_documentation(metrics, "F1_OF_EMPTY_SETS")
    assert "import" not in constant_documentation(metrics, "METRICS")


def commands(group: Any, context: Any) -> list[tuple[str, Any, Any]]:
    found: list[tuple[str, Any, Any]] = []
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        inner = command.make_context(name, [], parent=context, resilient_parsing=True)
        found += (
            commands(command, inner) if hasattr(command, "list_commands") else [(inner.command_path, command, inner)]
        )
    return found


def test_the_reference_of_the_command_line_has_every_command_and_option() -> None:
    reference = command_reference()
    group: Any = typer.main.get_command(app)
    found = commands(group, typer.Context(group, info_name="setwise"))
    assert {"setwise train", "setwise predict", "setwise data split"} <= {path for path, _, _ in found}
    for path, command, context in found:
        assert f"\n{path}\n" in f"\n{reference}"
        section = reference.partition(f".. program:: {path}\n")[2].partition(".. program::")[0]
        for parameter in command.get_params(context):
            if not getattr(parameter, "hidden", False) and parameter.name != "help":
                is_option = parameter.opts[0].startswith("-")
                name = parameter.opts[0] if is_option else parameter.metavar or parameter.name.upper()
                assert re.search(rf"^\.\. option:: .*{re.escape(name)}", section, re.M), (path, name)
    assert "{models}" not in reference
    assert "br, pcc, crf" in reference


def test_links_of_pages_lead_to_the_same_page_on_the_site() -> None:
    text = (
        "[a](../CONTRIBUTING.md#conventions) [b](tuning.md) [c](../README.md) [d](https://example.org/a.md) [e](#top)"
    )
    page = DOCS / "design.md"
    expected = "[a](contributing.md#conventions) [b](tuning.md) [c](index.md) [d](https://example.org/a.md) [e](#top)"
    assert rewrite_links(text, page, page) == expected
    changes = rewrite_links(
        "[a](docs/tuning.md) [b](CONTRIBUTING.md)", REPOSITORY / "CHANGELOG.md", DOCS / "changelog.md"
    )
    assert changes == "[a](tuning.md) [b](contributing.md)"


def test_bars_are_escaped_except_in_literal_text() -> None:
    lines = ["p(|y| = s), ``|y|``, as in::", "", "    |w|_1", "", "and |y|", ">>> a | b"]
    assert escape_bars(lines) == ["p(\\|y\\| = s), ``|y|``, as in::", "", "    |w|_1", "", "and \\|y\\|", ">>> a | b"]


GOOD = (
    '<h1 id="top">A</h1><a href="b.html#there">b</a><img src="a.png"><a href="https://example.org">c</a>'
    '<a href="#top">d</a>'
)


def write_site(folder: Path, page: str, style: str = "p { background: url(../a.png) }") -> None:
    (folder / "static").mkdir()
    (folder / "a.png").touch()
    (folder / "index.html").write_text(page, encoding="utf-8")
    (folder / "b.html").write_text('<p id="there">', encoding="utf-8")
    (folder / "static" / "style.css").write_text(style, encoding="utf-8")


def test_a_good_site_has_no_problem(tmp_path: Path) -> None:
    write_site(tmp_path, GOOD)
    assert check_site(tmp_path) == (2, [])


@pytest.mark.parametrize(
    ("page", "problem"),
    [
        ('<a href="c.html">', "index.html: c.html leads to no file."),
        ('<a href="b.html#here">', "index.html: b.html#here leads to no target in b.html."),
        ('<a href="/b.html">', "index.html: /b.html begins with a slash, and works only at the top of a host."),
        ('<img src="c.png">', "index.html: c.png leads to no file."),
        ('<img srcset="a.png 1x, c.png 2x">', "index.html: c.png leads to no file."),
        ('<script src="https://cdn.example/a.js">', "index.html loads https://cdn.example/a.js from another site."),
        ('<script src="//cdn.example/a.js">', "index.html loads //cdn.example/a.js from another site."),
        ('<link rel="stylesheet" href="http://a.example/b">', "index.html loads http://a.example/b from another site."),
        ("<style>@import 'https://a.example/b'</style>", "index.html loads https://a.example/b from another site."),
        ('<p style="background: url(c.png)">', "index.html: c.png leads to no file."),
    ],
)
def test_what_is_broken_is_found(page: str, problem: str, tmp_path: Path) -> None:
    write_site(tmp_path, page)
    assert check_site(tmp_path) == (2, [problem])


def test_style_sheets_are_read_too(tmp_path: Path) -> None:
    write_site(tmp_path, GOOD, "p { background: url('https://a.example/b.woff') } q { background: url(c.png) }")
    assert check_site(tmp_path)[1] == [
        "static/style.css loads https://a.example/b.woff from another site.",
        "static/style.css: c.png leads to no file.",
    ]


@pytest.mark.parametrize("example", [path for path in EXAMPLES if path.stem in QUICK], ids=lambda path: path.stem)
def test_quick_examples_of_the_gallery_run(example: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run_example(example)
    assert capsys.readouterr().out


@pytest.mark.slow
@pytest.mark.parametrize("example", [path for path in EXAMPLES if path.stem not in QUICK], ids=lambda path: path.stem)
def test_examples_of_the_gallery_run(example: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run_example(example)
    assert capsys.readouterr().out


def run_example(example: Path) -> None:
    mpl.use("agg")
    figures = runpy.run_path(str(example))
    assert "figure" in figures
    figures["plt"].close("all")


def test_the_gallery_has_a_title_per_example() -> None:
    assert 5 <= len(EXAMPLES) <= 8
    for example in EXAMPLES:
        _, title, line, *_ = example.read_text(encoding="utf-8").splitlines()
        assert line == "=" * len(title), example.name


def test_the_picture_of_the_first_page_shows_what_was_found() -> None:
    found = Comparison(
        "a.b", "A text < & that is long. " * 6, ("a", "b & c"), ("a", "x"), ("a", "b & c"), 0.5, 1.0, 0.6, 0.7, 1234
    )
    picture = draw(found)
    root = ElementTree.fromstring(picture)
    words = [element.text for element in root.iter("{http://www.w3.org/2000/svg}text")]
    for text in ("F1 50 %", "F1 100 %", "b & c", "✗ x", "? b & c", "60.0 %", "70.0 %"):
        assert text in words
    assert any("1,234 held-out" in text for text in words if text)
    assert any(text.startswith("+10.0 points") for text in words if text)


def test_the_picture_of_the_first_page_is_small_and_readable() -> None:
    text = (REPOSITORY / FILE).read_text(encoding="utf-8")
    assert len(text) < 20_000
    assert ElementTree.fromstring(text).attrib["role"] == "img"


def test_figures_of_the_comparison_are_those_of_the_page_that_it_names() -> None:
    quoted = re.findall(r"\d+\.\d %", (DOCS / "comparison.md").read_text(encoding="utf-8"))
    assert quoted
    assert all(figure in (DOCS / "prediction.md").read_text(encoding="utf-8") for figure in quoted)
