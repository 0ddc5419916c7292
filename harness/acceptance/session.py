"""What one `accept` holds while it runs: its deadline, one browser, the private instances."""

import itertools
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from harness.acceptance.instance import PrivateInstance, private_instance
from harness.config.accept import AcceptSettings
from harness.config.schema import Config
from harness.server.ingress import Ingress

if TYPE_CHECKING:
    from playwright.sync_api import Browser


class Session:
    """Owns what the checks share. Use as a context manager: everything is ended with it.

    `scratch` is a private folder that its caller owns; `deadline` is in time.monotonic().
    """

    def __init__(
        self,
        config: Config,
        settings: AcceptSettings,
        project: Path,
        scratch: Path,
        deadline: float,
    ) -> None:
        self.config = config
        self.settings = settings
        self.project = project
        self.deadline = deadline
        self._scratch = scratch
        self._stack = ExitStack()
        self._numbers = itertools.count(1)
        self._browser: Browser | None = None
        self._instance: PrivateInstance | None = None

    def __enter__(self) -> "Session":
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def remaining(self) -> float:
        """Return the seconds that are left, never negative."""
        return max(0.0, self.deadline - time.monotonic())

    def browser(self) -> "Browser":
        """Launch the browser on the first call, and return it on every one."""
        if self._browser is None:
            self._browser = self._launch()
        return self._browser

    def private_context(self) -> "CheckContext":
        """Return the context of phase B; its instance is started by the first call."""
        if self._instance is None:
            self._instance = self._stack.enter_context(self.fresh_instance())
        return CheckContext(session=self, origin=self._instance.origin, root=self._instance.root)

    def shared_context(self, origin: str) -> "CheckContext":
        """Return the context of phase A for the front at `origin`."""
        return CheckContext(session=self, origin=origin, root=None)

    @contextmanager
    def fresh_instance(self) -> Iterator[PrivateInstance]:
        """Start one more private instance."""
        folder = self._scratch / f"instance-{next(self._numbers)}"
        with private_instance(
            self.config, self.settings, self.project, folder, self.remaining()
        ) as instance:
            yield instance

    def _launch(self) -> "Browser":
        from playwright.sync_api import sync_playwright

        from harness.browser.connect import connect
        from harness.browser.launch import LaunchOptions, launch

        chromium = self._stack.enter_context(
            launch(
                LaunchOptions(
                    arguments=self.config.browser_args,
                    zygote=self.config.zygote,
                    private_home=self.config.private_home,
                    start_seconds=min(self.config.browser_start_seconds, self.remaining()),
                    bound_key="browser_start_seconds in [tool.harness]",
                )
            )
        )
        playwright = self._stack.enter_context(sync_playwright())
        return connect(playwright.chromium, chromium, seconds=max(1.0, self.remaining()))


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckContext:
    """What a check is given; see `harness.acceptance.check.Context`."""

    session: Session
    origin: str
    root: Path | None

    @property
    def settings(self) -> AcceptSettings:
        """What the project told about its page."""
        return self.session.settings

    @property
    def project(self) -> Path:
        """The folder of the pyproject.toml."""
        return self.session.project

    @property
    def deadline(self) -> float:
        """When the run must end, in time.monotonic()."""
        return self.session.deadline

    def remaining(self) -> float:
        """Return the seconds until the whole run must end."""
        return self.session.remaining()

    def browser(self) -> "Browser":
        """Return the one browser of the run."""
        return self.session.browser()

    def fresh_instance(self) -> AbstractContextManager[PrivateInstance]:
        """Return one more private instance, which nothing has touched yet."""
        return self.session.fresh_instance()

    @contextmanager
    def witnessed_instance(self) -> "Iterator[tuple[PrivateInstance, Ingress]]":
        """Start one more private instance with a witness in front of it."""
        with self.fresh_instance() as instance, Ingress(instance.origin) as ingress:
            yield instance, ingress
