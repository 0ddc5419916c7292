"""Frames survive any chopping of the stream."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.process.wire import LARGEST_FRAME_BYTES, Decoder, pack

_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text() | st.binary(),
    lambda inner: st.lists(inner, max_size=4),
    max_leaves=8,
)
_MESSAGES = st.lists(st.dictionaries(st.text(max_size=8), _VALUES, max_size=4), max_size=5)


@given(messages=_MESSAGES, cuts=st.lists(st.integers(min_value=1, max_value=7), min_size=1))
def test_a_stream_decodes_to_the_same_messages_however_it_is_cut(
    messages: list[dict[str, object]], cuts: list[int]
) -> None:
    stream = b"".join(map(pack, messages))
    decoder, found, turn = Decoder(), [], 0
    while stream:
        size = cuts[turn % len(cuts)]
        found += decoder.feed(stream[:size])
        stream, turn = stream[size:], turn + 1
    assert found == messages


def test_a_length_that_no_frame_has_is_refused() -> None:
    with pytest.raises(ValueError, match="this is not our stream"):
        Decoder().feed((LARGEST_FRAME_BYTES + 1).to_bytes(4, "big"))
