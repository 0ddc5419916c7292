"""Lanes: the most demanding item decides."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.model.identifiers import Lane, most_demanding


@pytest.mark.parametrize(
    ("lanes", "expected"),
    [
        ([Lane.UNIT, Lane.SERVER], "server"),
        ([Lane.SERVER, Lane.BROWSER], "browser"),
        ([Lane.BROWSER, Lane.UNIT], "browser"),
        ([Lane.UNIT], "unit"),
        ([], "unit"),
    ],
)
def test_a_file_has_the_lane_of_its_most_demanding_item(lanes: list[Lane], expected: str) -> None:
    assert most_demanding(lanes) == expected


@given(st.lists(st.sampled_from(Lane)))
def test_the_order_of_the_items_does_not_matter(lanes: list[Lane]) -> None:
    assert most_demanding(lanes) is most_demanding(reversed(lanes))


def test_a_lane_prints_as_its_marker() -> None:
    assert f"{Lane.BROWSER}" == "browser"
