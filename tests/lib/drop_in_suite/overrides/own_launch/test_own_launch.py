def test_their_launch(page):
    assert page.evaluate("navigator.userAgent") == "Launch/1.0"
