"""The document of a failing page, bounded and honest about it."""

from harness.pytest_plugin.snapshots import DOM_BYTES, bounded_dom


def test_a_document_within_the_bound_is_kept_as_it_is() -> None:
    assert bounded_dom("<p>Grüße</p>", 12) == "<p>Grüße</p>".encode()
    assert bounded_dom("a" * DOM_BYTES, DOM_BYTES) == b"a" * DOM_BYTES


def test_what_the_page_has_cut_is_said() -> None:
    assert bounded_dom("<p>", 1000) == (
        b"<p>\n<!-- lanewright: cut here, 3 of 1000 characters are kept -->\n"
    )


def test_no_character_is_cut_in_two() -> None:
    head = "a" + "ä" * (DOM_BYTES // 2)
    kept = (DOM_BYTES - 1) // 2
    assert bounded_dom(head, len(head)).decode() == (
        "a"
        + "ä" * kept
        + f"\n<!-- lanewright: cut here, {kept + 1} of {len(head)} characters are kept -->\n"
    )


def test_half_a_surrogate_pair_is_replaced() -> None:
    assert bounded_dom("x\ud83d", 2) == b"x?"
