"""The line of a key, however the document spells it."""

import pytest

from harness.config.lines import line_of

ZYGOTE = ("tool", "harness", "zygote")


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("[tool.harness]\n\nzygote = true", 3),
        ("a = 1\ntool.harness.zygote = true", 2),
        ("[tool]\nharness.zygote = true", 2),
        ("[tool]\nx = 1\nharness = { zygote = true }", 3),
        ("tool = { harness = { zygote = true } }", 1),
        ("[ tool . \"harness\" ]\n'zygote' = true", 2),
        ('[tool.harness]\n"zyg\\u006fte" = true', 2),
        ("[tool.harness]\n# zygote = 1\n  zygote = true", 3),
        ("[tool.harness.zygote]\na = 1", 1),
        ("[tool.harness.zygote.deep]\na = 1", 1),
        ("[[tool.harness.zygote]]\na = 1", 1),
        ("[tool.other]\nzygote = 1\n[tool.harness]\nzygote = true", 4),
        ("zygote = 1\n[tool.harness]\nzygote = true", 3),
        ('[tool.harness]\na = """\nzygote = 1\n"""\nzygote = true', 5),
        ("[tool.harness]\na = '''\nzygote = 1\n'''\nzygote = true", 5),
        ('[tool.harness]\na = """x"""""\nzygote = true', 3),
        ('[tool.harness]\na = "\\"["\nzygote = true', 3),
        ("[tool.harness]\na = [\n  'zygote = 1', # ]\n  [2],\n]\nzygote = true", 6),
        ('[tool.harness]\na = ["""x"""", """\ny\n"""]\nzygote = true\nb = """z"""', 5),
        ("[tool.harness] # zygote = 1\nzygote = true", 2),
    ],
)
def test_the_statement_that_sets_the_key_is_found(text: str, line: int) -> None:
    assert line_of(text, ZYGOTE) == line


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[tool.harness]\nzygotes = true",
        "[tool]\nzygote = true",
        "[tool.harness]\n# zygote = true",
        "[tool.harness]\na = '''\nzygote = 1\n'''",
    ],
)
def test_a_key_that_no_statement_sets_has_no_line(text: str) -> None:
    assert line_of(text, ZYGOTE) is None
