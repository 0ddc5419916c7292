def test_a_persistent_context(page):
    assert page.evaluate("navigator.language") == "de-DE"
    assert len(page.context.pages) == 2
