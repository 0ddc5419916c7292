"""A page at the moment of failure: its picture and its document, in files, within a bound."""

import os
import re
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import Error, Page

DOM_BYTES = 256 * 1024
_PICTURE_MILLISECONDS = 3000
_DOM_MILLISECONDS = 2000
_NAME_CHARACTERS = 200
# The page itself cuts, so that no long document crosses the wire.
_DOM_EXPRESSION = f"""(() => {{
    const type = document.doctype ? `<!DOCTYPE ${{document.doctype.name}}>\\n` : '';
    const text = type + (document.documentElement ? document.documentElement.outerHTML : '');
    return {{length: text.length, head: text.slice(0, {DOM_BYTES})}};
}})()"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """What was had of one page: each a path, or `none` with the reason."""

    picture: str
    dom: str


def folder_of(item: pytest.Item) -> Path:
    """Return where pytest-playwright puts the artefacts of this test, by its own fixture."""
    given = (getattr(item, "funcargs", None) or {}).get("output_path")
    if given is None:
        try:
            given = item._request.getfixturevalue("output_path")  # type: ignore[attr-defined]
        except (Exception, pytest.fail.Exception, pytest.skip.Exception):
            name = re.sub(r"[^a-z0-9]+", "-", item.nodeid.lower()).strip("-")
            given = Path(item.config.getoption("--output"), name[:_NAME_CHARACTERS])
    return Path(os.path.abspath(given))


def shown_path(path: Path, config: pytest.Config) -> str:
    """Return a path as it is printed: relative to where pytest was started, when inside."""
    try:
        return str(path.relative_to(config.invocation_params.dir))
    except ValueError:
        return str(path)


def take(page: Page, item: pytest.Item, number: int) -> Snapshot:
    """Photograph a page and write down its document; `number` is 0 for the newest page.

    Takes a few seconds at most, also of a page that hangs: the picture comes first and tells
    whether the page answers, and both have a bound of Playwright's own.
    """
    name = f"evidence-{number}" if number else "evidence"
    path = folder_of(item) / f"{name}.png"
    try:
        page.screenshot(path=path, timeout=_PICTURE_MILLISECONDS)
    except Error as error:
        picture = f"none ({error.message.splitlines()[0].strip()})"
        return Snapshot(picture=picture, dom="none, the page gave no picture either")
    except OSError as error:
        return Snapshot(picture=f"none ({error})", dom="none, for the same reason")
    return Snapshot(
        picture=shown_path(path, item.config),
        dom=_write_dom(page, path.with_suffix(".html"), item.config),
    )


def _write_dom(page: Page, path: Path, config: pytest.Config) -> str:
    try:
        # `Locator.evaluate` waits within a bound and evaluates without one. This session ends
        # with its page: detaching it would wait for a page that has begun to hang.
        session = page.context.new_cdp_session(page)
        answer = session.send(
            "Runtime.evaluate",
            {"expression": _DOM_EXPRESSION, "returnByValue": True},
            timeout=_DOM_MILLISECONDS,
        )
        value = answer["result"]["value"]
        path.write_bytes(bounded_dom(value["head"], value["length"]))
    except Error as error:
        return f"none ({error.message.splitlines()[0].strip()})"
    except (OSError, KeyError, TypeError) as error:
        return f"none ({error})"
    cut = f" (the first {DOM_BYTES // 1024} KiB)" if value["length"] > len(value["head"]) else ""
    return f"{shown_path(path, config)}{cut}"


def bounded_dom(head: str, length: int) -> bytes:
    """Return the file for a document of `length` characters that begins with `head`.

    At most DOM_BYTES of it are kept, whole characters in UTF-8; a last comment says so when
    something was cut.
    """
    data = head.encode("utf-8", "replace")
    kept = data[:DOM_BYTES].decode("utf-8", "ignore")
    if len(data) <= DOM_BYTES and length <= len(head):
        return data
    note = f"\n<!-- lanewright: cut here, {len(kept)} of {length} characters are kept -->\n"
    return kept.encode() + note.encode()
