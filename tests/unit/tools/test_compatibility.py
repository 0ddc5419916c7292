"""The comparing part of `tools/compatibility`: what counts as a difference, and what is said."""

import io
import json
import tarfile
from pathlib import Path

import pytest

from tools.compatibility.measuring import command_of
from tools.compatibility.outcomes import (
    Comparison,
    Finding,
    Kind,
    RecordError,
    Run,
    compare,
    read_record,
)
from tools.compatibility.preparing import CannotBeHad, Prepared, unpack
from tools.compatibility.report import Measured, as_json, as_table
from tools.compatibility.run import parse_arguments
from tools.compatibility.suites import SUITES, Form, Suite

END = json.dumps({"exit_status": 0})
SUITE = Suite(
    name="shop",
    distribution="shop",
    version="1.2",
    form=Form.WHEEL,
    habits="none",
    tests=("{site}/shop/tests",),
    arguments=("--rootdir={site}",),
)


def report(test: str, when: str, outcome: str, *, xfail: bool = False, reason: str = "") -> str:
    return json.dumps(
        {"id": test, "when": when, "outcome": outcome, "xfail": xfail, "reason": reason}
    )


def phases(test: str, setup: str, call: str | None, teardown: str, **options: object) -> list[str]:
    """The reports of one test; `options` belong to the call, or to the setup without one."""
    lines = [report(test, "setup", setup, **({} if call else options))]  # type: ignore[arg-type]
    if call is not None:
        lines.append(report(test, "call", call, **options))  # type: ignore[arg-type]
    return [*lines, report(test, "teardown", teardown)]


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (phases("t", "passed", "passed", "passed"), "passed"),
        (phases("t", "passed", "failed", "passed"), "failed"),
        (phases("t", "passed", "skipped", "passed"), "skipped"),
        (phases("t", "skipped", None, "passed"), "skipped"),
        (phases("t", "failed", None, "passed"), "error"),
        (phases("t", "passed", "passed", "failed"), "passed+error"),
        (phases("t", "passed", "failed", "failed"), "failed+error"),
        (phases("t", "passed", "skipped", "passed", xfail=True), "xfailed"),
        (phases("t", "passed", "passed", "passed", xfail=True), "xpassed"),
        (phases("t", "skipped", None, "passed", xfail=True), "xfailed"),
        ([report("t", "collect", "failed")], "error"),
        ([report("t", "???", "failed")], "error"),
    ],
)
def test_an_outcome_is_what_pytest_would_call_it(lines: list[str], expected: str) -> None:
    assert read_record([*lines, END], seconds=1.0).outcomes == {"t": expected}


@pytest.mark.parametrize("word", ["rerun", "failed"])
def test_the_last_attempt_of_a_test_that_was_run_again_counts(word: str) -> None:
    first = phases("t", "passed", word, "passed", reason="too slow")
    run = read_record([*first, *phases("t", "passed", "passed", "passed"), END], seconds=1.0)

    assert run.outcomes == {"t": "passed"}
    assert run.reasons == {}


def test_the_first_reason_of_a_test_is_kept() -> None:
    lines = phases("t", "passed", "failed", "failed", reason="assert 1 == 2")

    assert read_record([*lines, END], seconds=1.0).reasons == {"t": "assert 1 == 2"}


def test_counts_name_a_test_that_failed_twice_under_both_words() -> None:
    run = Run(outcomes={"a": "passed", "b": "failed+error", "c": "xfailed"}, seconds=1.0)

    assert run.counts() == {"passed": 1, "failed": 1, "skipped": 0, "error": 1, "xfailed": 1}


def test_a_record_without_its_end_is_refused() -> None:
    with pytest.raises(RecordError, match="cut short"):
        read_record(phases("t", "passed", "passed", "passed"), seconds=1.0)


@pytest.mark.parametrize("line", ["{", "[]", '{"id": "t"}', "null"])
def test_a_line_that_is_no_report_is_named(line: str) -> None:
    with pytest.raises(RecordError, match="line 2 is no report"):
        read_record([END, line], seconds=1.0)


def runs(*outcomes: str | None, seconds: float = 10.0) -> list[Run]:
    """One run for each outcome of the test `t`; None where it did not appear."""
    return [
        Run(outcomes={"u": "passed"} | ({"t": outcome} if outcome else {}), seconds=seconds)
        for outcome in outcomes
    ]


def test_runs_that_agree_are_the_same() -> None:
    comparison = compare(runs("failed", "failed"), runs("failed", "failed"))

    assert comparison.same
    assert comparison.findings == ()
    assert comparison.tests == 2


@pytest.mark.parametrize(
    ("without", "with_plugin", "kind"),
    [
        (("passed", "passed"), ("failed", "failed"), Kind.DIFFERS),
        (("passed", "passed"), ("passed", "failed"), Kind.DIFFERS),
        (("failed", "failed"), ("passed", "passed"), Kind.DIFFERS),
        (("passed", "passed"), (None, None), Kind.DIFFERS),
        ((None, None), ("passed", "passed"), Kind.DIFFERS),
        (("passed", "failed"), ("error", "passed"), Kind.DIFFERS),
        (("passed", "failed"), ("failed", "passed"), Kind.FLAKY),
        (("passed", "failed"), ("passed", "passed"), Kind.FLAKY),
    ],
)
def test_what_only_the_plugin_shows_differs_and_the_rest_is_flaky(
    without: tuple[str | None, ...], with_plugin: tuple[str | None, ...], kind: Kind
) -> None:
    comparison = compare(runs(*without), runs(*with_plugin))

    assert [(finding.test, finding.kind) for finding in comparison.findings] == [("t", kind)]
    assert comparison.same is (kind is Kind.FLAKY)


