"""The files of the page, without a browser: nothing inline or from elsewhere, no text as HTML, nothing missing."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from importlib.resources import files

import pytest

PAGE = {file.name: file.read_text(encoding="utf-8") for file in files("setwise").joinpath("serve/page").iterdir()}
SCRIPTS = sorted(name for name in PAGE if name.endswith(".js"))


class Elements(HTMLParser):
    """The attributes of all elements, the ids, and the text within scripts and styles."""

    def __init__(self) -> None:
        super().__init__()
        self.attributes: list[tuple[str, str, str]] = []
        self.ids: list[str] = []
        self.code = ""
        self._tag = ""
        self.feed(PAGE["index.html"])

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._tag = tag
        self.attributes += [(tag, name, value or "") for name, value in attrs]
        self.ids += [value or "" for name, value in attrs if name == "id"]

    def handle_data(self, data: str) -> None:
        if self._tag in ("script", "style"):
            self.code += data.strip()


def test_the_installed_package_has_the_page() -> None:
    assert {"index.html", "page.css", "page.js", "icon.svg"} <= PAGE.keys()


def test_nothing_is_inline() -> None:
    elements = Elements()
    assert elements.code == ""
    assert [one for one in elements.attributes if one[1] == "style" or one[1].startswith("on")] == []


def test_everything_comes_from_the_service_itself() -> None:
    loaded = [value for _, name, value in Elements().attributes if name in ("src", "href")]
    assert {value for value in loaded if not value.startswith("#")} - {"openapi.json"} <= PAGE.keys()
    for name, content in PAGE.items():
        links = set(re.findall(r"(?:https?:)?//[\w.]+\.\w+", content)) - {"http://www.w3.org"}  # names a format in svg
        assert links == set(), name
        assert "@import" not in content


@pytest.mark.parametrize("name", SCRIPTS)
def test_text_never_becomes_html_or_code(name: str) -> None:
    unsafe = r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|setAttribute\(\"on|srcdoc"
    assert re.findall(unsafe, PAGE[name]) == []


@pytest.mark.parametrize("name", SCRIPTS)
def test_imports_and_elements_exist(name: str) -> None:
    for names, module in re.findall(r'^import \{([^}]*)\} from "\./([^"]+)";$', PAGE[name], re.MULTILINE):
        for imported in names.split(","):
            exported = rf"^export (?:async )?(?:function\*?|class|const) {imported.strip()}\b"
            assert re.search(exported, PAGE[module], re.MULTILINE), (module, imported)
    ids = set(Elements().ids)
    assert set(re.findall(r'byId\("([^"]+)"\)', PAGE[name])) <= ids


def test_ids_are_unique_and_labels_point_at_them() -> None:
    elements = Elements()
    assert len(elements.ids) == len(set(elements.ids))
    references = ("for", "aria-labelledby", "aria-describedby", "aria-controls")
    pointed = {value for _, name, value in elements.attributes if name in references}
    assert pointed <= set(elements.ids)
