"""Edges of pages and style sheets."""

from hypothesis import given
from hypothesis import strategies as st

from harness.resources.css import edges_of_css
from harness.resources.edges import Kind
from harness.resources.html import edges_of_html

PAGE = b"""<!doctype html>
<!-- <script src="commented.js"></script> -->
<base href="/app/">
<link rel="stylesheet" href="a.css"><link rel="canonical" href="/elsewhere">
<link rel="modulepreload" href="m.js">
<link rel="preload" as="font" href="f.woff2">
<script type="importmap">
{"imports": {"x": "/x.js"}}
</script>
<script src="classic.js"></script>
<script type="module" src="main.js"></script>
<script src="old.js" nomodule></script>
<script type="text/template"><img src="not-an-image.png"></script>
<script type="module">
  import './inline.js'
</script>
<template><script src="in-a-template.js"></script></template>
<noscript><img src="without-scripts.png"></noscript>
<style>
  @import "b.css" layer(x);
  p { background: url("p.png") }
</style>
<body style="background: url(body.png)">
<img src="i.png" srcset="i2.png 2x, i3.png 3x"
     alt="">
<img src="data:image/png;base64,AAAA"><a href="/link">no edge</a>
<svg><use href="#local"/><image href="v.svg"/></svg>
<video src="v.mp4" poster="v.png"></video>
"""


def test_everything_a_page_loads_and_nothing_that_it_does_not() -> None:
    page = edges_of_html(PAGE)
    assert page.base == "/app/"
    assert sorted((edge.line, edge.target, edge.kind.value) for edge in page.edges) == [
        (4, "a.css", "style"),
        (5, "m.js", "module"),
        (6, "f.woff2", "font"),
        (10, "classic.js", "script"),
        (11, "main.js", "module"),
        (20, "b.css", "style"),
        (21, "p.png", "image"),
        (23, "body.png", "image"),
        (24, "i.png", "image"),
        (24, "i2.png", "image"),
        (24, "i3.png", "image"),
        (27, "v.svg", "image"),
        (28, "v.mp4", "media"),
        (28, "v.png", "image"),
    ]
    assert [(one.line, one.module) for one in page.scripts] == [(14, True)]
    assert page.scripts[0].source.strip() == b"import './inline.js'"
    assert [one.source.strip() for one in page.import_maps] == [b'{"imports": {"x": "/x.js"}}']


def test_image_candidates_are_split_as_a_browser_splits_them() -> None:
    page = edges_of_html(b'<img srcset="a,b.png 1x,c.png, d.png 2x">')
    assert [edge.target for edge in page.edges] == ["a,b.png", "c.png", "d.png"]


def test_a_style_sheet() -> None:
    edges = edges_of_css(
        """@charset "utf-8"; @namespace svg url(http://www.w3.org/2000/svg);
@import url("a.css") screen;
@import 'b.css';
/* url(comment.png) */
@font-face { src: url(f.woff2) format("woff2"), src("g.woff2") }
@media print { a { b: image-set("i.png" type("image/png") 1x, url(j.png) 2x) } }
a { content: "url(no.png)"; c: url(#local); d: url(data:x) }
"""
    )
    assert [(edge.target, edge.line, edge.kind) for edge in edges] == [
        ("a.css", 2, Kind.STYLE),
        ("b.css", 3, Kind.STYLE),
        ("f.woff2", 5, Kind.FONT),
        ("g.woff2", 5, Kind.FONT),
        ("i.png", 6, Kind.IMAGE),
        ("j.png", 6, Kind.IMAGE),
    ]


def test_deep_nesting_ends() -> None:
    edges_of_css("a{" * 50_000 + "b:url(x.png)")
    edges_of_html(b"<div>" * 5_000 + b"<img src=x.png>")


@given(st.binary(max_size=400))
def test_any_page_is_accepted(source: bytes) -> None:
    assert all(edge.line >= 1 for edge in edges_of_html(source).edges)


@given(st.text(max_size=200))
def test_any_style_sheet_is_accepted(source: str) -> None:
    assert all(edge.target for edge in edges_of_css(source))
