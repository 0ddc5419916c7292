"""The page's files refer to each other, to nothing else, and hold nothing inline."""

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from harness.demo.app import STATIC_FOLDER

REFERENCES = (
    re.compile(r"""\b(?:from|import)\s*\(?\s*["']([^"']+)["']"""),
    re.compile(r"""new URL\(["']([^"']+)["'], import\.meta\.url\)"""),
    re.compile(r"""url\(["']?([^"')]+)["']?\)"""),
    re.compile(r"""(?:src|href)=["']/static/([^"']+)["']"""),
)


class Page(HTMLParser):
    """What index.html holds: its tags, and the text inside script and style."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.inline: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        if self.tags and self.tags[-1][0] in ("script", "style") and data.strip():
            self.inline.append(data)


@pytest.fixture
def page() -> Page:
    page = Page()
    page.feed((STATIC_FOLDER / "index.html").read_text(encoding="utf-8"))
    return page


def references(name: str) -> set[str]:
    text = (STATIC_FOLDER / name).read_text(encoding="utf-8")
    found = {match for pattern in REFERENCES for match in pattern.findall(text)}
    return {reference.removeprefix("./") for reference in found}


def test_every_file_is_reached_from_the_page_and_every_reference_exists() -> None:
    reached, waiting = {"index.html"}, ["index.html"]
    while waiting:
        new = references(waiting.pop()) - reached
        reached |= new
        waiting += new
    assert reached == {path.name for path in STATIC_FOLDER.iterdir()}


def test_the_page_is_made_of_the_kinds_of_module_that_a_harness_must_see() -> None:
    assert references("main.js") == {
        "trusted.js", "api.js", "files.js", "units.js", "worker.js", "lazy.js",
    }  # fmt: skip
    main = (STATIC_FOLDER / "main.js").read_text()
    assert 'new Worker(new URL("./worker.js", import.meta.url), { type: "module" })' in main
    assert 'await import("./lazy.js")' in main
    assert references("worker.js") == {"sum.js"}
    assert references("style.css") == {"theme.css", "mark.svg"}


def test_the_page_has_no_inline_script_or_style(page: Page) -> None:
    assert page.inline == []
    assert [attributes for tag, attributes in page.tags if tag == "style"] == []
    scripts = [attributes for tag, attributes in page.tags if tag == "script"]
    assert scripts == [{"type": "module", "src": "/static/main.js"}]


def test_no_element_has_a_handler_a_style_or_a_script_address(page: Page) -> None:
    attributes = [(tag, name, value) for tag, each in page.tags for name, value in each.items()]
    assert [one for one in attributes if one[1].startswith("on") or one[1] == "style"] == []
    assert [one for one in attributes if (one[2] or "").lower().startswith("javascript:")] == []


def test_every_field_has_a_label(page: Page) -> None:
    labelled = {attributes.get("for") for tag, attributes in page.tags if tag == "label"}
    fields = {attributes.get("id") for tag, attributes in page.tags if tag == "input"}
    assert fields == {"utterance"}
    assert fields <= labelled


@pytest.mark.parametrize("path", sorted(STATIC_FOLDER.iterdir()), ids=lambda path: path.name)
def test_no_file_names_a_foreign_host(path: Path) -> None:
    text = path.read_text(encoding="utf-8").replace('xmlns="http://www.w3.org/2000/svg"', "")
    assert re.findall(r"(?:https?:)?//[\w.-]+\.\w+", text) == []
