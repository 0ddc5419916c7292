def test_their_type(browser_type, browser_name):
    assert browser_type.name == "chromium"
    assert browser_name == "mine"
