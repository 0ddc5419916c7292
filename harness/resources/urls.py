"""URLs as a browser resolves them, within what a page under test needs (URL standard)."""

from urllib.parse import quote, unquote_to_bytes, urljoin, urlsplit, urlunsplit

_KEPT = "%/:=&?~#+!$,;'@()*[]|{}^`\\\"<>"
_DEFAULT_PORTS = {"http": 80, "https": 443}


def join(base: str, target: str) -> str | None:
    """Return `target` against `base`, without a fragment; None for what no server answers.

    White space around it and line breaks in it do not count, and a backslash is a slash.
    """
    cleaned = "".join(one for one in target.strip(" \t\n\r\f") if one not in "\t\n\r")
    try:
        path, mark, query = cleaned.partition("?")
        joined = urljoin(base, path.replace("\\", "/") + mark + query)
        parts = urlsplit(joined)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            return None
        port = parts.port
    except ValueError:
        return None
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    if port is not None and port != _DEFAULT_PORTS[parts.scheme]:
        host += f":{port}"
    return urlunsplit(
        (
            parts.scheme,
            host,
            quote(parts.path or "/", safe=_KEPT.replace('"<>`{}^|', "")),
            quote(parts.query, safe=_KEPT),
            "",
        )
    )


def origin(url: str) -> str:
    """Return scheme, host and port of an absolute URL."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"


def path_of(url: str) -> str:
    """Return the URL's path, percent-encoded as it is sent."""
    return urlsplit(url).path or "/"


def decoded_path(url: str) -> str | None:
    """Return the URL's path decoded once; None where that is no text or holds a NUL."""
    try:
        text = unquote_to_bytes(path_of(url)).decode()
    except UnicodeDecodeError:
        return None
    return None if "\0" in text else text
