"""What has bitten plugins of this kind before."""

import asyncio
import os
import signal

import pytest


@pytest.mark.parametrize("page", ["a parameter"])
def test_a_parameter_called_page(page):
    assert page == "a parameter"


@pytest.mark.unit
def test_with_the_suites_own_mark():
    raise AssertionError


def test_without_the_mark():
    pass


def test_a_page_while_every_warning_is_an_error(page):
    page.set_content("<title>x</title>")
    assert page.title() == "x"


def test_the_loop_that_the_sync_api_leaves_running(page):
    async def nothing():
        pass

    coroutine = nothing()
    with pytest.raises(RuntimeError, match="running event loop"):
        asyncio.run(coroutine)
    coroutine.close()


def test_an_interrupt_that_the_shell_has_switched_off():
    assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    os.kill(os.getpid(), signal.SIGINT)
