"""The edges of a page, found in its document tree (HTML standard)."""

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from selectolax.lexbor import LexborHTMLParser, LexborNode

from harness.resources.css import edges_of_css
from harness.resources.edges import Base, Edge, Inline, Kind, kind_of_name, one_line

_JAVASCRIPT_TYPES = frozenset(
    {
        "",
        "text/javascript",
        "application/javascript",
        "application/ecmascript",
        "application/x-ecmascript",
        "application/x-javascript",
        "text/ecmascript",
        "text/x-ecmascript",
        "text/x-javascript",
        "text/jscript",
        "text/livescript",
    }
)
_KIND_OF_AS = {
    "script": Kind.SCRIPT,
    "worker": Kind.WORKER,
    "style": Kind.STYLE,
    "font": Kind.FONT,
    "image": Kind.IMAGE,
    "audio": Kind.MEDIA,
    "video": Kind.MEDIA,
    "track": Kind.MEDIA,
    "document": Kind.DOCUMENT,
}
_KIND_OF_REL = {
    "stylesheet": Kind.STYLE,
    "modulepreload": Kind.MODULE,
    "icon": Kind.IMAGE,
    "apple-touch-icon": Kind.IMAGE,
    "mask-icon": Kind.IMAGE,
    "manifest": Kind.MANIFEST,
}
_ATTRIBUTES: Mapping[str, tuple[tuple[str, Kind], ...]] = {
    "img": (("src", Kind.IMAGE), ("srcset", Kind.IMAGE)),
    "source": (("src", Kind.MEDIA), ("srcset", Kind.IMAGE)),
    "video": (("src", Kind.MEDIA), ("poster", Kind.IMAGE)),
    "audio": (("src", Kind.MEDIA),),
    "track": (("src", Kind.MEDIA),),
    "embed": (("src", Kind.OTHER),),
    "object": (("data", Kind.OTHER),),
    "iframe": (("src", Kind.DOCUMENT),),
    "frame": (("src", Kind.DOCUMENT),),
    "body": (("background", Kind.IMAGE),),
    "image": (("href", Kind.IMAGE), ("xlink:href", Kind.IMAGE)),
    "feimage": (("href", Kind.IMAGE), ("xlink:href", Kind.IMAGE)),
    "use": (("href", Kind.IMAGE), ("xlink:href", Kind.IMAGE)),
}
_NO_EDGES = ("#", "data:", "blob:", "javascript:", "about:", "mailto:")


@dataclass(frozen=True, slots=True, kw_only=True)
class PageEdges:
    """Everything a page names: its edges, scripts, import maps, and the `href` of its base."""

    edges: list[Edge]
    scripts: list[Inline]
    import_maps: list[Inline]
    base: str | None


def edges_of_html(source: bytes) -> PageEdges:
    """Return what a page loads when scripting is on: `noscript` and `template` load nothing.

    Lines are those of the n-th tag of a name in the source. Anything is accepted.
    """
    page = PageEdges(edges=[], scripts=[], import_maps=[], base=None)
    base: str | None = None
    text = _with_scripting(source.decode("utf-8", "replace"))
    lines = _Lines(text)
    root = LexborHTMLParser(text).root
    for node in root.traverse(include_text=False) if root is not None else ():
        tag = (node.tag or "").lower()
        line = lines.of(tag)
        attributes = {name.lower(): value or "" for name, value in node.attributes.items()}
        if tag == "base" and base is None and "href" in attributes:
            base = attributes["href"]
        elif tag == "script":
            _read_script(page, node, attributes, line, lines)
        elif tag == "style":
            sheet = node.text() or ""
            start = lines.line_of_text(sheet, line)
            page.edges.extend(edges_of_css(sheet, first_line=start, base=Base.DOCUMENT))
        elif tag == "link":
            _read_link(page, attributes, line)
        elif tag == "input" and attributes.get("type", "").lower() == "image":
            _add(page, attributes.get("src"), Kind.IMAGE, line, f"<input src={attributes}")
        for name, kind in _ATTRIBUTES.get(tag, ()):
            values = _srcset(attributes[name]) if name == "srcset" and name in attributes else None
            for value in values if values is not None else [attributes.get(name)]:
                _add(page, value, kind, line, f"<{tag} {name}={value}>")
        if "style" in attributes:
            page.edges.extend(
                edges_of_css(attributes["style"], first_line=line, base=Base.DOCUMENT)
            )
    return PageEdges(
        edges=page.edges, scripts=page.scripts, import_maps=page.import_maps, base=base
    )


