"""`[tool.harness]` becomes a Config, or every problem at once."""

import dataclasses
import pickle
from pathlib import Path

import pytest

from harness.config import Config, ConfigError, Problem, load, parse
from harness.errors import ExitCode


def problems_of(text: str) -> tuple[Problem, ...]:
    with pytest.raises(ConfigError) as caught:
        parse(text, "pyproject.toml")
    return caught.value.problems


def test_every_key_can_be_set() -> None:
    text = """
        [tool.harness]
        browser_start_seconds = 60
        server_start_seconds = 2.5
        browser_args = ["--lang=de", "-v"]
        zygote = false
        private_home = true
        pass_environment = ["DATABASE_URL"]
        max_browsers = 3
        leaks = "warn"
        exit_grace_seconds = 9
        isolated = { "t/test_a.py" = "needs the sound card" }
        locks = { "t/test_a.py" = ["port 25"] }
        budgets = { unit = 30, "t/test_a.py" = 90 }
        allowed_skips = { "reason:no GPU*" = "no machine of ours has one" }
        commands = { gunicorn = "server" }
    """

    assert parse(text, "pyproject.toml") == Config(
        browser_start_seconds=60.0,
        server_start_seconds=2.5,
        browser_args=("--lang=de", "-v"),
        zygote=False,
        private_home=True,
        pass_environment=("DATABASE_URL",),
        max_browsers=3,
        leaks="warn",
        exit_grace_seconds=9.0,
        isolated={"t/test_a.py": "needs the sound card"},
        locks={"t/test_a.py": ("port 25",)},
        budgets={"unit": 30.0, "t/test_a.py": 90.0},
        allowed_skips={"reason:no GPU*": "no machine of ours has one"},
        commands={"gunicorn": "server"},
    )


def test_the_defaults_are_those_of_the_design() -> None:
    assert Config() == Config(
        browser_start_seconds=30.0,
        server_start_seconds=15.0,
        browser_args=(),
        zygote=True,
        private_home=False,
        pass_environment=(),
        max_browsers=None,
        isolated={},
        locks={},
        budgets={},
        allowed_skips={},
        commands={},
        leaks="fail",
        exit_grace_seconds=5.0,
    )


@pytest.mark.parametrize(
    "text", ["", "[tool.other]\nzygote = 3", "[tool.harness]", "[harness]\na=1"]
)
def test_a_file_without_the_table_gives_the_defaults(text: str) -> None:
    assert parse(text, "pyproject.toml") == Config()


def test_a_whole_number_of_seconds_is_read_as_a_float() -> None:
    config = parse("tool.harness.browser_start_seconds = 60", "pyproject.toml")

    assert isinstance(config.browser_start_seconds, float)


def test_a_config_cannot_be_changed() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        Config().zygote = False  # type: ignore[misc]


def test_every_problem_is_reported_at_once_and_in_file_order() -> None:
    text = """[tool.harness]
zygote = "yes"
browser_arg = ["--lang=de"]
server_start_seconds = 0
browser_args = ["lang=de", "--single-process"]
"""

    assert [(p.key, p.line) for p in problems_of(text)] == [
        ("tool.harness.zygote", 2),
        ("tool.harness.browser_arg", 3),
        ("tool.harness.server_start_seconds", 4),
        ("tool.harness.browser_args", 5),
        ("tool.harness.browser_args", 5),
    ]


def test_an_error_is_a_usage_error_and_prints_one_line_for_each_problem() -> None:
    with pytest.raises(ConfigError) as caught:
        parse("[tool.harness]\nzygote = 1\nprivate_home = 0\n", "p.toml")

    assert caught.value.exit_code is ExitCode.USAGE
    assert str(caught.value).splitlines() == [
        "p.toml:2: tool.harness.zygote: expected true or false, found the integer 1",
        "p.toml:3: tool.harness.private_home: expected true or false, found the integer 0",
    ]


def test_an_error_survives_the_way_to_another_process() -> None:
    error = ConfigError([Problem(key="tool.harness.zygote", file="f", line=2, message="m")])

    assert pickle.loads(pickle.dumps(error)).problems == error.problems


def test_a_problem_without_a_line_names_the_file_alone() -> None:
    assert str(Problem(key="", file="f.toml", line=None, message="cannot be read")) == (
        "f.toml: cannot be read"
    )


def test_an_unknown_key_names_the_closest_known_one() -> None:
    [problem] = problems_of("[tool.harness]\nbrowser_start_second = 3")

    assert problem.message == "unknown key; did you mean tool.harness.browser_start_seconds?"


def test_an_unknown_key_that_resembles_none_lists_the_known_ones() -> None:
    [problem] = problems_of("[tool.harness]\nqqq = 3")

    assert problem.message == (
        "unknown key; expected one of browser_start_seconds, server_start_seconds, browser_args, "
        "zygote, private_home, pass_environment, max_browsers, isolated, locks, budgets, "
        "allowed_skips, commands, leaks, exit_grace_seconds, accept"
    )


@pytest.mark.parametrize(
    ("text", "key", "message"),
    [
        ("tool = 3", "tool", "expected a table, found the integer 3"),
        ("[tool]\nharness = true", "tool.harness", "expected a table, found the boolean true"),
        ("[[tool.harness]]\na = 1", "tool.harness", "expected a table, found an array of 1"),
    ],
)
def test_something_else_in_the_place_of_the_table_is_one_problem(
    text: str, key: str, message: str
) -> None:
    [problem] = problems_of(text)

    assert (problem.key, problem.message) == (key, message)


def test_invalid_toml_is_one_problem_with_the_line_and_column() -> None:
    [problem] = problems_of("[tool.harness]\nzygote = maybe\n")

    assert (problem.key, problem.line) == ("", 2)
    assert problem.message == "expected TOML: Invalid value (at line 2, column 10)"


def test_toml_that_stops_too_early_has_the_last_line() -> None:
    [problem] = problems_of("[tool.harness]\nbrowser_args = [\n")

    assert problem.line == 3


@pytest.mark.parametrize("value", ["9" * 5000, "[" * 5000 + "]" * 5000])
def test_what_python_refuses_to_read_is_one_problem(value: str) -> None:
    [problem] = problems_of(f"[tool.harness]\nzygote = {value}\n")

    assert problem.message.startswith("expected TOML within Python's limits: ")


def test_a_missing_file_gives_the_defaults(tmp_path: Path) -> None:
    assert load(tmp_path) == Config()


def test_the_file_of_the_project_is_read(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_bytes(b"[tool.harness]\r\nzygote = false\r\n")

    assert load(tmp_path) == Config(zygote=False)


def test_a_problem_names_the_file_that_was_read(tmp_path: Path) -> None:
    path = tmp_path / "pyproject.toml"
    path.write_bytes(b"[tool.harness]\r\n\r\nzygote = 1\r\n")

    with pytest.raises(ConfigError) as caught:
        load(tmp_path)

    assert [(p.file, p.line) for p in caught.value.problems] == [(str(path), 3)]


def test_a_file_that_is_not_utf8_is_one_problem_with_its_line(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_bytes(b"[tool]\nname = '\xff'\n")

    with pytest.raises(ConfigError) as caught:
        load(tmp_path)

    assert [(p.line, p.message) for p in caught.value.problems] == [
        (2, "expected UTF-8, found byte 0xff")
    ]


def test_a_folder_in_the_place_of_the_file_is_one_problem(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").mkdir()

    with pytest.raises(ConfigError) as caught:
        load(tmp_path)

    assert [(p.line, p.message) for p in caught.value.problems] == [
        (None, "cannot be read: Is a directory")
    ]
