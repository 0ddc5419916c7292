"""A server that is not ready in time names what bounds its start."""

import pytest

pytestmark = pytest.mark.server

SILENT = '[sys.executable, "-c", "import time; time.sleep(60)"]'


def test_the_configuration_or_the_call_is_named(pytester: pytest.Pytester) -> None:
    pytester.makepyprojecttoml("[tool.harness]\nserver_start_seconds = 0.5\n")
    pytester.makepyfile(
        f"""
        import sys

        def test_configured(serve): serve({SILENT})

        def test_called(serve): serve({SILENT}, start_seconds=0.4)

        def test_thread(serve):
            async def refuse(request): raise RuntimeError("not yet")
            from aiohttp import web
            app = web.Application()
            app.router.add_get("/", refuse)
            serve(app)
        """
    )
    result = pytester.runpytest_subprocess("-p", "no:cacheprovider")
    result.assert_outcomes(failed=3)
    text = result.stdout.str()
    assert text.count("(its bound is 0.5 s: server_start_seconds in [tool.harness]): it ") == 2
    assert text.count("(its bound is 0.4 s: start_seconds): it ") == 1
