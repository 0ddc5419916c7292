"""Import maps (HTML standard, "import maps"): from a specifier to a URL."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field

from harness.resources.urls import join

Addresses = Mapping[str, str | None]
"""A name or URL, to an absolute URL; None where the map blocks it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportMap:
    """The import map of a page, with absolute URLs; empty when the page has none."""

    imports: Addresses = field(default_factory=dict)
    scopes: Mapping[str, Addresses] = field(default_factory=dict)

    def merged_with(self, later: "ImportMap") -> "ImportMap":
        """Return both; what the earlier one says stays (HTML: merge existing and new)."""
        scopes = dict(self.scopes)
        for scope, addresses in later.scopes.items():
            scopes[scope] = {**addresses, **scopes.get(scope, {})}
        return ImportMap(imports={**later.imports, **self.imports}, scopes=scopes)


def parse_import_map(source: bytes, base: str) -> tuple[ImportMap, list[str]]:
    """Return the map with URLs against `base`, and what is wrong with it.

    A map that is no JSON object of objects is empty: the browser throws it away as well.
    """
    try:
        parsed = json.loads(source)
    except (ValueError, RecursionError) as problem:
        return ImportMap(), [f"the import map is no JSON: {problem}"]
    if not isinstance(parsed, dict):
        return ImportMap(), ["the import map is no object"]
    imports, scopes = parsed.get("imports", {}), parsed.get("scopes", {})
    if not isinstance(imports, dict) or not isinstance(scopes, dict):
        return ImportMap(), ["`imports` and `scopes` of an import map are objects"]
    problems: list[str] = []
    read: dict[str, Addresses] = {}
    for name, addresses in scopes.items():
        scope = join(base, name)
        if not isinstance(addresses, dict):
            return ImportMap(), [f"the scope {name!r} of the import map is no object"]
        if scope is None:
            problems.append(f"the scope {name!r} of the import map is no URL")
        else:
            read[scope] = _addresses(addresses, base, problems)
    return ImportMap(imports=_addresses(imports, base, problems), scopes=read), problems


def resolve(specifier: str, importer: str, maps: ImportMap) -> str | None:
    """Return the URL that `specifier` in the file at `importer` means; None where none."""
    as_url = _as_url(specifier, importer)
    name = as_url or specifier
    # The longest scope that holds the importer comes first.
    for scope in sorted(maps.scopes, key=len, reverse=True):
        if scope == importer or (scope.endswith("/") and importer.startswith(scope)):
            found, url = _match(name, as_url, maps.scopes[scope])
            if found:
                return url
    found, url = _match(name, as_url, maps.imports)
    return url if found else as_url


def _match(name: str, as_url: str | None, addresses: Addresses) -> tuple[bool, str | None]:
    if name in addresses:
        return True, addresses[name]
    for key in sorted(addresses, key=len, reverse=True):
        special = as_url is None or as_url.startswith(("http:", "https:"))
        if key.endswith("/") and name.startswith(key) and special:
            target = addresses[key]
            if target is None:
                return True, None
            url = join(target, name[len(key) :])
            # A target must not lead out of its folder.
            return True, url if url is not None and url.startswith(target) else None
    return False, None


def _addresses(
    table: Mapping[str, object], base: str, problems: list[str]
) -> dict[str, str | None]:
    read: dict[str, str | None] = {}
    for key, value in table.items():
        if not key:
            problems.append("an import map names an empty specifier")
            continue
        url = _as_url(value, base) if isinstance(value, str) else None
        if url is None:
            problems.append(f"the import map's target of {key!r} is no URL: {value!r}")
        elif key.endswith("/") and not url.endswith("/"):
            problems.append(f"the import map's target of {key!r} does not end with '/': {value!r}")
            url = None
        read[_as_url(key, base) or key] = url
    return read


def _as_url(specifier: str, base: str) -> str | None:
    """Return the URL of a specifier that is one: relative with `/`, `./`, `../`, or absolute."""
    if specifier.startswith(("/", "./", "../")):
        return join(base, specifier)
    scheme, colon, _ = specifier.partition(":")
    if colon and scheme.isascii() and scheme.replace("+", "").replace("-", "").isalnum():
        return join(base, specifier)
    return None
