"""Whose fixture wins: a suite's always, wherever it defines it; ours over pytest-playwright's only.

Among plugins the one that was registered last wins. A conftest always wins over a plugin, but
a suite may keep its fixtures in modules that it names in `pytest_plugins` or with `-p`, and
other distributions have fixtures too.
"""

from types import ModuleType

import pytest

_PLAYWRIGHT = "pytest_playwright."


def fixture_names(plugin: object) -> dict[str, str]:
    """Return the fixtures that a plugin defines: the name to request, to its attribute."""
    found = {}
    for attribute, value in tuple(getattr(plugin, "__dict__", {}).items()):
        marker = getattr(value, "_fixture_function_marker", None) or getattr(
            value, "_pytestfixturefunction", None
        )
        if marker is not None:
            found[getattr(marker, "name", None) or attribute] = attribute
    return found


def without_what_others_define(
    module: ModuleType, pluginmanager: pytest.PytestPluginManager
) -> ModuleType:
    """Return a plugin with those fixtures of `module` that no other plugin defines.

    pytest-playwright's are not counted: those are what ours stand in front of. Neither are
    conftests', which win anyway, for their own part of the tree.
    """
    taken: set[str] = set()
    for name, plugin in pluginmanager.list_name_plugin():
        if plugin is None or plugin is module or name.endswith("conftest.py"):
            continue
        if not getattr(plugin, "__name__", "").startswith(_PLAYWRIGHT):
            taken |= fixture_names(plugin).keys()
    kept = ModuleType(module.__name__, module.__doc__)
    for name, attribute in fixture_names(module).items():
        if name not in taken:
            setattr(kept, attribute, getattr(module, attribute))
    return kept
