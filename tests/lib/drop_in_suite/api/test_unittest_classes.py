"""The documented pattern for unittest."""

import unittest

import pytest


class TestPages(unittest.TestCase):
    @pytest.fixture(autouse=True)
    def setup(self, page):
        self.page = page

    def test_one(self):
        assert self.page.evaluate("1 + 1") == 2

    def test_two(self):
        with self.subTest("inner"):
            self.page.set_content("x")

    @unittest.skip("on purpose")
    def test_three(self):
        raise AssertionError
