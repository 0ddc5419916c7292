"""The demo's page does in a real browser what its README promises."""

import re

from playwright.sync_api import APIResponse, Locator, Page, Route, expect

from tests.lib.demo import OwnDemo
from tests.lib.trace import trace


def shown_files(page: Page) -> Locator:
    return page.get_by_role("list", name="Files").get_by_role("listitem")


def total(page: Page) -> Locator:
    return page.get_by_role("status", name="Total, added up by a worker")


def test_the_page_lists_the_seeded_file(page: Page, demo_url: str) -> None:
    page.goto(demo_url)
    expect(shown_files(page)).to_have_text(["welcome.txt 31 bytes"])
    expect(page).to_have_title("Lanewright demo")


def test_the_total_comes_from_the_worker(page: Page, demo_url: str) -> None:
    with page.expect_worker() as started:
        page.goto(demo_url)
    assert started.value.url == f"{demo_url}/static/worker.js"
    expect(total(page)).to_have_text("31 bytes")


def test_a_turn_is_answered_and_grows_the_list(page: Page, own_demo: OwnDemo) -> None:
    page.goto(own_demo.url)
    expect(shown_files(page)).to_have_text(["plan.txt 5 bytes"])
    page.get_by_label("Utterance").fill("hello <b>there</b>")
    page.get_by_role("button", name="Send").click()
    expect(page.get_by_role("status", name="Reply")).to_have_text("Turn 1: hello <b>there</b>")
    size_bytes = (own_demo.root / "turns.jsonl").stat().st_size
    expect(shown_files(page)).to_have_text(["plan.txt 5 bytes", f"turns.jsonl {size_bytes} bytes"])
    expect(total(page)).to_have_text(f"{size_bytes + 5} bytes")


def test_the_form_works_with_the_keyboard_alone(page: Page, own_demo: OwnDemo) -> None:
    page.goto(own_demo.url)
    expect(total(page)).to_have_text("5 bytes")
    utterance = page.get_by_label("Utterance")
    page.keyboard.press("Tab")
    expect(utterance).to_be_focused()
    page.keyboard.type("one")
    page.keyboard.press("Enter")
    expect(page.get_by_role("status", name="Reply")).to_have_text("Turn 1: one")
    expect(utterance).to_be_focused()
    expect(utterance).to_have_value("")
    page.keyboard.type("two")
    page.keyboard.press("Tab")
    expect(page.get_by_role("button", name="Send")).to_be_focused()
    page.keyboard.press("Space")
    expect(page.get_by_role("status", name="Reply")).to_have_text("Turn 2: two")


def test_a_turn_sent_while_the_list_still_loads_is_neither_lost_nor_overwritten(
    page: Page, own_demo: OwnDemo
) -> None:
    page.goto(own_demo.url)
    expect(total(page)).to_have_text("5 bytes")
    held: list[tuple[Route, APIResponse]] = []

    def hold_the_first(route: Route) -> None:
        if held:
            route.continue_()
        else:
            held.append((route, route.fetch()))

    page.route("**/api/files", hold_the_first)
    utterance = page.get_by_label("Utterance")
    reply = page.get_by_role("status", name="Reply")
    utterance.fill("one")
    utterance.press("Enter")
    expect(reply).to_have_text("Turn 1: one")
    utterance.fill("two")
    utterance.press("Enter")
    expect(reply).to_have_text("Turn 2: two")
    both = f"{(own_demo.root / 'turns.jsonl').stat().st_size + 5} bytes"
    expect(total(page)).to_have_text(both)

    [(route, stale)] = held
    with page.expect_event("requestfinished"):
        route.fulfill(response=stale)
    # A later round trip through the same page: by then it has seen the stale answer.
    page.get_by_role("button", name="Load the module").click()
    expect(page.get_by_role("status", name="Lazy module's text")).not_to_be_empty()
    expect(total(page)).to_have_text(both)


