def test_their_replacement(page, browser):
    assert browser.replaced
    assert page.evaluate("1 + 1") == 2