def test_a_finding_tells_every_run_and_the_first_line_of_the_reason() -> None:
    failed = Run(
        outcomes={"u": "passed", "t": "failed"}, reasons={"t": "first\nsecond"}, seconds=1.0
    )
    (finding,) = compare(runs("passed", None), [failed, *runs("passed")]).findings

    assert str(finding) == ("differs: t (without: passed absent; with: failed passed): first")


def test_the_ratio_is_of_the_medians() -> None:
    without = [run for seconds in (10.0, 100.0, 20.0) for run in runs("passed", seconds=seconds)]

    assert compare(without, runs("passed", seconds=30.0)).ratio == 1.5


def test_a_comparison_needs_a_run_of_each_kind() -> None:
    with pytest.raises(ValueError, match="a run of each kind"):
        compare(runs("passed"), [])


def measured(*findings: Finding) -> Measured:
    counts = {"passed": 3, "failed": 1, "skipped": 2, "error": 0}
    return Measured(
        suite=SUITE,
        comparison=Comparison(
            tests=6,
            without=(counts, {**counts, "passed": 2, "failed": 2}),
            with_plugin=(counts, counts),
            ratio=1.25,
            findings=findings,
        ),
        date="2026-11-30",
        versions=("playwright 1.65",),
        seconds_without=(8.0, 8.4),
        seconds_with=(10.0, 10.6),
    )


def test_the_table_has_a_row_a_suite_and_a_line_a_finding() -> None:
    finding = Finding(
        kind=Kind.FLAKY, test="t", without=("passed", "failed"), with_plugin=("passed",), reason=""
    )
    lines = as_table([measured(finding)]).splitlines()

    assert "| shop 1.2 | 6 | 3/1/2/0, 2/2/2/0 | 3/1/2/0 | yes | 8, 8 → 10, 11 (1.25) |" in lines
    assert lines[-2:] == [
        "2026-11-30, shop: playwright 1.65",
        "shop: flaky without the plugin: t (without: passed failed; with: passed)",
    ]


def test_the_json_holds_the_figures() -> None:
    facts = json.loads(as_json([measured()]))

    assert (facts["schema"], facts["version"]) == ("lanewright-compatibility", 1)
    assert facts["suites"][0]["ratio"] == 1.25
    assert facts["suites"][0]["same"] is True
    assert facts["suites"][0]["counts_with"][1] == {
        "passed": 3,
        "failed": 1,
        "skipped": 2,
        "error": 0,
    }


def test_the_two_kinds_of_run_differ_in_one_option(tmp_path: Path) -> None:
    prepared = Prepared(python=Path("/venv/python"), source=Path("/source"), site=Path("/site"))
    without = command_of(SUITE, prepared, tmp_path, plugin=False)
    with_plugin = command_of(SUITE, prepared, tmp_path, plugin=True)

    at = without.index("no:lanewright") - 1
    assert without[:at] + without[at + 2 :] == with_plugin
    assert with_plugin[-2:] == ("--rootdir=/site", "/site/shop/tests")


def archive_of(folder: Path, *names: str) -> Path:
    path = folder / "shop-1.2.tar.gz"
    with tarfile.open(path, "w:gz") as archive:
        for name in names:
            member = tarfile.TarInfo(name)
            member.size = 4
            archive.addfile(member, io.BytesIO(b"text"))
    return path


def test_only_what_is_kept_of_an_archive_is_unpacked(tmp_path: Path) -> None:
    archive = archive_of(
        tmp_path,
        *("shop-1.2/shop/code.py", "shop-1.2/shop/examples/one.py"),
        *("shop-1.2/tests/a/test_a.py", "shop-1.2/pytest.ini"),
    )
    target = tmp_path / "source"
    unpack(archive, ("tests", "pytest.ini", "shop/examples"), target)

    files = sorted(str(path.relative_to(target)) for path in target.rglob("*") if path.is_file())
    assert files == ["pytest.ini", "shop/examples/one.py", "tests/a/test_a.py"]


def test_an_archive_without_its_tests_cannot_be_used(tmp_path: Path) -> None:
    with pytest.raises(CannotBeHad, match=r"shop-1\.2\.tar\.gz holds no examples, tests"):
        unpack(archive_of(tmp_path, "shop-1.2/shop.py"), ("tests", "examples"), tmp_path / "s")


def test_a_path_that_leads_out_of_the_target_is_refused(tmp_path: Path) -> None:
    archive = archive_of(tmp_path, "shop-1.2/tests/../../../out.txt")

    with pytest.raises(tarfile.OutsideDestinationError):
        unpack(archive, ("tests",), tmp_path / "source")
    assert not (tmp_path / "out.txt").exists()


def test_a_suite_keeps_what_its_tests_name() -> None:
    for suite in SUITES:
        kept = suite.form is Form.SDIST
        assert bool(suite.kept) is kept, suite.name
        for path in suite.tests:
            place, first = path.split("/")[:2]
            assert place == ("{source}" if kept else "{site}"), path
            assert not kept or first in suite.kept, path


def test_the_names_of_suites_are_different() -> None:
    names = [suite.name for suite in SUITES]
    assert len(set(names)) == len(names)


@pytest.mark.parametrize(
    "arguments",
    [[], ["--folder", "x", "--suite", "none"], ["--folder", "x", "--rounds", "0"]],
)
def test_bad_usage_ends_with_2(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        parse_arguments(arguments)
    assert caught.value.code == 2
    assert "usage:" in capsys.readouterr().err
