"""JUnit that GitLab, Jenkins and CircleCI read, whatever the tests are called and print."""

import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.model.status import Cause, Status
from harness.model.test_result import Outcome, TestResult
from harness.records.tier_record import Counts, FailureEvidence, FileRecord, Section, Skip
from harness.report.junit import junit_xml, write_junit
from tests.lib.run_example import EVERY_STATUS, bad_record, file_record, not_run, tier_record

A = "tests/test_a.py"
ANY_TEXT = st.text(st.characters(codec=None))


def result(test: str, outcome: Outcome = Outcome.PASSED, **given: Any) -> TestResult:
    fields: dict[str, Any] = {"id": f"{A}::{test}", "outcome": outcome, "seconds": 0.25}
    return TestResult(**(fields | given))


def parsed(
    *records: FileRecord, results: Mapping[str, Sequence[TestResult]] | None = None
) -> ET.Element:
    return ET.fromstring(junit_xml(tier_record(*records), results or {}))


def cases(record: FileRecord, *results: TestResult) -> list[ET.Element]:
    return parsed(record, results={A: results}).findall("testsuite/testcase")


def test_a_passed_test_is_known_by_classname_name_file_and_time() -> None:
    root = parsed(
        file_record(A), results={A: [result("TestDoor::test_opens[a::b]"), result("test_x")]}
    )

    assert root.attrib == {
        "name": "harness browser",
        "tests": "2",
        "failures": "0",
        "errors": "0",
        "time": "71.300",
    }
    [suite] = root
    assert suite.attrib == {
        "name": A,
        "file": A,
        "tests": "2",
        "failures": "0",
        "errors": "0",
        "skipped": "0",
        "time": "1.500",
    }
    assert [case.attrib for case in suite] == [
        {
            "classname": "tests.test_a.TestDoor",
            "name": "test_opens[a::b]",
            "file": A,
            "time": "0.250",
        },
        {"classname": "tests.test_a", "name": "test_x", "file": A, "time": "0.250"},
    ]
    assert [len(case) for case in suite] == [0, 0]


@pytest.mark.parametrize(
    ("outcome", "element"),
    [
        (Outcome.PASSED, None),
        (Outcome.XPASSED, None),
        (Outcome.FAILED, "failure"),
        (Outcome.ERROR, "error"),
        (Outcome.SKIPPED, "skipped"),
        (Outcome.XFAILED, "skipped"),
    ],
)
def test_each_outcome_has_its_element(outcome: Outcome, element: str | None) -> None:
    [case] = cases(
        bad_record(Status.FAILED, A) if element in ("failure", "error") else file_record(A),
        result("test_x", outcome),
    )

    assert [child.tag for child in case] == ([element] if element else [])


def test_a_failure_has_its_message_in_the_attribute_and_the_report_as_content() -> None:
    failed = result("test_x", Outcome.FAILED, message="assert 1 == 2", text="E  assert 1 == 2\nat")
    [case] = cases(bad_record(Status.FAILED, A), failed)

    assert case[0].attrib == {"type": "failed", "message": "assert 1 == 2"}
    assert case[0].text == "E  assert 1 == 2\nat"


def test_a_skip_has_its_reason_where_each_reader_looks() -> None:
    [case] = cases(file_record(A), result("test_x", Outcome.SKIPPED, skip_reason="needs macOS"))

    assert case[0].get("message") == "needs macOS"
    assert case[0].text == "needs macOS"


def test_what_says_nothing_has_content_all_the_same() -> None:
    for outcome in (Outcome.FAILED, Outcome.ERROR, Outcome.SKIPPED, Outcome.XFAILED):
        [case] = cases(bad_record(Status.FAILED, A), result("test_x", outcome))[:1]
        assert case[0].text
        assert case[0].get("message")


