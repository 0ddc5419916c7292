"""The declared turn, typed and sent as a person does."""

from harness.acceptance.check import Context, Finding, Result, passed, skipped
from harness.config.accept import TurnSettings
from harness.page.form import Form


def form_of(turn: TurnSettings) -> Form:
    """Return where on the page the turn is typed and sent."""
    return Form(form=turn.form, input=turn.input, send=turn.send)


def typed_turn(context: Context) -> Result:
    """Type and send on a fresh instance: one request, on disk exactly, shown by the page."""
    from harness.page.typed_turn import Turn, type_a_turn

    turn = context.settings.turn
    if turn is None:
        return skipped("no turn is declared", "name accept.turn: its form, request and file")
    with context.witnessed_instance() as (instance, ingress):
        report = type_a_turn(
            context.browser(),
            ingress,
            instance.root,
            Turn(
                page=turn.page,
                form=form_of(turn),
                shown=turn.shown,
                request=turn.request,
                file=turn.file,
                line=turn.line,
            ),
            writes=context.settings.writes,
            deadline=context.deadline,
        )
    if report.faults:
        return Result(
            finding=Finding.FAIL,
            measured=f"{len(report.faults)} faults",
            next=f"type a turn on {turn.page} yourself, and look at {turn.file}",
            details=report.faults,
        )
    return passed(f"1 request, {report.file_bytes} bytes on disk, shown")


def does_nothing(context: Context) -> Result:
    """Watch the page without touching it; then both controls."""
    from harness.page.does_nothing import does_nothing as measure

    settings = context.settings
    if settings.turn is None:
        return skipped(
            "no turn is declared, so no control can show that a write would be seen",
            "name accept.turn",
        )
    writes = tuple(dict.fromkeys((*settings.writes, settings.turn.request)))
    with context.witnessed_instance() as (_, ingress):
        report = measure(
            context.browser(),
            ingress,
            page=settings.turn.page,
            form=form_of(settings.turn),
            writes=writes,
            deadline=context.deadline,
        )
    if report.faults:
        return Result(
            finding=Finding.FAIL,
            measured=f"{len(report.faults)} faults",
            next="a page asks before it writes: look at what runs on load",
            details=report.faults,
        )
    return passed(
        f"no write in {report.watched_seconds:.1f} s after the load; "
        "one with the control, none with scripts blocked"
    )
