"""Text that XML 1.0 can carry (https://www.w3.org/TR/xml/#charsets)."""

import re

_REFUSED = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def xml_text(text: str) -> str:
    """Return text in which every character that XML 1.0 refuses is an escape such as `\\x1b`.

    Carriage returns go too: a parser would turn them into line feeds.
    """
    cleaned = text.replace("\r\n", "\n").replace("\r", "\\r")
    return _REFUSED.sub(lambda match: ascii(match.group())[1:-1], cleaned)
