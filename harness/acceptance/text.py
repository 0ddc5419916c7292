"""One line a check, as it ends; then the verdict and what it does not cover."""

import shutil
import textwrap

import click

from harness.acceptance import news
from harness.acceptance.check import Finding, Phase
from harness.acceptance.report import Front, FrontState, Outcome, Report
from harness.errors import ExitCode
from harness.report.safe_text import one_line

_COLOURS = {
    Finding.PASS: "green",
    Finding.FAIL: "red",
    Finding.UNKNOWN: "red",
    Finding.SKIPPED: "yellow",
}
_NAME_CELLS = 14
_DETAILS_SHOWN = 12
_INDENT = " " * 8


class Lines:
    """Prints to standard output; on a terminal the running check is shown meanwhile."""

    def __init__(self, terminal: bool, *, quiet: bool = False) -> None:
        self._terminal = terminal and not quiet
        self._quiet = quiet
        self._width = shutil.get_terminal_size().columns if terminal else 10_000
        self._front_told = False

    def hear(self, one: news.News) -> None:
        """Show one piece of news."""
        if self._quiet:
            return
        match one:
            case news.FrontSeen(front=front) if front.state is not FrontState.NOT_CONFIGURED:
                for line in front_lines(front):
                    click.echo(line)
            case news.Began(check=check) if self._terminal:
                click.echo(f"  …     {one_line(check)}", nl=False)
            case news.Ended(outcome=outcome):
                self._clear()
                self._show(outcome)
            case _:
                pass

    def end(self, report: Report) -> None:
        """Show what had no news of its own, then the verdict."""
        if self._quiet:
            return
        self._clear()
        for outcome in report.checks:
            if outcome.finding is Finding.UNKNOWN and outcome.measured.startswith("it did not"):
                self._show(outcome)
        if report.fault:
            click.echo(f"accept: {report.fault}", err=True)
        colour = "green" if report.exit_code == ExitCode.PASSED else "red"
        words = click.style(report.verdict, fg=colour, bold=True)
        click.echo(f"{words} in {report.seconds:.1f} s: {counts(report)}")
        if report.exit_code == ExitCode.PASSED and "PHASE B ONLY" in report.verdict:
            click.echo(not_verified(report.front))

    def _show(self, outcome: Outcome) -> None:
        word = click.style(f"{outcome.finding.value.upper():<7}", fg=_COLOURS[outcome.finding])
        seconds = f"{outcome.seconds:5.1f} s"
        head = f"  {word} {one_line(outcome.check):<{_NAME_CELLS}} {seconds}  "
        room = max(30, self._width - 28 - max(0, len(outcome.check) - _NAME_CELLS))
        first, *rest = textwrap.wrap(one_line(outcome.measured), room) or [""]
        click.echo(head + first)
        for line in rest:
            click.echo(" " * 27 + line)
        if outcome.finding is Finding.PASS:
            return
        for detail in outcome.details[:_DETAILS_SHOWN]:
            self._wrapped(detail)
        if len(outcome.details) > _DETAILS_SHOWN:
            self._wrapped(f"and {len(outcome.details) - _DETAILS_SHOWN} more: see --json")
        if outcome.next:
            self._wrapped(f"next: {outcome.next}")

    def _wrapped(self, text: str) -> None:
        for line in textwrap.wrap(
            one_line(text), max(40, self._width - 1), initial_indent=_INDENT,
            subsequent_indent=_INDENT + "  ", break_long_words=False, break_on_hyphens=False,
        ):  # fmt: skip
            click.echo(line)

    def _clear(self) -> None:
        if self._terminal:
            click.echo("\r\x1b[K", nl=False)


def counts(report: Report) -> str:
    """Return how many checks ended how, in words."""
    found = [
        f"{sum(each.finding is finding for each in report.checks)} {word}"
        for finding, word in (
            (Finding.PASS, "passed"),
            (Finding.FAIL, "failed"),
            (Finding.UNKNOWN, "unknown"),
            (Finding.SKIPPED, "skipped"),
        )
        if any(each.finding is finding for each in report.checks)
    ]
    return ", ".join(found) or "no check ran"


def front_lines(front: Front) -> list[str]:
    """Return what is said of the shared front before the checks."""
    match front.state:
        case FrontState.MEASURED:
            return [f"  phase {Phase.SHARED.value}: {front.url} serves this tree"]
        case FrontState.UNREACHABLE | FrontState.UNKNOWN_TREE:
            return [f"  UNKNOWN for the shared front: {one_line(front.why)}"]
        case FrontState.OTHER_TREE:
            return [f"  SKIPPED the shared front, another tree: {one_line(front.why)}"]
        case FrontState.NOT_CONFIGURED:
            return []


def not_verified(front: Front) -> str:
    """Return the sentence that keeps a reader from quoting the run for the shared front."""
    if front.state is FrontState.NOT_CONFIGURED:
        return "The shared front was not verified: none is configured (accept.shared)."
    if front.state is FrontState.MEASURED:
        return "The shared front was not verified: a check of phase A could not measure it."
    return f"The shared front was not verified: {one_line(front.why)}."
