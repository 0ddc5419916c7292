"""Keeps credentials in URLs out of what is shown. Pure."""

import re
from urllib.parse import unquote

MASK = "***"
_USER_INFO = re.compile(r"(?P<scheme>[a-z][a-z0-9+.-]*://)[^/?#\s\"'<>]+@", re.IGNORECASE)
_PARAMETER = re.compile(r"(?P<name>(?<=[?&#;])[^=&?#;\s\"'<>]+)=(?!\*\*\*)(?P<value>[^&#\s\"'<>]+)")
SECRET_WORDS = ("token", "secret", "passw", "pwd", "credential", "signature")
SECRET_ENDS = ("key", "auth", "sig", "jwt", "session", "sessionid", "sid")


def masked(text: str) -> str:
    """Return `text` with `***` for the credentials of every URL in it.

    Masked are the user information (RFC 3986 section 3.2.1) whole, and the value of a query
    or fragment parameter whose name is that of a secret (token, password, key, ...). Masking
    twice changes nothing more.
    """
    text = _USER_INFO.sub(rf"\g<scheme>{MASK}@", text)
    return _PARAMETER.sub(_without_secret, text)


def is_secret(name: str) -> bool:
    """Tell whether a parameter of this name holds a credential."""
    plain = re.sub(r"[^a-z0-9]", "", unquote(name).lower())
    return any(word in plain for word in SECRET_WORDS) or plain.endswith(SECRET_ENDS)


def _without_secret(found: re.Match[str]) -> str:
    name, value = found["name"], found["value"]
    if is_secret(name):
        return f"{name}={MASK}"
    # Old servers separate parameters with semicolons.
    return f"{name}={_PARAMETER.sub(_without_secret, value)}"
