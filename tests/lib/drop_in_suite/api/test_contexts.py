"""What contexts do: state, permissions, credentials, proxies, recordings."""

import json

import pytest
from playwright.sync_api import Error, expect


def test_storage_state(new_context, site, tmp_path):
    context = new_context()
    page = context.new_page()
    page.goto(site)
    page.evaluate("localStorage.setItem('key', 'kept'); document.cookie = 'c=1'")
    context.storage_state(path=tmp_path / "state.json")
    other = new_context(storage_state=tmp_path / "state.json").new_page()
    other.goto(site)
    assert other.evaluate("[localStorage.getItem('key'), document.cookie]") == ["kept", "c=1"]


def test_contexts_do_not_see_each_other(new_context, site):
    first, second = new_context().new_page(), new_context().new_page()
    first.goto(site)
    first.evaluate("localStorage.setItem('key', 'mine')")
    second.goto(site)
    assert second.evaluate("localStorage.getItem('key')") is None


@pytest.mark.browser_context_args(
    geolocation={"latitude": 48.1, "longitude": 11.6}, permissions=["geolocation"]
)
def test_geolocation(page, site):
    page.goto(site)
    assert page.evaluate(
        "new Promise(done => navigator.geolocation.getCurrentPosition("
        "p => done([p.coords.latitude, p.coords.longitude])))"
    ) == [48.1, 11.6]


def test_clipboard(page, context, site):
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.goto(site)
    page.evaluate("navigator.clipboard.writeText('copied')")
    assert page.evaluate("navigator.clipboard.readText()") == "copied"


def test_permissions_are_asked_for_by_default(page, context, site):
    page.goto(site)
    ask = "navigator.permissions.query({name: 'geolocation'}).then(found => found.state)"
    assert page.evaluate(ask) == "prompt"
    context.grant_permissions(["geolocation"])
    assert page.evaluate(ask) == "granted"
    context.clear_permissions()


def test_credentials(new_context, site):
    inside = new_context(http_credentials={"username": "user", "password": "word"}).new_page()
    inside.goto(f"{site}/secret")
    expect(inside).to_have_title("Inside")
    with pytest.raises(Error, match="ERR_INVALID_AUTH_CREDENTIALS"):
        new_context().new_page().goto(f"{site}/secret")


def test_a_proxy_of_a_context(new_context, site):
    page = new_context(proxy={"server": site}).new_page()
    page.goto("http://proxied.test/")
    expect(page).to_have_title("Through the proxy")


def test_offline(page, context, site):
    page.goto(site)
    context.set_offline(True)
    with pytest.raises(Error, match="ERR_INTERNET_DISCONNECTED"):
        page.goto(site)
    context.set_offline(False)
    page.goto(site)


def test_headers(new_context, site):
    page = new_context(extra_http_headers={"X-Probe": "seen"}).new_page()
    page.goto(f"{site}/agent")
    assert page.text_content("body") == "seen"


def test_a_service_worker_answers_and_is_heard_of(page, context, site):
    with context.expect_event("serviceworker") as caught:
        page.goto(f"{site}/worker")
    assert caught.value.url == f"{site}/sw.js"
    page.evaluate("window.ready")
    page.wait_for_function("navigator.serviceWorker.controller")
    assert page.evaluate("fetch('/made').then(r => r.text())") == "by the worker"
    assert [worker.url for worker in context.service_workers] == [f"{site}/sw.js"]


@pytest.mark.browser_context_args(service_workers="block")
def test_a_service_worker_is_blocked(page, context, site):
    page.goto(f"{site}/worker")
    assert context.service_workers == []


def test_har_is_recorded_and_replayed(new_context, site, tmp_path):
    har = tmp_path / "site.har"
    context = new_context(record_har_path=har)
    context.new_page().goto(site)
    context.close()
    entries = json.loads(har.read_text())["log"]["entries"]
    assert [entry["request"]["url"] for entry in entries] == [f"{site}/"]
    replayed = new_context()
    replayed.route_from_har(har, not_found="abort")
    page = replayed.new_page()
    page.goto(f"{site}/")
    expect(page).to_have_title("Start")


def test_a_trace_is_written(new_context, site, tmp_path):
    context = new_context()
    context.tracing.stop()
    context.tracing.start(screenshots=True, snapshots=True)
    context.new_page().goto(site)
    context.tracing.stop(path=tmp_path / "trace.zip")
    assert (tmp_path / "trace.zip").stat().st_size > 1000


def test_the_context_manager_of_a_context(browser):
    with browser.new_context() as context:
        context.new_page()
    assert context not in browser.contexts


def test_request_shares_the_cookies(context, site):
    assert context.request.get(site).status == 200


def test_api_requests_without_a_page(playwright, site):
    request = playwright.request.new_context(base_url=site)
    assert request.get("/next").ok
    request.dispose()


def test_devices(new_context, playwright, site):
    page = new_context(**playwright.devices["iPhone 11 Pro"]).new_page()
    page.goto(site)
    assert "iPhone" in page.evaluate("navigator.userAgent")
    assert page.evaluate("'ontouchstart' in window")


def test_java_script_off(new_context):
    page = new_context(java_script_enabled=False).new_page()
    page.goto("data:text/html,<title>still</title><script>document.title = 'ran'</script>")
    expect(page).to_have_title("still")
