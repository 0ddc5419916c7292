"""The order of a lane and its division over machines: every file once, whatever the figures."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.cli.planning import Estimates, make_plan, parts_of
from harness.config.schema import Config
from harness.model.identifiers import Lane, TestFile
from harness.plan.coverage import CoverageError, assert_exact_coverage
from harness.plan.queue import Shard
from harness.plan.roster import Roster, RosterEntry

NAMES = [f"test_{number}.py" for number in range(12)]
SECONDS = st.dictionaries(st.sampled_from(NAMES), st.floats(0, 100), max_size=12)


def roster(sizes: dict[str, int]) -> Roster:
    return Roster.of(
        RosterEntry(file=TestFile(name), lane=Lane.UNIT, reason="r", size_bytes=size)
        for name, size in sizes.items()
    )


def estimates(seconds: dict[str, float]) -> Estimates:
    return Estimates(
        seconds={TestFile(name): one for name, one in seconds.items()}, source="s", basis="b"
    )


@given(
    sizes=st.dictionaries(st.sampled_from(NAMES), st.integers(0, 9), max_size=12),
    seconds=SECONDS,
    isolated=st.sets(st.sampled_from(NAMES)),
    locked=st.dictionaries(st.sampled_from(NAMES), st.sampled_from([("x",), ("x", "y"), ("z",)])),
    total=st.integers(1, 15),
)
def test_the_shards_are_the_lane_exactly_once_and_agree_on_the_plan(
    sizes: dict[str, int],
    seconds: dict[str, float],
    isolated: set[str],
    locked: dict[str, tuple[str, ...]],
    total: int,
) -> None:
    files = roster(sizes)
    config = Config(
        isolated=dict.fromkeys(isolated & sizes.keys(), "alone"),
        locks={name: locks for name, locks in locked.items() if name in sizes},
    )
    plans = [
        make_plan(
            files, config, Lane.UNIT, estimates=estimates(seconds),
            shard=Shard(index=index, total=total),
        )
        for index in range(1, total + 1)
    ]  # fmt: skip
    assert sorted(one.file for plan in plans for one in plan.files) == sorted(sizes)
    assert len({plan.plan_digest for plan in plans}) == 1
    whole = make_plan(files, config, Lane.UNIT, estimates=estimates(seconds), shards=total)
    assert parts_of(whole, files, total) == plans
    for plan in plans:
        assert not any(one.isolated_reason for one in plan.parallel)
        assert all(one.isolated_reason for one in plan.isolated)
    shards_of_lock: dict[str, set[int]] = {}
    for index, plan in enumerate(plans):
        for one in plan.files:
            for lock in one.locks:
                shards_of_lock.setdefault(lock, set()).add(index)
    assert all(len(found) == 1 for found in shards_of_lock.values())


@given(seconds=SECONDS)
def test_new_files_come_first_and_then_the_longest(seconds: dict[str, float]) -> None:
    plan = make_plan(
        roster(dict.fromkeys(NAMES, 1)), Config(), Lane.UNIT, estimates=estimates(seconds)
    )
    known = [one.estimate_seconds for one in plan.parallel]
    new = len(NAMES) - len(seconds)
    assert known[:new] == [None] * new
    rest = [one for one in known[new:] if one is not None]
    assert rest == sorted(rest, reverse=True)


def test_heavy_files_are_spread_before_light_ones() -> None:
    seconds = {"test_0.py": 9.0, "test_1.py": 8.0, "test_2.py": 2.0, "test_3.py": 1.0}
    plan = make_plan(
        roster(dict.fromkeys(seconds, 1)), Config(), Lane.UNIT,
        estimates=estimates(seconds), shards=2,
    )  # fmt: skip
    parts = parts_of(plan, roster(dict.fromkeys(seconds, 1)), 2)
    assert [[one.file for one in part.files] for part in parts] == [
        ["test_0.py", "test_3.py"],
        ["test_1.py", "test_2.py"],
    ]


def test_the_digest_changes_with_what_runs_and_on_what_terms() -> None:
    def digest(sizes: dict[str, int], config: Config | None = None, basis: str = "b") -> str:
        figures = Estimates(seconds={}, source="s", basis=basis)
        plan = make_plan(roster(sizes), config or Config(), Lane.UNIT, estimates=figures)
        return plan.plan_digest

    one = {"test_0.py": 1}
    digests = [
        digest(one),
        digest({**one, "test_1.py": 1}),
        digest(one, Config(isolated={"test_0.py": "alone"})),
        digest(one, Config(budgets={"unit": 3.0})),
        digest(one, basis="durations 123"),
    ]
    assert len(set(digests)) == 5
    assert digest(one) == digests[0]


@pytest.mark.parametrize(
    ("found", "words"),
    [
        (["a"], "lost: b"),
        (["a", "b", "b"], "repeated: b"),
        (["a", "b", "c"], "unknown: c"),
        (["a", "a", "c"], "lost: b; repeated: a; unknown: c"),
    ],
)
def test_a_queue_that_is_not_the_lane_is_refused_by_name(found: list[str], words: str) -> None:
    with pytest.raises(CoverageError) as caught:
        assert_exact_coverage([TestFile("a"), TestFile("b")], [TestFile(one) for one in found])
    assert words in str(caught.value)
    assert caught.value.exit_code == 3
