"""The process that runs the checks; it tells each result as it comes, on descriptor 4.

It is a process of its own so that a check which hangs cannot keep `accept` from ending: its
supervisor ends it, with everything that it has started.
"""

import os
import sys
import time
import traceback
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import msgspec

from harness.acceptance import news
from harness.acceptance.builtin import PRIVATE, SHARED, last
from harness.acceptance.check import Check, Context, Finding, Phase, Result
from harness.acceptance.demo import DEMO
from harness.acceptance.dirt import work_tree
from harness.acceptance.front import ThisTree, look_at_front
from harness.acceptance.registry import project_checks, refuse_double_names, refuse_unknown
from harness.acceptance.report import FrontState, Outcome, outcome_of
from harness.acceptance.session import CheckContext, Session
from harness.config.accept import AcceptSettings
from harness.config.reader import load
from harness.errors import ExitCode, HarnessError, PreconditionError, UsageError
from harness.repository.tree import git, tree_state

NEWS_DESCRIPTOR = 4
_FRONT_SECONDS = 5.0
_FRAMES_KEPT = 3
Tell = Callable[[news.News], None]


def main() -> None:
    """Run the job in argv[1] and tell what was found."""
    for inherited in (3, NEWS_DESCRIPTOR):
        os.set_inheritable(inherited, False)
    job = msgspec.json.decode(sys.argv[1], type=news.Job)

    def tell(one: news.News) -> None:
        data = news.encode(one)
        while data:
            data = data[os.write(NEWS_DESCRIPTOR, data) :]

    try:
        run(job, tell)
    except HarnessError as error:
        tell(news.Stopped(message=str(error), exit_code=error.exit_code))
    except BaseException:
        message = f"a fault of the harness:\n{traceback.format_exc()}"
        tell(news.Stopped(message=message, exit_code=ExitCode.FAULT))
        raise
    else:
        tell(news.Done())


def run(job: news.Job, tell: Tell) -> None:
    """Run every check of the job. Raises HarnessError for what lets none run."""
    project = Path(job.project)
    config = load(project)
    settings = settings_of(config.accept)
    before = work_tree(project)
    sys.path.insert(0, str(project))
    own = project_checks(project, settings.checks)
    shared = [*SHARED, *(each for each in own if each.phase is Phase.SHARED)]
    private = [*PRIVATE, *(each for each in own if each.phase is Phase.PRIVATE), *last(before)]
    every = [*shared, *private]
    refuse_double_names(every)
    refuse_unknown(job.only, every)
    shared, private = _selected(shared, job.only), _selected(private, job.only)
    front = look_at_front(settings.shared, settings.stamp, this_tree(project), _FRONT_SECONDS)
    tell(news.FrontSeen(front=front))
    if front.state is not FrontState.MEASURED:
        # Nothing of phase A may stand anywhere as measured, not even as skipped.
        shared = []
    planned = [*shared, *private]
    tell(news.Planned(checks=tuple((one.name, one.phase.value, one.title) for one in planned)))
    with Session(config, settings, project, Path(job.scratch), job.deadline) as session:
        for one in shared:
            assert front.url is not None
            context = session.shared_context(front.url.rstrip("/"))
            tell(news.Began(check=one.name))
            tell(news.Ended(outcome=_run_check(one, context)))
        for one in private:
            tell(news.Began(check=one.name))
            tell(news.Ended(outcome=_run_check(one, session.private_context())))
        if job.picture and private:
            _tell_picture(session, tell)


def settings_of(configured: AcceptSettings | None) -> AcceptSettings:
    """Return the project's settings; without a `serve`, the demo's with what else it says."""
    if configured is None or configured.serve is not None:
        return configured or DEMO
    return replace(
        DEMO,
        shared=configured.shared,
        stamp=configured.stamp,
        checks=configured.checks,
        timeout=configured.timeout,
    )


def this_tree(project: Path) -> ThisTree:
    """Return the hashes of what is checked out in `project`."""
    state = tree_state(project)
    if state.tree is None:
        return ThisTree(commit=None, tree=None, dirty=None)
    commit = git(project, "rev-parse", "--verify", "--quiet", "HEAD^{commit}")
    return ThisTree(
        commit=commit.output.decode("ascii").strip() or None, tree=state.tree, dirty=state.dirty
    )


def _selected(checks: list[Check], only: tuple[str, ...]) -> list[Check]:
    return [each for each in checks if not only or each.name in only]


def _run_check(check: Check, context: CheckContext) -> Outcome:
    began = time.monotonic()
    try:
        result = check.run(context)
        if not isinstance(result, Result):
            result = _unknown(f"it returned {type(result).__name__}, no Result")
    except (PreconditionError, UsageError):
        # Nothing that a check could find: no browser, a server that the configuration misnames.
        raise
    except HarnessError as error:
        first, *rest = str(error).splitlines()
        result = Result(
            finding=Finding.FAIL, measured=first, next="see the lines below", details=tuple(rest)
        )
    except Exception as error:
        first = (str(error).strip().splitlines() or [""])[0]
        frames = traceback.format_exc().strip().splitlines()
        result = _unknown(
            f"{type(error).__name__}: {first}", details=tuple(frames[-2 * _FRAMES_KEPT :])
        )
    return outcome_of(check.name, check.phase, check.title, result, time.monotonic() - began)


def _unknown(why: str, details: tuple[str, ...] = ()) -> Result:
    return Result(
        finding=Finding.UNKNOWN,
        measured=why,
        next="the check itself broke: see its last frames",
        details=details,
    )


def _tell_picture(session: Session, tell: Tell) -> None:
    from playwright.sync_api import Error

    from harness.page.opened import opened

    context: Context = session.private_context()
    try:
        url = context.origin + context.settings.pages[0]
        with opened(context.browser(), url, deadline=context.deadline) as found:
            tell(news.Pictured(png=found.page.screenshot()))
    except (Error, IndexError) as error:
        print(f"no picture of the page: {error}", file=sys.stderr)


if __name__ == "__main__":
    main()