def test_a_refused_turn_is_explained_and_keeps_what_was_typed(
    page: Page, own_demo: OwnDemo
) -> None:
    page.goto(own_demo.url)
    page.get_by_label("Utterance").fill("   ")
    page.get_by_role("button", name="Send").click()
    expect(page.get_by_role("alert")).to_contain_text("utterance is blank")
    expect(page.get_by_label("Utterance")).to_have_value("   ")
    expect(shown_files(page)).to_have_text(["plan.txt 5 bytes"])


def test_the_lazy_module_is_fetched_by_the_click_and_not_before(page: Page, demo_url: str) -> None:
    requested: list[str] = []
    page.on("request", lambda request: requested.append(request.url))
    page.goto(demo_url, wait_until="networkidle")
    expect(total(page)).to_have_text("31 bytes")
    assert f"{demo_url}/static/main.js" in requested
    assert f"{demo_url}/static/lazy.js" not in requested
    page.get_by_role("button", name="Load the module").click()
    expect(page.get_by_role("status", name="Lazy module's text")).to_contain_text(
        "Loaded on demand"
    )
    assert requested.count(f"{demo_url}/static/lazy.js") == 1


def test_loading_the_page_logs_no_error(page: Page, demo_url: str) -> None:
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(f"{message.type}: {message.text}"))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("requestfailed", lambda request: complaints.append(request.url))
    page.goto(demo_url)
    expect(total(page)).to_have_text("31 bytes")
    page.get_by_role("button", name="Load the module").click()
    expect(page.get_by_role("status", name="Lazy module's text")).not_to_be_empty()
    assert complaints == []


def test_every_response_of_the_load_is_200_and_same_origin(page: Page, demo_url: str) -> None:
    answers: dict[str, int] = {}
    page.on("response", lambda response: answers.update({response.url: response.status}))
    page.goto(demo_url)
    expect(total(page)).to_have_text("31 bytes")
    names = {
        "/", "/api/files", "/api/root", "/static/main.js", "/static/mark.svg",
        "/static/style.css", "/static/theme.css", "/static/worker.js",
    }  # fmt: skip
    assert {f"{demo_url}{name}" for name in names} <= answers.keys()
    assert {url: status for url, status in answers.items() if status != 200} == {}
    assert [url for url in answers if not url.startswith(f"{demo_url}/")] == []


def test_an_injected_inline_script_is_blocked_by_the_policy(page: Page, demo_url: str) -> None:
    messages: list[str] = []
    page.on("console", lambda message: messages.append(message.text))

    def inject(route: Route) -> None:
        response = route.fetch()
        script = "<script>document.documentElement.dataset.injected = 'yes'</script></head>"
        route.fulfill(response=response, body=response.text().replace("</head>", script))

    page.route(f"{demo_url}/", inject)
    page.goto(f"{demo_url}/")
    expect(shown_files(page)).to_have_count(1)
    assert page.locator("head script:not([src])").count() == 1
    expect(page.locator("html")).not_to_have_attribute("data-injected", re.compile(".*"))
    assert any("script-src 'self'" in message for message in messages), messages


def test_a_string_does_not_become_code(page: Page, demo_url: str) -> None:
    page.goto(demo_url)
    expect(total(page)).to_have_text("31 bytes")
    refusals = page.evaluate(
        """() => [
          () => { document.getElementById("reply").innerHTML = "<img>"; },
          () => { document.createElement("script").text = "1"; },
          () => new Worker("/static/main.js"),
        ].map((attempt) => { try { attempt(); return "done"; } catch (error) {
          return error.name;
        } })"""
    )
    assert refusals == ["TypeError", "TypeError", "TypeError"]


def test_reading_the_page_leaves_the_workspace_as_it_was(page: Page, own_demo: OwnDemo) -> None:
    before = trace(own_demo.root)
    page.goto(own_demo.url)
    expect(total(page)).to_have_text("5 bytes")
    page.reload()
    expect(total(page)).to_have_text("5 bytes")
    page.get_by_role("button", name="Load the module").click()
    expect(page.get_by_role("status", name="Lazy module's text")).not_to_be_empty()
    assert trace(own_demo.root) == before
