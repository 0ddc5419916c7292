def test_a(page):
    page.set_content("<div>kept</div>")


def test_b(page):
    assert page.text_content("div") == "kept"
