def test_their_browser(page, browser):
    assert browser.mine
    assert page.context.browser == browser
    assert page.evaluate("navigator.userAgent") == "Root/1.0"
