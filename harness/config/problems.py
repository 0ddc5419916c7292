"""What is wrong with a configuration: facts per problem, one exception for all of them."""

from collections.abc import Iterable
from dataclasses import dataclass

from harness.errors import UsageError


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """One thing to correct in one file.

    `key` is dotted from the top of the file (`tool.harness.browser_args`) and empty when the
    file as a whole is at fault. `line` counts from 1 and is None when it cannot be told.
    `message` says what was found and what is expected.
    """

    key: str
    file: str
    line: int | None
    message: str

    def __str__(self) -> str:
        place = self.file if self.line is None else f"{self.file}:{self.line}"
        return f"{place}: {self.key}: {self.message}" if self.key else f"{place}: {self.message}"


class ConfigError(UsageError):
    """The configuration cannot be used. `problems` holds every problem, in file order."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__(self.problems)

    def __str__(self) -> str:
        return "\n".join(str(problem) for problem in self.problems)
