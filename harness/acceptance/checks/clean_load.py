"""Each page loads without a complaint of the browser."""

import time

from harness.acceptance.check import Context, Finding, Result, passed
from harness.page.opened import Complaint, opened, settle

_SETTLE_SECONDS = 5.0


def clean_load(context: Context) -> Result:
    """Open every page; what the browser complains about is named with its source."""
    from playwright.sync_api import Error

    complaints: list[tuple[str, Complaint]] = []
    broken: list[str] = []
    pages = context.settings.pages
    with context.witnessed_instance() as (_, ingress):
        for path in pages:
            try:
                with opened(
                    context.browser(), ingress.url + path, deadline=context.deadline
                ) as found:
                    until = min(context.deadline, time.monotonic() + _SETTLE_SECONDS)
                    if not settle(found.page, ingress, deadline=until):
                        broken.append(f"{path}: it still asked the server after the load")
                    complaints += [(path, each) for each in found.complaints]
            except Error as error:
                broken.append(f"{path}: {error.message.splitlines()[0]}")
        count = len(ingress.seen)
        upstream, witness = ingress.upstream, ingress.url
    details = [f"{path}: {each}".replace(witness, upstream) for path, each in complaints]
    if details or broken:
        faults = [*broken, *details]
        return Result(
            finding=Finding.FAIL,
            measured=f"{len(faults)} complaints on {len(pages)} pages",
            next="open the page with the console of the developer tools",
            details=tuple(faults),
        )
    if not pages:
        return Result(
            finding=Finding.UNKNOWN, measured="no page is declared", next="name accept.pages"
        )
    return passed(f"{len(pages)} pages, {count} requests, no complaint", pages=list(pages))
