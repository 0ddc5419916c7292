"""What each kind of key accepts, and what it says about the rest."""

from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.config import KEYS, Config, ConfigError, parse

SECONDS = "expected a finite number of seconds greater than 0, found "


def messages(key: str, value: str) -> list[str]:
    with pytest.raises(ConfigError) as caught:
        parse(f"[tool.harness]\n{key} = {value}\n", "pyproject.toml")
    return [problem.message for problem in caught.value.problems]


@pytest.mark.parametrize("key", ["browser_start_seconds", "server_start_seconds"])
@pytest.mark.parametrize(
    ("value", "found"),
    [
        ("0", "the integer 0"),
        ("-1.5", "the float -1.5"),
        ("true", "the boolean true"),
        ("inf", "the float inf"),
        ("nan", "the float nan"),
        ('"30"', "the string '30'"),
        ("[30]", "an array of 1"),
        ("{ a = 1 }", "a table"),
        ("2026-01-01", "the date 2026-01-01"),
        ("0x" + "f" * 400, "an integer of 1600 bits"),
    ],
)
def test_seconds_are_a_finite_number_above_zero(key: str, value: str, found: str) -> None:
    assert messages(key, value) == [SECONDS + found]


@pytest.mark.parametrize("key", ["zygote", "private_home"])
@pytest.mark.parametrize("value", ["1", '"true"', "[]"])
def test_a_switch_is_true_or_false_and_nothing_else(key: str, value: str) -> None:
    [message] = messages(key, value)

    assert message.startswith("expected true or false, found ")


@pytest.mark.parametrize(
    ("value", "found"),
    [
        ("0", "the integer 0"),
        ("-1", "the integer -1"),
        ("2.0", "the float 2.0"),
        ("true", "the boolean true"),
        ('"2"', "the string '2'"),
        ('"none"', "the string 'none'"),
    ],
)
def test_a_count_is_a_whole_number_from_one(value: str, found: str) -> None:
    assert messages("max_browsers", value) == [f"expected a whole number from 1, found {found}"]


@pytest.mark.parametrize("key", ["browser_args", "pass_environment"])
def test_a_list_of_strings_is_not_one_string(key: str) -> None:
    [message] = messages(key, '"--lang=de"')

    assert message.startswith("expected an array of strings, each ")
    assert message.endswith(", found the string '--lang=de'")


SWITCH = "expected a Chromium switch such as '--lang=de', found the string "


@pytest.mark.parametrize(
    ("argument", "reason"),
    [
        ("lang=de", "it does not start with '-'"),
        ("", "it does not start with '-'"),
        ("--", "it names no switch"),
        ("--lang\\u0000", "a NUL cannot be handed to a process"),
        (
            "--user-data-dir=/tmp/x",
            "the harness owns the profile: each browser has its own, removed with it",
        ),
        ("--remote-debugging-port=0", "the harness owns the endpoint: a chosen port is a race"),
        (
            "--remote-debugging-pipe",
            "the harness owns the pipe: it ends the browser when its owner dies",
        ),
        ("-single-process", "it is forbidden: a renderer crash would take the browser with it"),
        (
            "--disable-crashpad-for-testing ",
            "it is forbidden: a crash would leave no evidence",
        ),
    ],
)
def test_a_browser_argument_that_is_refused_says_why(argument: str, reason: str) -> None:
    [message] = messages("browser_args", f'["--lang=de", "{argument}"]')

    assert message.startswith("entry 2: " + SWITCH)
    assert message.endswith(": " + reason)


def test_a_switch_that_only_begins_like_a_refused_one_is_accepted() -> None:
    text = 'tool.harness.browser_args = ["--remote-debugging-port-x=1"]'

    assert parse(text, "f").browser_args == ("--remote-debugging-port-x=1",)


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("", "a name has at least one character"),
        ("A=1", "a name holds no '='; the value comes from the shell"),
        ("A\\u0000", "a NUL cannot be handed to a process"),
    ],
)
def test_an_environment_variable_is_named_and_not_set(name: str, reason: str) -> None:
    [message] = messages("pass_environment", f'["{name}"]')

    assert message.startswith("entry 1: expected the name of an environment variable, found ")
    assert message.endswith(": " + reason)