def _read_script(
    page: PageEdges, node: LexborNode, attributes: Mapping[str, str], line: int, lines: "_Lines"
) -> None:
    kind = attributes.get("type", "").strip().lower().partition(";")[0]
    module = kind == "module"
    text = node.text() or ""
    if kind == "importmap" and "src" not in attributes:
        start = lines.line_of_text(text, line)
        page.import_maps.append(Inline(source=text.encode(), line=start, module=False))
    elif not module and (kind not in _JAVASCRIPT_TYPES or "nomodule" in attributes):
        return
    elif "src" in attributes:
        _add(
            page,
            attributes["src"],
            Kind.MODULE if module else Kind.SCRIPT,
            line,
            f"<script src={attributes['src']}>",
            module=module,
        )
    elif text.strip():
        start = lines.line_of_text(text, line)
        page.scripts.append(Inline(source=text.encode(), line=start, module=module))


def _read_link(page: PageEdges, attributes: Mapping[str, str], line: int) -> None:
    rels = attributes.get("rel", "").lower().split()
    if "alternate" in rels and "stylesheet" in rels:
        rels.remove("stylesheet")
    if "preload" in rels or "prefetch" in rels:
        kind = _KIND_OF_AS.get(attributes.get("as", "").lower(), Kind.OTHER)
    else:
        known = [_KIND_OF_REL[rel] for rel in rels if rel in _KIND_OF_REL]
        if not known:
            return
        kind = known[0]
    text = f"<link rel={' '.join(rels)} href={attributes.get('href')}>"
    _add(page, attributes.get("href"), kind, line, text, module=kind is Kind.MODULE)
    for value in _srcset(attributes.get("imagesrcset", "")):
        _add(page, value, Kind.IMAGE, line, f"<link imagesrcset={value}>")


def _add(
    page: PageEdges, target: str | None, kind: Kind, line: int, text: str, *, module: bool = False
) -> None:
    target = (target or "").strip()
    if not target or target.lower().startswith(_NO_EDGES):
        return
    if kind is Kind.OTHER:
        kind = kind_of_name(target)
    page.edges.append(
        Edge(
            target=target,
            kind=kind,
            line=line,
            text=one_line(text),
            base=Base.DOCUMENT,
            module=module,
        )
    )


def _srcset(value: str) -> list[str]:
    """Return the URLs of an image candidate list, as the HTML standard splits it."""
    found, rest = [], value
    while rest := rest.lstrip(" \t\n\f\r,"):
        url, _, rest = _split_at_space(rest)
        if url.endswith(","):
            found.append(url.rstrip(","))
            continue
        found.append(url)
        rest = rest.partition(",")[2]
    return found


def _split_at_space(text: str) -> tuple[str, str, str]:
    found = re.search(r"[ \t\n\f\r]", text)
    return (text, "", "") if found is None else (text[: found.start()], " ", text[found.end() :])


_RAW = "script|style|textarea|title|noscript"


def _with_scripting(text: str) -> str:
    """Return the page with every `noscript` empty, line for line as long as before.

    With scripting on its content is text, up to the first end tag; the parser has no such mode.
    """
    scan = re.compile(
        rf"<!--.*?(?:-->|\Z)|<(?P<raw>{_RAW})(?=[\s/>])[^>]*>(?P<content>.*?)(?=</(?P=raw)|\Z)",
        re.DOTALL | re.IGNORECASE,
    )
    parts, at = [], 0
    for found in scan.finditer(text):
        if (found["raw"] or "").lower() == "noscript":
            parts += [text[at : found.start("content")], re.sub(r"[^\n]", " ", found["content"])]
            at = found.end()
    return "".join([*parts, text[at:]])


class _Lines:
    """Finds the line of a tag: the parser does not keep positions."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._starts = [0, *(found.end() for found in re.finditer("\n", text))]
        self._tags: dict[str, Iterator[int]] = {}

    def of(self, tag: str) -> int:
        """Return the line of the next tag of that name, from 1."""
        if tag not in self._tags:
            self._tags[tag] = self._all(tag)
        return next(self._tags[tag], 1)

    def line_of_text(self, text: str, line: int) -> int:
        """Return the line on which the content of the tag on `line` begins."""
        found = self._text.find(text, self._starts[line - 1]) if text else -1
        return line if found < 0 else self._line(found)

    def _all(self, tag: str) -> Iterator[int]:
        # Comments and raw text are stepped over as alternatives of one scan.
        scan = re.compile(
            rf"<!--.*?(?:-->|\Z)|<(?P<tag>{re.escape(tag)})(?=[\s/>])"
            rf"|<(?P<raw>{_RAW}|template)(?=[\s/>])",
            re.DOTALL | re.IGNORECASE,
        )
        at = 0
        while found := scan.search(self._text, at):
            at = found.end()
            if found["tag"]:
                yield self._line(found.start())
            raw = (found["raw"] or found["tag"] or "").lower()
            if raw in (*_RAW.split("|"), "template"):
                end = re.compile(rf"</{raw}", re.IGNORECASE).search(self._text, at)
                at = end.end() if end else len(self._text)

    def _line(self, offset: int) -> int:
        return bisect_right(self._starts, offset)