@pytest.mark.parametrize("status", [Status.TIMEOUT, Status.CRASHED, Status.INTERRUPTED])
def test_a_file_that_was_ended_has_an_error_named_after_its_running_test(status: Status) -> None:
    record = bad_record(
        status,
        A,
        reason=f"it ended while {A}::test_hangs ran",
        seconds=6.5,
        failure_evidence=FailureEvidence(
            cause=Cause.TIMEOUT, test=f"{A}::test_hangs", tail=("reached the waiting room",)
        ),
    )
    first, second = cases(record, result("test_before"))

    assert first.get("name") == "test_before"
    assert (second.get("classname"), second.get("name")) == ("tests.test_a", "test_hangs")
    assert second.get("time") == "6.250"
    assert second[0].tag == "error"
    assert second[0].get("type") == status.value
    assert second[0].get("message") == f"{status.value}: it ended while test_hangs ran"
    assert "reached the waiting room" in (second[0].text or "")


def test_without_a_running_test_the_error_is_named_after_the_file() -> None:
    [case] = cases(bad_record(Status.TIMEOUT, A, test=None))
    assert (case.get("classname"), case.get("name")) == ("tests.test_a", A)


def test_an_error_never_takes_the_name_of_a_test_that_has_a_result() -> None:
    first, second = cases(bad_record(Status.CRASHED, A), result("test_x"))
    assert (first.get("name"), second.get("name")) == ("test_x", A)


def test_a_file_that_did_not_run_is_an_error_and_never_skipped() -> None:
    [case] = cases(not_run(A, reason="the run was stopped"))

    assert [child.tag for child in case] == ["error"]
    assert case[0].get("message") == "not_run: the run was stopped"


def test_a_file_that_was_left_out_is_not_in_the_report() -> None:
    assert list(parsed(not_run(A, omitted=True, reason="not named"))) == []


@pytest.mark.parametrize("cause", [Cause.LEAK, Cause.EXIT_CODE, Cause.COLLECTION])
def test_a_file_that_failed_with_no_failing_test_has_an_error(cause: Cause) -> None:
    record = bad_record(Status.FAILED, A, cause=cause, test=None, reason="a process outlived it")
    first, second = cases(record, result("test_x"))

    assert len(first) == 0
    assert second.get("name") == A
    assert second[0].get("message") == "failed: a process outlived it"


def test_a_failure_that_a_test_tells_is_told_once() -> None:
    assert len(cases(bad_record(Status.FAILED, A), result("test_x", Outcome.FAILED))) == 1


def test_a_failed_test_whose_result_was_lost_is_an_error_under_its_name() -> None:
    [case] = cases(bad_record(Status.FAILED, A, test="test_lost"))
    assert case.get("name") == "test_lost"
    assert case[0].tag == "error"


def test_an_empty_file_is_an_error_unless_it_is_declared() -> None:
    def empty(declared: bool) -> FileRecord:
        skip = Skip(id=A, reason="needs macOS", declared=declared)
        return file_record(A, status=Status.EMPTY, skips=(skip,), counts=Counts(skipped=1))

    assert [child.tag for child in cases(empty(False))[0]] == ["error"]
    assert [child.tag for child in cases(empty(True))[0]] == ["skipped"]
    skipped = result("test_x", Outcome.SKIPPED)
    assert [case[0].tag for case in cases(empty(True), skipped)] == ["skipped"]
    assert [case[0].tag for case in cases(empty(False), skipped)] == ["skipped", "error"]


def test_of_two_reports_of_one_test_the_last_counts() -> None:
    [case] = cases(file_record(A), result("test_x", Outcome.FAILED), result("test_x"))
    assert len(case) == 0


def test_artefacts_hang_on_the_first_case_that_is_not_well_the_picture_first() -> None:
    record = bad_record(Status.FAILED, A, artefacts=("out/trace.zip", "out/evidence.png"))
    good, bad, other = cases(
        record,
        result("test_a"),
        result("test_b", Outcome.FAILED),
        result("test_c", Outcome.FAILED),
    )

    assert bad.findtext("system-out") == (
        "[[ATTACHMENT|out/evidence.png]]\n[[ATTACHMENT|out/trace.zip]]"
    )
    assert good.find("system-out") is None
    assert other.find("system-out") is None


