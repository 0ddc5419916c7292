"""The facts of a source are what its syntax tree says, and nothing that is merely mentioned."""

from textwrap import dedent

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.plan.facts import Import, SourceFacts
from harness.plan.source_facts import facts_of


def facts(text: str) -> SourceFacts:
    return facts_of(dedent(text).encode())


def test_imports_have_their_bound_name_and_their_dotted_target() -> None:
    found = facts("""
        import http.server
        import os as system
        from playwright.sync_api import Page, sync_playwright as start
        from . import sibling
        from ..lib.http import get
        from tests.lib import *
    """)
    assert found.imports == (
        Import("http.server", "http.server"),
        Import("system", "os"),
        Import("Page", "playwright.sync_api.Page"),
        Import("start", "playwright.sync_api.sync_playwright"),
        Import("sibling", ".sibling"),
        Import("get", "..lib.http.get"),
        Import("*", "tests.lib"),
    )


def test_what_only_type_checkers_import_is_no_import() -> None:
    found = facts("""
        from typing import TYPE_CHECKING
        if TYPE_CHECKING:
            import http.server
        else:
            import json
    """)
    assert [entry.target for entry in found.imports] == ["typing.TYPE_CHECKING", "json"]


def test_a_mention_in_a_comment_or_a_string_is_nothing() -> None:
    found = facts('''
        """import http.server, getfixturevalue("page"), run(["gunicorn"])"""
        # import selenium
        def test_it():
            text = "import uvicorn; page; subprocess.run(['gunicorn'])"
            print("gunicorn app")
    ''')
    [function] = found.functions
    assert found.imports == ()
    assert function.code.imports == ()
    assert function.code.commands == ()
    assert function.code.requests == ()


def test_fixtures_have_the_name_under_which_they_are_asked_for() -> None:
    found = facts("""
        import pytest, pytest_asyncio
        from pytest import fixture as fx
        @pytest.fixture
        def plain(page): ...
        @pytest.fixture(name="other", autouse=True)
        def renamed(request, *, key, default=1): ...
        @fx(scope="session", autouse=False)
        async def of_alias(): ...
        @pytest_asyncio.fixture()
        async def of_plugin(): ...
        def test_it(): ...
    """)
    assert [(f.name, f.fixture, f.autouse, f.arguments) for f in found.functions] == [
        ("plain", "plain", False, ("page",)),
        ("renamed", "other", True, ("request", "key")),
        ("of_alias", "of_alias", False, ()),
        ("of_plugin", "of_plugin", False, ()),
        ("test_it", None, False, ()),
    ]


def test_parametrize_gives_its_names_directly_unless_they_are_indirect() -> None:
    found = facts("""
        import pytest
        @pytest.mark.parametrize("a, b", [])
        @pytest.mark.parametrize(["c", "d"], [], indirect=["d"])
        @pytest.mark.parametrize(("e",), [], indirect=True)
        @pytest.mark.parametrize(argnames="f", argvalues=[])
        def test_it(a, b, c, d, e, f): ...
    """)
    assert sorted(found.functions[0].marks.parameters) == ["a", "b", "c", "f"]


def test_marks_are_found_wherever_they_are_written() -> None:
    found = facts("""
        import pytest
        from pytest import mark
        pytestmark = [pytest.mark.server, mark.usefixtures("of_module")]
        slow_page = pytest.mark.browser
        @mark.unit
        @mark.usefixtures("a", "b")
        def test_function(): ...
        @slow_page
        def test_alias(): ...
        class TestIt:
            pytestmark = mark.browser
            def test_method(self): ...
        @pytest.mark.parametrize("x", [1, pytest.param(2, marks=pytest.mark.browser)])
        def test_parameter(x): ...
    """)
    assert found.marks.lanes == ("server",)
    assert found.marks.fixtures == ("of_module",)
    marks = {function.name: function.marks for function in found.functions}
    assert marks["test_function"].lanes == ("unit",)
    assert sorted(marks["test_function"].fixtures) == ["a", "b"]
    assert marks["test_alias"].lanes == ("browser",)
    assert marks["test_parameter"].lanes == ("browser",)
    assert found.classes[0].marks.lanes == ("browser",)


def test_commands_are_literal_words_of_a_call() -> None:
    found = facts("""
        import subprocess, sys, os
        SERVER = ["/usr/bin/gunicorn", "app:app"]
        def test_it(serve, name):
            subprocess.run(["npm", "run", "dev", "--", "--port"])
            subprocess.Popen(SERVER)
            os.system("caddy run --config x")
            serve(command=[sys.executable, "-m", "uvicorn", "app:app"])
            run([name, "x"])
            print("nginx")
    """)
    assert sorted(found.functions[0].code.commands) == [
        ("caddy", "run", "--config", "x"),
        ("gunicorn", "app:app"),
        ("npm", "run", "dev", "--"),
        ("uvicorn", "app:app"),
    ]


def test_fixtures_and_modules_that_are_asked_for_by_a_literal_name_count() -> None:
    found = facts("""
        import pytest
        def test_it(request):
            request.getfixturevalue("page")
            pytest.importorskip("selenium")
    """)
    [function] = found.functions
    assert function.code.requests == ("page",)
    assert [entry.target for entry in function.code.imports] == ["selenium"]


def test_methods_lose_their_first_argument_and_classes_name_their_bases() -> None:
    found = facts("""
        import unittest
        class TestCaseOfMine(unittest.TestCase, Base):
            def test_it(self): ...
            @staticmethod
            def test_static(page): ...
            class Inner:
                def test_in(self, page): ...
    """)
    [one] = found.classes
    assert one.bases == ("unittest.TestCase", "Base")
    assert [function.arguments for function in one.functions] == [(), ("page",)]
    assert one.classes[0].functions[0].arguments == ("page",)


def test_plugins_and_ignored_paths_are_read_from_literals() -> None:
    found = facts("""
        pytest_plugins = ["a.b"]
        pytest_plugins += ("c",)
        collect_ignore = ["old.py"]
        collect_ignore_glob = ["gen_*"]
    """)
    assert set(found.plugins) >= {"a.b", "c"}
    assert found.ignored == ("old.py",)
    assert found.ignored_globs == ("gen_*",)


@pytest.mark.parametrize(
    ("source", "line"),
    [
        (b"def broken(:\n", 1),
        (b"x = 1\nif:\n", 2),
        (b"a\0b", None),
        (b"# coding: nonsense\n", None),
    ],
)
def test_a_source_that_cannot_be_parsed_is_a_fact(source: bytes, line: int | None) -> None:
    found = facts_of(source)
    assert found.error
    assert line is None or found.line == line


@given(st.binary(max_size=200))
def test_no_bytes_raise(source: bytes) -> None:
    assert isinstance(facts_of(source), SourceFacts)


@given(st.from_regex(r"(def test_[a-z]{1,5}\([a-z]{1,5}\): pass\n){0,4}", fullmatch=True))
def test_facts_survive_being_stored(text: str) -> None:
    found = facts_of(text.encode())
    data = msgspec.msgpack.encode(found)
    assert msgspec.msgpack.decode(data, type=SourceFacts) == found
