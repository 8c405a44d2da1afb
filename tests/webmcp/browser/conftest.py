from collections.abc import AsyncGenerator

import pytest_asyncio

from tests.webmcp.browser.browsing import browser
from tests.webmcp.browser.site import Site


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def cdp() -> AsyncGenerator[str]:
    """One browser for all tests of a module."""
    async with browser() as address:
        yield address


@pytest_asyncio.fixture(loop_scope="module")
async def site() -> AsyncGenerator[Site]:
    async with Site() as listening:
        yield listening
