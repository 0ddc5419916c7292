"""A person types, clicks, and sees: one request, one line on disk, the text on the page."""

import json
import os
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import Browser, Error, expect

from harness.page.form import Form
from harness.page.opened import milliseconds_until, opened, settle
from harness.server.ingress import Ingress

TEXT = 'A turn, typed: "ä" <b>&amp;</b> 1+1'


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """What is done, and what must then be: `line` holds {text} or {json} for what was typed.

    `request` is the method and path of the one request that may write.
    """

    page: str
    form: Form
    shown: str
    request: str
    file: str
    line: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnReport:
    """What was measured. `faults` is empty when everything held."""

    faults: tuple[str, ...]
    requests: int
    file_bytes: int


def type_a_turn(
    browser: Browser,
    ingress: Ingress,
    root: Path,
    turn: Turn,
    *,
    writes: Sequence[str],
    deadline: float,
    text: str = TEXT,
) -> TurnReport:
    """Type `text` with a keyboard, send it with a click, and look at server, disk and page.

    `writes` are the declared writing requests: exactly one of all of them may come, the turn's.
    Raises nothing for a page that does not do as it should: that is a fault.
    """
    file = root / turn.file
    before = _content(file)
    faults: list[str] = []
    try:
        _act(browser, ingress, turn, text, deadline, faults)
    except (Error, AssertionError) as error:
        faults.append(_first_line(error))
    seen = [f"{each.method} {each.path}" for each in ingress.seen]
    known = {*writes, turn.request}
    requests = [each for each in seen if each in known]
    if requests != [turn.request]:
        told = ", ".join(requests) or "none"
        faults.append(f"expected one {turn.request}, the server saw: {told}")
    after = _content(file)
    faults += _file_faults(turn, text, before, after)
    return TurnReport(faults=tuple(faults), requests=len(requests), file_bytes=len(after or b""))


def _act(
    browser: Browser, ingress: Ingress, turn: Turn, text: str, deadline: float, faults: list[str]
) -> None:
    with opened(browser, ingress.url + turn.page, deadline=deadline) as found:
        page = found.page
        page.locator(turn.form.input).click()
        page.keyboard.type(text)
        page.locator(turn.form.send).click()
        try:
            expect(page.locator(turn.shown)).to_contain_text(
                text, timeout=min(milliseconds_until(deadline), 5000)
            )
        except AssertionError:
            shown = page.locator(turn.shown).all_inner_texts()
            faults.append(f"{turn.shown!r} does not show the text; it shows {_short(shown)}")
        if not settle(page, ingress, deadline=min(deadline, time.monotonic() + 5)):
            faults.append("the page still asked the server when time was up")


def _file_faults(turn: Turn, text: str, before: bytes | None, after: bytes | None) -> list[str]:
    expected = turn.line.replace("{json}", json.dumps(text, ensure_ascii=False))
    wanted = expected.replace("{text}", text).encode()
    escaped = turn.line.replace("{json}", json.dumps(text)).replace("{text}", text).encode()
    if after is None:
        return [f"{turn.file} was not written"]
    if before is not None and not after.startswith(before):
        return [f"{turn.file} lost what was in it"]
    added = after[len(before or b"") :]
    if added.removesuffix(b"\n") not in (wanted, escaped):
        return [f"{turn.file} gained {added[:200]!r}; expected one line {wanted[:200]!r}"]
    return []


def _content(file: Path) -> bytes | None:
    try:
        descriptor = os.open(file, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return None
    with open(descriptor, "rb") as stream:
        return stream.read()


def _first_line(error: Exception) -> str:
    return str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__


def _short(texts: Sequence[str]) -> str:
    joined = " | ".join(" ".join(each.split()) for each in texts) or "nothing"
    return joined if len(joined) <= 120 else joined[:119] + "…"
