"""Credentials in URLs are masked, and nothing else is."""

import pytest

from harness.browser.masking import masked


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("http://user:pass@host/a?b=1", "http://***@host/a?b=1"),
        ("https://ghp_abc@host/", "https://***@host/"),
        ("http://us:p@ss@host:80/", "http://***@host:80/"),
        ("ws://u:p@127.0.0.1:9/x", "ws://***@127.0.0.1:9/x"),
        ("/a?token=abc&page=2", "/a?token=***&page=2"),
        ("http://h/?page=2&access_token=a.b.c#top", "http://h/?page=2&access_token=***#top"),
        ("http://h/?apiKey=k&API-KEY=k&key=k", "http://h/?apiKey=***&API-KEY=***&key=***"),
        ("http://h/?user%5Bpassword%5D=x", "http://h/?user%5Bpassword%5D=***"),
        ("http://h/?client_secret=x;y", "http://h/?client_secret=***"),
        ("http://h/?a=1;pwd=x", "http://h/?a=1;pwd=***"),
        ("http://h/#id_token=abc&state=1", "http://h/#id_token=***&state=1"),
        ("http://h/?X-Amz-Signature=f0", "http://h/?X-Amz-Signature=***"),
        (
            'Page.goto: net::ERR_FAILED at http://u:p@h/?key=1\n  - navigating to "http://u:p@h/"',
            'Page.goto: net::ERR_FAILED at http://***@h/?key=***\n  - navigating to "http://***@h/"',
        ),
    ],
)
def test_a_credential_is_masked(text: str, expected: str) -> None:
    assert masked(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "http://host/a?keyword=shoes&monkeys=3&page=2",
        "http://host/people/@jane?tab=1",
        "mail jane@host about http://host/",
        "http://host/?next=http://other/",
        "http://host/?token=",
        "the token=abc of a sentence is no parameter",
        "data:text/html,<p>x</p>",
    ],
)
def test_what_is_no_credential_stays(text: str) -> None:
    assert masked(text) == text


def test_masking_twice_changes_nothing_more() -> None:
    once = masked("it is broken (http://u:p@h/a.js?token=abc:12)")
    assert once == "it is broken (http://***@h/a.js?token=***"
    assert masked("GET http://***@h/?token=***:12)") == "GET http://***@h/?token=***:12)"