def test_every_faulty_entry_of_a_list_is_reported() -> None:
    assert messages("pass_environment", '[1, "HOME", false]') == [
        "entry 1: expected the name of an environment variable, found the integer 1",
        "entry 3: expected the name of an environment variable, found the boolean false",
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("leaks = 'ignore'", 'expected "fail" or "warn", found the string \'ignore\''),
        ("isolated = ['a']", "expected a table of a test file = a reason in words, found an array"),
        ("isolated.'a.py' = ' '", "expected a reason in words, found the string ' '"),
        ("locks.'../a.py' = []", "expected the path of a test file, relative to this file"),
        ("locks.'a.py' = ['']", "entry 1: expected the name of a lock"),
        ("budgets.'a.py' = 0", "expected a finite number of seconds greater than 0"),
        ("commands.npm = 'gpu'", 'expected "unit" or "server" or "browser"'),
    ],
)
def test_a_table_about_files_says_what_is_wrong_with_an_entry(text: str, message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        parse(f"[tool.harness]\n{text}", "pyproject.toml")
    [problem] = caught.value.problems
    assert message in problem.message
    assert problem.line == 2


def test_every_faulty_entry_of_a_table_has_its_own_line() -> None:
    text = "[tool.harness.budgets]\nunit = 0\nserver = 5\n'a.py' = -1\n"
    with pytest.raises(ConfigError) as caught:
        parse(text, "pyproject.toml")
    assert [(one.key, one.line) for one in caught.value.problems] == [
        ("tool.harness.budgets.unit", 2),
        ("tool.harness.budgets.a.py", 4),
    ]


def test_a_table_that_was_read_cannot_be_changed() -> None:
    config = parse("[tool.harness.budgets]\nunit = 1", "pyproject.toml")
    with pytest.raises(TypeError):
        config.budgets["unit"] = 2.0  # type: ignore[index]


def test_a_long_value_is_quoted_within_a_bound() -> None:
    [message] = messages("zygote", f'"{"x" * 10_000}"')

    assert message == f"expected true or false, found the string '{'x' * 60}…'"


@dataclass(frozen=True, slots=True)
class Bare:
    """A value that is written into the document as it stands."""

    written: str


def _toml(value: object) -> str:
    """Write any value of the strategy below as TOML."""
    match value:
        case bool():
            return str(value).lower()
        case str():
            return '"' + "".join(f"\\U{ord(character):08x}" for character in value) + '"'
        case list():
            return "[" + ", ".join(map(_toml, value)) + "]"
        case dict():
            return "{" + ", ".join(f"{_toml(k)} = {_toml(v)}" for k, v in value.items()) + "}"
        case Bare():
            return value.written
        case _:
            return str(value)


TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
SCALARS = (
    st.booleans()
    | st.integers()
    | st.integers(min_value=10**300, max_value=10**400)
    | st.floats()
    | st.sampled_from(["1979-05-27T07:32:00Z", "07:32:00", "1979-05-27"]).map(Bare)
    | TEXTS
    | st.sampled_from(["--lang=de", "--user-data-dir", "--", "-", "HOME"])
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=8,
)
TABLES = st.dictionaries(st.sampled_from([key.name for key in KEYS]) | TEXTS, VALUES, max_size=6)


def _outcome(text: str) -> Config | ConfigError:
    try:
        return parse(text, "pyproject.toml")
    except ConfigError as error:
        return error


@given(TABLES)
def test_any_table_is_a_config_or_a_config_error_with_a_line_for_each_problem(
    table: dict[str, object],
) -> None:
    lines = [f"{_toml(name)} = {_toml(value)}" for name, value in table.items()]

    outcome = _outcome("\n".join(["[tool.harness]", *lines]))

    if isinstance(outcome, Config):
        assert set(table) <= {key.name for key in KEYS}
    else:
        assert outcome.problems
        for problem in outcome.problems:
            assert problem.line is not None
            name = f"tool.harness.{list(table)[problem.line - 2]}"
            # A table's entry has a key of its own, and stands on the line of its table here.
            assert problem.key == name or problem.key.startswith(f"{name}.")


@given(st.text())
def test_any_text_is_a_config_or_a_config_error(text: str) -> None:
    outcome = _outcome(text)

    assert outcome == Config() or (isinstance(outcome, ConfigError) and outcome.problems)
