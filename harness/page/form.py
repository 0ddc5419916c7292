"""The form of a page that writes: is it there, does it listen, does it keep the browser away?"""

from dataclasses import dataclass

from playwright.sync_api import CDPSession, Error, Page

# Where a submit event passes on its way up.
_LISTENERS_OF = ("this", "this.ownerDocument", "this.ownerDocument.defaultView")


@dataclass(frozen=True, slots=True, kw_only=True)
class Form:
    """Where on a page one thing is typed and sent: CSS selectors."""

    form: str
    input: str
    send: str


def why_not_ready(page: Page, session: CDPSession, form: Form) -> str | None:
    """Say why the form cannot send by a script of the page; None when it can.

    It is there once, its field as well, and a listener for `submit` is on it or above it, which
    only the browser's debugger can tell.
    """
    for what, selector in (("form", form.form), ("field", form.input)):
        try:
            count = page.locator(selector).count()
        except Error as error:
            return f"{selector!r} is no selector: {error.message.splitlines()[0]}"
        if count != 1:
            return f"{count} elements match {selector!r}; there should be one {what}"
    if not _listens(session, form.form):
        return f"nothing listens to `submit` of {form.form!r}"
    return None


def submit(page: Page, form: Form, text: str) -> str | None:
    """Fill in the text and submit by script; say why that was no submission of the page's own.

    The event must be cancelled by the page: else the browser itself would have navigated.
    """
    page.locator(form.input).fill(text)
    cancelled = page.locator(form.form).evaluate(
        """form => {
            const event = new SubmitEvent("submit", {
                bubbles: true, cancelable: true, submitter: null,
            });
            form.dispatchEvent(event);
            return event.defaultPrevented;
        }"""
    )
    return None if cancelled else "the page did not cancel the submit event"


def _listens(session: CDPSession, selector: str) -> bool:
    for expression in _LISTENERS_OF:
        found = session.send(
            "Runtime.evaluate",
            {
                "expression": f"(function() {{ return {expression}; }})"
                f".call(document.querySelector({_quoted(selector)}))"
            },
        )
        handle = found["result"].get("objectId")
        if handle is None:
            continue
        listeners = session.send("DOMDebugger.getEventListeners", {"objectId": handle})
        if any(each["type"] == "submit" for each in listeners["listeners"]):
            return True
    return False


def _quoted(text: str) -> str:
    import json

    return json.dumps(text)
