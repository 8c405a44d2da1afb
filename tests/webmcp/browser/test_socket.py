"""The limits of data that a browser may send before any of it is read."""

import asyncio

import pytest
from websockets.asyncio.server import ServerConnection, serve

from inspector.errors import UnreachableError
from inspector.webmcp.browser.socket import Socket


@pytest.mark.parametrize("url", ["ws://127.0.0.1:99999", "ws://[::1", f"ws://{'a' * 300}.localhost"])
async def test_no_address_is_waited_for_without_end(url: str) -> None:
    async with asyncio.timeout(20):
        with pytest.raises(UnreachableError, match="debugging port does not answer"):
            await Socket.open(url, 1)


@pytest.mark.parametrize(
    ("sizes", "taken", "why"),
    [
        ([1 << 20, 1 << 20], 2, "the browser closed the connection"),
        ([1 << 20, (1 << 20) + 1], 1, "the browser sent a message of more than 1 MiB"),
        ([1 << 20, 1 << 20, 1 << 20, 1, 1], 3, "the browser sent more than 3 MiB"),
    ],
)
async def test_a_connection_ends_at_the_limits_for_one_and_for_all_messages(
    sizes: list[int], taken: int, why: str
) -> None:
    async def send(connection: ServerConnection) -> None:
        for size in sizes:
            await connection.send("x" * size)

    async with serve(send, "127.0.0.1", 0) as server:
        port = next(iter(server.sockets)).getsockname()[1]
        socket = await Socket.open(
            f"ws://127.0.0.1:{port}", 10, most_bytes=1 << 20, most_bytes_in_all=3 << 20
        )
        try:
            async with asyncio.timeout(20):
                assert [len(await socket.receive()) for _ in range(taken)] == sizes[:taken]
                with pytest.raises(ConnectionError, match=f"^{why}$"):
                    await socket.receive()
        finally:
            await socket.close()
