import threading
from pathlib import Path

import pytest

from tests.lib.events import wait_for_file, wait_until


def test_the_first_true_value_is_returned() -> None:
    values = iter([0, None, "ready", "later"])
    assert wait_until(lambda: next(values), 20, "a value") == "ready"


def test_a_true_value_is_returned_even_when_the_deadline_has_passed() -> None:
    assert wait_until(lambda: 7, 0, "seven") == 7


def test_the_deadline_names_what_was_awaited_and_the_last_value() -> None:
    with pytest.raises(
        AssertionError, match=r"waited 0.02 s for the port; the last value was \[\]"
    ):
        wait_until(list, 0.02, "the port")


def test_an_error_of_the_predicate_is_not_swallowed() -> None:
    with pytest.raises(ZeroDivisionError):
        wait_until(lambda: 1 // 0, 20, "an error")


def test_a_file_is_waited_for_until_it_holds_the_words(tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_text("starting\n")
    asked = threading.Event()

    def write() -> None:
        asked.wait()
        path.write_text("starting\nready\n")

    writer = threading.Thread(target=write)
    writer.start()
    asked.set()
    assert wait_for_file(path, 20, holding="ready\n") == "starting\nready\n"
    writer.join()


def test_an_empty_file_exists(tmp_path: Path) -> None:
    (tmp_path / "empty").touch()
    assert wait_for_file(tmp_path / "empty", 0) == ""


def test_a_missing_file_is_named_at_the_deadline(tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match="nothing-here; there is no such file"):
        wait_for_file(tmp_path / "nothing-here", 0.02)


def test_the_deadline_shows_what_the_file_held_instead(tmp_path: Path) -> None:
    (tmp_path / "log").write_text("still starting")
    with pytest.raises(AssertionError, match="to hold 'ready'; it holds 'still starting'"):
        wait_for_file(tmp_path / "log", 0.02, holding="ready")


def test_bytes_that_are_no_text_are_shown_escaped(tmp_path: Path) -> None:
    (tmp_path / "log").write_bytes(b"\xff ready")
    assert wait_for_file(tmp_path / "log", 0, holding="ready") == "\\xff ready"