def test_characters_that_xml_refuses_come_as_escapes() -> None:
    text = "nul \x00 esc \x1b[31m cdata ]]> lone \udc80 emoji \U0001f600 \ufffe & <b>\r\nend"
    [case] = cases(
        bad_record(Status.FAILED, A), result("test_x", Outcome.FAILED, message=text, text=text)
    )

    expected = "nul \\x00 esc \\x1b[31m cdata ]]> lone \\udc80 emoji \U0001f600 \\ufffe & <b>\nend"
    assert case[0].text == expected
    assert case[0].get("message") == expected


# The elements and attributes that the three readers know; `file` is GitLab's and CircleCI's.
ATTRIBUTES = {
    "testsuites": {"name", "tests", "failures", "errors", "time"},
    "testsuite": {"name", "file", "tests", "failures", "errors", "skipped", "time"},
    "testcase": {"classname", "name", "file", "time"},
    "failure": {"type", "message"},
    "error": {"type", "message"},
    "skipped": {"type", "message"},
    "system-out": set[str](),
}
CHILDREN = {
    "testsuites": {"testsuite"},
    "testsuite": {"testcase"},
    "testcase": {"failure", "error", "skipped", "system-out"},
}


def assert_well_formed(root: ET.Element) -> None:
    for element in root.iter():
        assert set(element.attrib) == ATTRIBUTES[element.tag]
        assert {child.tag for child in element} <= CHILDREN.get(element.tag, set())
        if "time" in element.attrib:
            assert re.fullmatch(r"\d+\.\d{3}", element.attrib["time"])
    for element in (root, *root.iter("testsuite")):
        for name, tag in (
            ("tests", "testcase"),
            ("failures", "failure"),
            ("errors", "error"),
            ("skipped", "skipped"),
        ):
            if name in element.attrib:
                assert int(element.attrib[name]) == len(list(element.iter(tag)))
    for suite in root:
        # GitLab drops the second test of one name.
        keys = [(case.get("classname"), case.get("name")) for case in suite]
        assert len(set(keys)) == len(keys)
        for case in suite:
            assert len([child for child in case if child.tag != "system-out"]) <= 1


def test_the_example_has_the_structure_that_the_three_readers_document() -> None:
    root = ET.fromstring(junit_xml(EVERY_STATUS, {}))
    assert_well_formed(root)
    assert root.get("errors") == "6"


@given(
    st.sampled_from(list(Status)),
    st.sampled_from(list(Cause)),
    st.none() | ANY_TEXT,
    st.lists(
        st.builds(
            TestResult,
            id=ANY_TEXT,
            outcome=st.sampled_from(list(Outcome)),
            seconds=st.floats(min_value=0, max_value=1e4),
            message=ANY_TEXT,
            text=ANY_TEXT,
            skip_reason=ANY_TEXT,
        ),
        max_size=4,
        unique_by=lambda one: one.id,
    ),
    ANY_TEXT,
)
def test_any_file_with_any_text_is_reported_and_a_bad_one_never_looks_well(
    status: Status, cause: Cause, test: str | None, results: list[TestResult], text: str
) -> None:
    evidence = FailureEvidence(
        cause=cause, test=test, sections=(Section(test=text, lines=(text,)),)
    )
    record = file_record(A, status=status, failure_evidence=evidence, reason=text)

    root = parsed(record, results={A: results})

    assert_well_formed(root)
    if status is not Status.PASSED:
        assert int(root.attrib["failures"]) + int(root.attrib["errors"]) > 0


def test_the_file_is_written_whole_in_a_folder_that_is_made(tmp_path: Path) -> None:
    path = tmp_path / "reports" / "junit.xml"
    write_junit(path, EVERY_STATUS, {})

    assert path.read_bytes() == junit_xml(EVERY_STATUS, {})
    assert os.listdir(path.parent) == ["junit.xml"]
    assert path.stat().st_mode & 0o777 == 0o644


def test_a_write_that_fails_leaves_what_was_there(tmp_path: Path) -> None:
    path = tmp_path / "junit.xml"
    path.mkdir()

    with pytest.raises(OSError):
        write_junit(path, EVERY_STATUS, {})

    assert os.listdir(tmp_path) == ["junit.xml"]
