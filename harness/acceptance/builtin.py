"""The checks that come with the harness, in the order in which they run.

What reads comes before what opens a page, and what opens a page before what writes; the work
tree is compared last.
"""

from harness.acceptance.check import Check, Phase
from harness.acceptance.checks.clean_load import clean_load
from harness.acceptance.checks.no_dirt import NoDirt
from harness.acceptance.checks.turn import does_nothing, typed_turn
from harness.acceptance.dirt import WorkTree

SHARED: tuple[Check, ...] = ()
PRIVATE = (
    Check(name="clean-load", phase=Phase.PRIVATE, run=clean_load, title="Pages load cleanly"),
    Check(
        name="does-nothing",
        phase=Phase.PRIVATE,
        run=does_nothing,
        title="The page does nothing by itself",
    ),
    Check(name="typed-turn", phase=Phase.PRIVATE, run=typed_turn, title="A typed turn arrives"),
)


def last(before: WorkTree) -> tuple[Check, ...]:
    """Return what is checked after everything else; `before` is from before everything else."""
    return (
        Check(
            name="no-dirt",
            phase=Phase.PRIVATE,
            run=NoDirt(before),
            title="The run leaves no dirt",
        ),
    )
