"""URLs, import maps, and modules that differ in their specifiers only."""

import json

import pytest

from harness.resources.import_map import ImportMap, parse_import_map, resolve
from harness.resources.specifiers import compare_but_for_specifiers
from harness.resources.urls import decoded_path, join

BASE = "http://h.test:8080/app/main.js"


@pytest.mark.parametrize(
    ("target", "url"),
    [
        ("./a.js", "http://h.test:8080/app/a.js"),
        ("../a.js?v=1#x", "http://h.test:8080/a.js?v=1"),
        ("/a b.js", "http://h.test:8080/a%20b.js"),
        ("//other.test/x", "http://other.test/x"),
        ("  a\n.js ", "http://h.test:8080/app/a.js"),
        ("..\\a.js", "http://h.test:8080/a.js"),
        ("?q", "http://h.test:8080/app/main.js?q"),
        ("http://h.test:80/x", "http://h.test/x"),
        ("data:text/css,a", None),
        ("http://[bad", None),
    ],
)
def test_urls_are_joined_as_a_browser_does(target: str, url: str | None) -> None:
    assert join(BASE, target) == url


def test_a_path_is_decoded_once() -> None:
    assert decoded_path("http://h/%2561%20b") == "/%61 b"
    assert decoded_path("http://h/%00") is None
    assert decoded_path("http://h/%ff") is None


def parsed(**table: object) -> ImportMap:
    """Return the map of a page at /app/, which must be without problems."""
    found, problems = parse_import_map(json.dumps(table).encode(), "http://h.test:8080/app/")
    assert problems == []
    return found


@pytest.mark.parametrize(
    ("specifier", "url"),
    [
        ("react", "http://h.test:8080/v/react.js"),
        ("lib/deep/x.js", "http://h.test:8080/v/lib/deep/x.js"),
        ("lib/special/x.js", "http://h.test:8080/s/x.js"),
        ("lib/../../out.js", None),
        ("unknown", None),
        ("./a.js", "http://h.test:8080/app/a.js"),
        ("./old.js", "http://h.test:8080/app/new.js"),
        ("https://cdn.test/x.js", "https://cdn.test/x.js"),
    ],
)
def test_an_import_map_resolves(specifier: str, url: str | None) -> None:
    maps = parsed(
        imports={
            "react": "/v/react.js",
            "lib/": "/v/lib/",
            "lib/special/": "/s/",
            "./old.js": "./new.js",
        }
    )
    assert resolve(specifier, BASE, maps) == url


def test_the_narrowest_scope_wins_and_falls_back() -> None:
    maps = parsed(
        imports={"a": "/top.js", "b": "/b.js"},
        scopes={"/app/": {"a": "/app-a.js"}, "/app/deep/": {"a": "/deep-a.js"}},
    )
    assert resolve("a", "http://h.test:8080/app/deep/x.js", maps) == "http://h.test:8080/deep-a.js"
    assert resolve("a", BASE, maps) == "http://h.test:8080/app-a.js"
    assert resolve("a", "http://h.test:8080/other.js", maps) == "http://h.test:8080/top.js"
    assert resolve("b", BASE, maps) == "http://h.test:8080/b.js"


def test_a_second_map_adds_and_does_not_replace() -> None:
    merged = parsed(imports={"a": "/1.js"}).merged_with(
        parsed(imports={"a": "/2.js", "b": "/3.js"})
    )
    assert resolve("a", BASE, merged) == "http://h.test:8080/1.js"
    assert resolve("b", BASE, merged) == "http://h.test:8080/3.js"


@pytest.mark.parametrize(
    ("source", "words"),
    [
        (b"{", "no JSON"),
        (b"[]", "no object"),
        (b'{"imports": []}', "are objects"),
        (b'{"imports": {"a": "bare"}}', "no URL"),
        (b'{"imports": {"a/": "/b"}}', "does not end with '/'"),
        (b'{"scopes": {"/x/": 1}}', "no object"),
    ],
)
def test_what_is_wrong_with_a_map_is_said(source: bytes, words: str) -> None:
    _, problems = parse_import_map(source, BASE)
    assert len(problems) == 1
    assert words in problems[0]


def test_a_null_entry_blocks() -> None:
    maps, _ = parse_import_map(b'{"imports": {"a": null, "b/": null}}', BASE)
    assert resolve("a", BASE, maps) is None
    assert resolve("b/c", BASE, maps) is None


def test_modules_that_differ_in_specifiers_only() -> None:
    found = compare_but_for_specifiers(
        b"import a from 'a';\nexport * from './b.js'\nimport('c')\nconst x = 'a'",
        b"import a from '/v/a.js?t=1';\nexport * from './b.js'\nimport(\"/v/c.js\")\nconst x = 'a'",
    )
    assert found.difference is None
    assert found.rewritten == (("a", "/v/a.js?t=1"), ("c", "/v/c.js"))


@pytest.mark.parametrize(
    ("disk", "served", "texts"),
    [
        (b"const x = 1", b"const x = 2", ("1", "2")),
        (b"const x = 'a'", b"const x = 'b'", ("'a'", "'b'")),
        (b"a()", b"a(); b()", ("", ";")),
        (b"import 'a'; a()", b"import 'b'", (";", "")),
        (b"// one\n", b"// two\n", ("// one", "// two")),
        (b"f('a')", b"f('b')", ("'a'", "'b'")),
        (b"`a${x}`", b"`b${x}`", ("a", "b")),
    ],
)
def test_any_other_difference_is_found(disk: bytes, served: bytes, texts: tuple[str, str]) -> None:
    found = compare_but_for_specifiers(disk, served)
    assert found.difference is not None
    assert tuple(token.text for token in found.difference) == texts
