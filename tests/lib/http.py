"""One plain request, for tests that look at an answer themselves."""

import http.client
from typing import NamedTuple


class Reply(NamedTuple):
    """A whole answer; header names in lower case."""

    status: int
    headers: dict[str, str]
    body: bytes


def fetch(port: int, path: str = "/", *, method: str = "GET", body: bytes | None = None) -> Reply:
    """Send `path` as it is, follow nothing, return what comes back within 20 seconds."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
    try:
        connection.request(method, path, body)
        response = connection.getresponse()
        headers = {name.lower(): value for name, value in response.getheaders()}
        return Reply(response.status, headers, response.read())
    finally:
        connection.close()
