"""Nothing that a test is called or prints can begin a line, or act on a terminal or a shell."""

import os
import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from harness.report.durations import spoken
from harness.report.safe_text import one_line, shell_quoted, shortened

ANY_TEXT = st.text(st.characters(codec=None))


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("tests/test_größe.py", "tests/test_größe.py"),
        ("a\nharness: passed: b", "a\\nharness: passed: b"),
        ("a\x1b[2Jb\x00", "a\\x1b[2Jb\\x00"),
        ("\r\u2028\u202e", "\\r\\u2028\\u202e"),
        ("lone \udc80", "lone \\udc80"),
        ("smile \U0001f600", "smile \U0001f600"),
    ],
)
def test_what_is_not_printable_is_shown_as_an_escape(text: str, shown: str) -> None:
    assert one_line(text) == shown


@given(ANY_TEXT)
def test_one_line_is_printable_and_can_be_encoded(text: str) -> None:
    line = one_line(text)
    assert line.isprintable()
    line.encode("utf-8")


@pytest.mark.parametrize(
    ("text", "width", "shown"),
    [
        ("tests/test_room.py", 18, "tests/test_room.py"),
        ("tests/test_room.py", 13, "test…_room.py"),
        ("tests/test_room.py", 1, "…"),
        ("tests/test_room.py", 0, ""),
        ("部屋部屋部屋部屋", 9, "部…屋部屋"),
    ],
)
def test_a_long_name_is_cut_in_its_middle(text: str, width: int, shown: str) -> None:
    assert shortened(text, width) == shown


@given(st.text(), st.integers(min_value=0, max_value=30))
def test_a_shortened_name_is_never_too_wide(text: str, width: int) -> None:
    assert cell_len(shortened(text, width)) <= width


@pytest.mark.parametrize(
    ("text", "quoted"),
    [
        ("tests/test_a.py", "tests/test_a.py"),
        ("a b.py::test_x[1]", "'a b.py::test_x[1]'"),
        ("it's\n1", "$'it\\'s\\0121'"),
        ("\udc80\x1b", "$'\\200\\033'"),
    ],
)
def test_an_argument_is_quoted_on_one_line(text: str, quoted: str) -> None:
    assert shell_quoted(text) == quoted


def test_bash_reads_every_quoted_argument_back() -> None:
    texts = [
        "a b",
        "$(id) `id` \"x\" 'y' \\",
        "new\nline\t1",
        "é\u202e7",
        "\udcff\udc80",
        "\x01\x7f",
    ]
    script = "printf '%s\\0' " + " ".join(map(shell_quoted, texts))

    result = subprocess.run(["bash", "-c", os.fsencode(script)], check=True, capture_output=True)

    assert result.stdout.split(b"\0")[:-1] == [os.fsencode(text) for text in texts]


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (None, "unknown"),
        (-0.1, "0.0 s"),
        (12.34, "12.3 s"),
        (59.94, "59.9 s"),
        (59.96, "1 min 00 s"),
        (125, "2 min 05 s"),
        (3599.6, "1 h 00 min"),
        (3725, "1 h 02 min"),
    ],
)
def test_durations_are_said_as_people_say_them(seconds: float | None, words: str) -> None:
    assert spoken(seconds) == words
