"""The command line of a Chromium: Playwright's own switches, and the few that are ours."""

import os
from collections.abc import Sequence

# The version whose list this is; a test compares it with the installed driver's.
PLAYWRIGHT_VERSION = "1.65"

DISABLED_FEATURES = (
    "AvoidUnnecessaryBeforeUnloadCheckSync",
    "DestroyProfileOnBrowserClose",
    "HttpsUpgrades",
    "HttpsFirstBalancedModeAutoEnable",
    "LensOverlay",
    "MediaRouter",
    "PaintHolding",
    "ThirdPartyStoragePartitioning",
    "AvoidCorsURLLoaderRestartOnRedirect",
    "TcpPortRandomizationWin",
    "OptimizationHints",
    "NetworkTimeServiceQuerying",
    "AimEnabled",
    "PreconnectToSearch",
    "msForceBrowserSignIn",
    "msEdgeUpdateLaunchServicesPreferredVersion",
)
ENABLED_FEATURES = ("CDPScreenshotNewSurface", "SkipListAccountsWithoutGaiaCookies")
PLAYWRIGHT_SWITCHES = (
    "--disable-field-trial-config",
    "--disable-background-networking",
    "--disable-background-timer-throttling",
    "--disable-backgrounding-occluded-windows",
    "--disable-back-forward-cache",
    "--disable-breakpad",
    "--disable-component-extensions-with-background-pages",
    "--disable-component-update",
    "--no-default-browser-check",
    "--disable-default-apps",
    "--disable-dev-shm-usage",
    "--disable-edgeupdater",
    "--disable-extensions",
    f"--disable-features={','.join(DISABLED_FEATURES)}",
    f"--enable-features={','.join(ENABLED_FEATURES)}",
    "--allow-pre-commit-input",
    "--disable-hang-monitor",
    "--disable-ipc-flooding-protection",
    "--disable-popup-blocking",
    "--disable-prompt-on-repost",
    "--disable-renderer-backgrounding",
    "--disable-updater-scheduler",
    "--force-color-profile=srgb",
    "--metrics-recording-only",
    "--no-first-run",
    "--password-store=basic",
    "--use-mock-keychain",
    "--no-service-autorun",
    "--disable-search-engine-choice-screen",
    "--unsafely-disable-devtools-self-xss-warnings",
    "--enable-unsafe-swiftshader",
    "--edge-skip-compat-layer-relaunch",
    "--disable-stack-profiler",
    "--disable-infobars",
    "--disable-sync",
    "--do-not-de-elevate",
)
HEADLESS_SWITCHES = (
    "--hide-scrollbars",
    "--mute-audio",
    "--blink-settings=primaryHoverType=2,availableHoverTypes=2,"
    "primaryPointerType=4,availablePointerTypes=4",
)


def needs_no_sandbox() -> bool:
    """Chromium refuses to run its sandbox as uid 0 and exits; nobody else goes without it."""
    return os.geteuid() == 0


def command_line(
    *,
    profile: str,
    headless: bool,
    headless_shell: bool,
    zygote: bool = True,
    arguments: Sequence[str] = (),
) -> list[str]:
    """Return the switches for one launch; the caller's own come last but one, so that they win.

    Both remote debugging switches are there on purpose: the port is for Playwright, the pipe
    ends the browser with its warden.
    """
    line = list(PLAYWRIGHT_SWITCHES)
    if headless:
        line.append("--headless" if headless_shell else "--headless=new")
        line += HEADLESS_SWITCHES
    if needs_no_sandbox():
        line.append("--no-sandbox")
    if not zygote:
        line.append("--no-zygote")
    line += arguments
    line += [
        f"--user-data-dir={profile}",
        "--remote-debugging-port=0",
        "--remote-debugging-pipe",
        "--no-startup-window",
    ]
    return line
