"""pytest's own configuration is read as pytest reads it."""

from pathlib import Path

import pytest

from harness.config.problems import ConfigError
from harness.config.pytest_ini import PytestIni, read_pytest_ini


def test_without_configuration_pytests_defaults_hold(tmp_path: Path) -> None:
    ini = read_pytest_ini(tmp_path)
    assert ini.python_files == ("test_*.py", "*_test.py")
    assert ini.testpaths == ()
    assert "node_modules" in ini.norecursedirs


def test_the_defaults_are_those_of_the_installed_pytest(pytestconfig: pytest.Config) -> None:
    # What this project does not set itself.
    assert list(PytestIni().norecursedirs) == pytestconfig.getini("norecursedirs")
    assert list(PytestIni().python_files) == pytestconfig.getini("python_files")
    assert list(PytestIni().python_classes) == pytestconfig.getini("python_classes")
    assert list(PytestIni().python_functions) == pytestconfig.getini("python_functions")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("pytest.ini", "[pytest]\ntestpaths = a  'b c'\n"),
        (".pytest.ini", "[pytest]\ntestpaths =\n    a\n    'b c'\n"),
        ("pyproject.toml", "[tool.pytest.ini_options]\ntestpaths = ['a', 'b c']\n"),
        ("pyproject.toml", "[tool.pytest]\ntestpaths = ['a', 'b c']\n"),
        ("pytest.toml", "[pytest]\ntestpaths = ['a', 'b c']\n"),
        ("tox.ini", "[tox]\n[pytest]\ntestpaths = a 'b c'\n"),
        ("setup.cfg", "[tool:pytest]\ntestpaths = a 'b c'\n"),
    ],
)
def test_every_place_is_read(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text)
    ini = read_pytest_ini(tmp_path)
    assert ini.testpaths == ("a", "b c")
    assert ini.file == tmp_path / name


def test_a_pytest_ini_wins_even_when_it_is_empty(tmp_path: Path) -> None:
    (tmp_path / "pytest.ini").write_text("")
    (tmp_path / "pyproject.toml").write_text("[tool.pytest.ini_options]\ntestpaths = ['a']\n")
    assert read_pytest_ini(tmp_path).testpaths == ()


def test_a_file_without_a_section_for_pytest_gives_way(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("[project]\nname = 'pytest-of-mine'\n")
    (tmp_path / "tox.ini").write_text("[pytest]\npython_files = check_*.py\n")
    assert read_pytest_ini(tmp_path).python_files == ("check_*.py",)


def test_a_folder_above_configures_too_but_its_testpaths_are_not_ours(tmp_path: Path) -> None:
    (tmp_path / "pytest.ini").write_text("[pytest]\ntestpaths = a\npython_files = check_*.py\n")
    (tmp_path / "part").mkdir()
    ini = read_pytest_ini(tmp_path / "part")
    assert (ini.testpaths, ini.python_files) == ((), ("check_*.py",))


def test_options_that_change_collection_are_found_in_addopts(tmp_path: Path) -> None:
    (tmp_path / "pytest.ini").write_text(
        "[pytest]\naddopts = -ra -p my.plugin -pother -p no:cacheprovider --ignore=old\n"
    )
    ini = read_pytest_ini(tmp_path)
    assert ini.plugins == ("my.plugin", "other")


def test_a_quote_that_is_not_closed_is_a_problem_of_that_file(tmp_path: Path) -> None:
    (tmp_path / "pytest.ini").write_text('[pytest]\naddopts = -m "not slow\n')
    with pytest.raises(ConfigError, match="addopts cannot be split as a shell would") as caught:
        read_pytest_ini(tmp_path)
    assert caught.value.problems[0].file == str(tmp_path / "pytest.ini")


@pytest.mark.parametrize(
    ("name", "text"),
    [("pyproject.toml", "[tool.pytest"), ("tox.ini", "a line of nothing\n"), ("setup.cfg", "=\n")],
)
def test_a_file_that_cannot_be_read_is_named(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(ConfigError, match=name.replace(".", r"\.")):
        read_pytest_ini(tmp_path)
