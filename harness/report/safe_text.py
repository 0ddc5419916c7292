"""Text of strangers, made safe for one line of output; and quoted so that a shell reads it back.

Names of tests and files, and everything that a test prints, may hold characters that clear a
screen, begin a new line or cannot be encoded. A reader of markers must not be fooled by them.
"""

import os
import shlex


def one_line(text: str) -> str:
    """Return text as one printable line: what is not printable comes as `\\xNN` or `\\uNNNN`.

    That holds for control characters, every kind of line end, changes of writing direction and
    lone surrogates. A backslash stays as it is.
    """
    if text.isprintable():
        return text
    return "".join(
        character if character.isprintable() else ascii(character)[1:-1] for character in text
    )


def shortened(text: str, width: int) -> str:
    """Return text in at most `width` terminal cells, with `…` in its middle where it was cut.

    The end keeps more than the start: in paths and test names it tells more.
    """
    from rich.cells import cell_len

    if cell_len(text) <= width:
        return text
    if width < 1:
        return ""
    head = _start(text, (width - 1) // 3)
    tail = _start(text[::-1], width - 1 - cell_len(head))[::-1]
    return f"{head}…{tail}"


def _start(text: str, cells: int) -> str:
    from rich.cells import cell_len

    end = 0
    while end < len(text) and (cells := cells - cell_len(text[end])) >= 0:
        end += 1
    return text[:end]


def shell_quoted(text: str) -> str:
    """Quote one argument for a POSIX shell, on one line whatever it holds.

    What is not printable is written as `$'\\NNN'`, which bash, zsh and POSIX.1-2024 shells read
    back as the same bytes; anything else is quoted as `shlex.quote` does.
    """
    if text.isprintable():
        return shlex.quote(text)
    parts = []
    for character in text:
        if character in "\\'":
            parts.append("\\" + character)
        elif character.isprintable():
            parts.append(character)
        else:
            # Octal has at most three digits; a `\xNN` may take in the digits that follow it.
            parts += [f"\\{byte:03o}" for byte in _file_system_bytes(character)]
    return "$'" + "".join(parts) + "'"


def _file_system_bytes(character: str) -> bytes:
    try:
        return os.fsencode(character)
    except UnicodeEncodeError:
        return character.encode("utf-8", "surrogatepass")
