"""Edges of JavaScript: what is loaded, by which rule, and what only a run can tell."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.resources.edges import Base, Kind
from harness.resources.javascript import edges_of_javascript


def read(source: str) -> list[tuple[str | None, Kind, Base, bool]]:
    """Return target, kind, base and module of every edge."""
    return [
        (edge.target, edge.kind, edge.base, edge.module)
        for edge in edges_of_javascript(source.encode())
    ]


@pytest.mark.parametrize(
    ("source", "target", "kind", "base", "module"),
    [
        ("import './a.js'", "./a.js", Kind.MODULE, Base.SPECIFIER, True),
        ("import a, {b as c} from 'pkg/x'", "pkg/x", Kind.MODULE, Base.SPECIFIER, True),
        ("export * from './a.js'", "./a.js", Kind.MODULE, Base.SPECIFIER, True),
        ("export {a} from './a.js'", "./a.js", Kind.MODULE, Base.SPECIFIER, True),
        ("import d from './d.j' with {type: 'json'}", "./d.j", Kind.JSON, Base.SPECIFIER, True),
        ("import s from './s' with {type: \"css\"}", "./s", Kind.STYLE, Base.SPECIFIER, True),
        ("await import('./a.js')", "./a.js", Kind.MODULE, Base.SPECIFIER, True),
        ("import(`./a.js`)", "./a.js", Kind.MODULE, Base.SPECIFIER, True),
        ("import('./d', {with: {type: 'json'}})", "./d", Kind.JSON, Base.SPECIFIER, True),
        ("import(/* why */ './a.js')", "./a.js", Kind.MODULE, Base.SPECIFIER, True),
        ("new Worker('w.js')", "w.js", Kind.WORKER, Base.DOCUMENT, False),
        ("new Worker('w.js', {type: 'module'})", "w.js", Kind.WORKER, Base.DOCUMENT, True),
        ("new window.SharedWorker('w.js')", "w.js", Kind.WORKER, Base.DOCUMENT, False),
        ("new Worker(new URL('w.js', import.meta.url))", "w.js", Kind.WORKER, Base.FILE, False),
        ("new Worker(new URL('w', import.meta.url).href)", "w", Kind.WORKER, Base.FILE, False),
        ("new Worker(new URL('w', document.baseURI))", "w", Kind.WORKER, Base.DOCUMENT, False),
        ("new URL('p.png', import.meta.url)", "p.png", Kind.IMAGE, Base.FILE, False),
        ("new URL('m.wasm', import.meta.url)", "m.wasm", Kind.WASM, Base.FILE, False),
        ("importScripts('a.js')", "a.js", Kind.SCRIPT, Base.DOCUMENT, False),
        ("self.importScripts('a.js')", "a.js", Kind.SCRIPT, Base.DOCUMENT, False),
        ("navigator.serviceWorker.register('/sw.js')", "/sw.js", Kind.WORKER, Base.DOCUMENT, False),
        ("c.audioWorklet.addModule('p.js')", "p.js", Kind.WORKER, Base.DOCUMENT, True),
        ("CSS.paintWorklet.addModule('p.js')", "p.js", Kind.WORKER, Base.DOCUMENT, True),
        ("import.meta.resolve('x')", "x", Kind.OTHER, Base.SPECIFIER, False),
        (r"import('./\u0061.js')", "./a.js", Kind.MODULE, Base.SPECIFIER, True),
    ],
)  # fmt: skip
def test_what_is_loaded(source: str, target: str, kind: Kind, base: Base, module: bool) -> None:
    assert read(source) == [(target, kind, base, module)]


@pytest.mark.parametrize(
    ("source", "kind"),
    [
        ("import(name)", Kind.MODULE),
        ("import(`./${name}.js`)", Kind.MODULE),
        ("import('./' + name)", Kind.MODULE),
        ("new Worker(url)", Kind.WORKER),
        ("new Worker(new URL(`${x}.js`, import.meta.url))", Kind.WORKER),
        ("importScripts(...names)", Kind.SCRIPT),
        ("navigator.serviceWorker.register(url)", Kind.WORKER),
        ("new URL(name, import.meta.url)", Kind.OTHER),
    ],
)
def test_what_only_a_run_can_tell_is_an_edge_without_a_target(source: str, kind: Kind) -> None:
    (edge,) = edges_of_javascript(f"\n\n{source}".encode())
    assert (edge.target, edge.kind, edge.line, edge.text) == (None, kind, 3, source)


@pytest.mark.parametrize(
    "source",
    [
        "// import './a.js'",
        "/* new Worker('w.js') */",
        "const s = \"import './a.js'\"",
        "const s = `import('./a.js')`",
        "export const a = 1",
        "new URL('/x', base)",
        "new Thing.Worker('w.js')",
        "customElements.register('x')",
        "/import('a')/.test(x)",
    ],
)
def test_what_only_looks_like_a_reference_is_none(source: str) -> None:
    assert read(source) == []


def test_both_ends_of_a_choice_and_every_script_of_a_call() -> None:
    assert [edge[0] for edge in read("import(a ? './a.js' : (b ? './b.js' : './c.js'))")] == [
        "./a.js",
        "./b.js",
        "./c.js",
    ]
    assert [edge[0] for edge in read("importScripts('a.js', 'b.js')")] == ["a.js", "b.js"]


def test_order_and_lines_are_those_of_the_source() -> None:
    edges = edges_of_javascript(b"const x = 1;\nimport('./b.js');\nimport './a.js';\n")
    assert [(edge.target, edge.line) for edge in edges] == [("./b.js", 2), ("./a.js", 3)]


def test_a_deep_tree_and_a_broken_one_end() -> None:
    deep = b"(" * 20_000 + b"import('./a.js')" + b")" * 20_000
    edges_of_javascript(deep)
    assert [e.target for e in edges_of_javascript(b"import './a.js'; ((( }} \xff\xfe")] == [
        "./a.js"
    ]


@given(st.binary(max_size=400))
def test_anything_is_accepted(source: bytes) -> None:
    assert all(edge.line >= 1 for edge in edges_of_javascript(source))
