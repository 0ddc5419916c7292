"""What a source says about itself that matters for its lane: facts, no decision.

They depend on the bytes of the source alone, so that they can be stored under its digest.
"""

import msgspec

FACTS_VERSION = 2
"""Counts up whenever the same bytes would give other facts."""


class Import(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """`target` is dotted, from its first module to the name that is imported; a relative one
    begins with its dots. `bound` is the name that it gets, `*` for all names."""

    bound: str
    target: str


class Code(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """What a piece of code uses.

    `names` are dotted uses of what the source imports or defines, annotations left out;
    `imports` what it imports by itself; `commands` the first words of literal commands in calls;
    `requests` the literal names in `getfixturevalue`.
    """

    names: tuple[str, ...] = ()
    imports: tuple[Import, ...] = ()
    commands: tuple[tuple[str, ...], ...] = ()
    requests: tuple[str, ...] = ()


class Marks(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """What marks say: lanes by name, `usefixtures`, and names that `parametrize` gives directly."""

    lanes: tuple[str, ...] = ()
    fixtures: tuple[str, ...] = ()
    parameters: tuple[str, ...] = ()


class Function(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A function of a module or a class, whether or not pytest takes it for a test.

    `arguments` are those that pytest fills. `fixture` is the name under which it is one, or None.
    """

    name: str
    arguments: tuple[str, ...]
    code: Code
    marks: Marks
    fixture: str | None = None
    autouse: bool = False


class Class(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A class with its own functions and the dotted names of its bases."""

    name: str
    bases: tuple[str, ...]
    functions: tuple[Function, ...]
    classes: tuple["Class", ...]
    marks: Marks
    code: Code


class SourceFacts(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """The facts of one source. `error` says why it cannot be parsed; then nothing else is known.

    `code` is what runs when the module is imported. `plugins` is `pytest_plugins`; `ignored` and
    `ignored_globs` are a conftest's `collect_ignore` and `collect_ignore_glob`.
    """

    error: str | None = None
    line: int | None = None
    imports: tuple[Import, ...] = ()
    functions: tuple[Function, ...] = ()
    classes: tuple[Class, ...] = ()
    marks: Marks = Marks()
    code: Code = Code()
    plugins: tuple[str, ...] = ()
    ignored: tuple[str, ...] = ()
    ignored_globs: tuple[str, ...] = ()
