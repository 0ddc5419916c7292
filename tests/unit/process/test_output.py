"""A flood of output stays bounded and says what is missing."""

from harness.process.output import HEAD_BYTES, TAIL_BYTES, BoundedOutput, printable


def test_short_output_is_kept_whole() -> None:
    output = BoundedOutput()
    output.add(b"one\n")
    output.add(b"two\n")
    assert output.text() == "one\ntwo\n"
    assert output.dropped_bytes == 0


def test_a_flood_keeps_its_first_and_last_words_and_counts_the_rest() -> None:
    output = BoundedOutput()
    output.add(b"first\n")
    for _ in range(1000):
        output.add(b"x" * 1023 + b"\n")
    output.add(b"last\n")
    text = output.text()
    assert text.startswith("first\n")
    assert text.endswith("last\n")
    kept = HEAD_BYTES + TAIL_BYTES
    assert output.dropped_bytes == 6 + 1000 * 1024 + 5 - kept
    assert f"... {output.dropped_bytes} bytes left out ..." in text


def test_bytes_lost_on_the_way_are_counted() -> None:
    output = BoundedOutput()
    output.add(b"a", dropped_before_bytes=10)
    assert output.dropped_bytes == 10
    assert output.total_bytes == 11


def test_undecodable_bytes_are_shown_escaped() -> None:
    output = BoundedOutput()
    output.add(b"\xff\n")
    assert output.text() == "\\xff\n"


def test_last_lines_are_bounded_in_number_and_width() -> None:
    output = BoundedOutput()
    output.add("\n".join(f"{n} " + "y" * 100 for n in range(50)).encode())
    assert output.last_lines(2, 10) == "48 yyyyyyy\n49 yyyyyyy"


def test_text_of_a_page_cannot_steer_the_terminal() -> None:
    assert printable("\x1b[2Jred\a\nsecond") == "\\x1b[2Jred\\x07\n    second"


def test_many_lines_are_counted_instead_of_shown() -> None:
    assert printable("\n".join("abcdefg")).endswith("\n    d\n    ... 3 more lines")
