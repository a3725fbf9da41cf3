"""The web server: textual-serve, held to this machine's own pages. The one door to it (VIEW-9).

Its page is replaced, since it fetches a font from elsewhere (ALL-3), and so is its way to end,
which waits for browsers instead of telling them.
"""

import asyncio
import signal
import socket
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path
from string import Template

from aiohttp import web
from textual_serve.server import Server

from app.web.origin import is_loopback, is_own_host, is_own_page

PAGE = Template(Path(__file__).with_name("page.html").read_text(encoding="utf-8"))
FONT_SIZE, SMALLEST, LARGEST = 16, 6, 60
END_SECONDS = 8.0
"""Longest wait for the programs that still run: each closes its session."""
HEADERS = {
    # Nothing on the page may come from elsewhere, whatever a later version of it asks for.
    "Content-Security-Policy": "default-src 'self'; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data: blob:; connect-src 'self' ws: wss:; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
}
Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


class LocalServer(Server):
    """Serves a program to the pages that it has served itself.

    Args:
        command: What runs for each page, as a shell reads it.
        listener: Bound, and listening from `run` on.
    """

    def __init__(self, command: str, listener: socket.socket) -> None:
        host, port = listener.getsockname()[:2]
        super().__init__(command, host=host, port=port, title="Strata")
        self._listener = listener
        self._local = is_loopback(host)
        self._open: dict[asyncio.Event, asyncio.Task[object]] = {}
        """The task of each page, by what is set when its program has ended."""

    async def run(self) -> None:
        """Serves until the process is told to end; then ends what runs for each page."""
        ending = asyncio.Event()
        loop = asyncio.get_running_loop()
        for name in (signal.SIGINT, signal.SIGTERM):
            with suppress(NotImplementedError):
                loop.add_signal_handler(name, ending.set)
        runner = web.AppRunner(await self._make_app(), shutdown_timeout=END_SECONDS)
        await runner.setup()
        try:
            await web.SockSite(runner, self._listener).start()
            await ending.wait()
        finally:
            await runner.cleanup()

    async def _make_app(self) -> web.Application:
        app = web.Application(middlewares=[self._guard])
        app.add_routes(
            [
                web.get("/", self.handle_index),
                web.get("/ws", self.handle_websocket),
                web.get("/download/{key}", self.handle_download),
                web.static("/static", self.statics_path),
            ]
        )
        app.on_shutdown.append(self.on_shutdown)
        return app

    async def on_shutdown(self, app: web.Application) -> None:  # noqa: ARG002
        """Lets each page's program end, and waits for it."""
        ending = dict(self._open)
        for task in ending.values():
            task.cancel()
        with suppress(TimeoutError):
            async with asyncio.timeout(END_SECONDS):
                for ended in ending:
                    await ended.wait()

    async def handle_index(self, request: web.Request) -> web.Response:
        """The page; it speaks to the server whose address the browser has."""
        scheme = "wss" if request.secure else "ws"
        values = {
            "websocket": f"{scheme}://{request.host}/ws",
            "font_size": str(_font_size(request.query.get("fontsize"))),
        }
        return web.Response(text=PAGE.substitute(values), content_type="text/html")

    async def handle_websocket(self, request: web.Request) -> web.WebSocketResponse:
        """Runs a program for a page."""
        if not is_own_page(request.headers.get("Origin"), request.headers.get("Host")):
            raise web.HTTPForbidden(text="Only pages of this server may connect.")
        ended, task = asyncio.Event(), asyncio.current_task()
        if task is not None:
            self._open[ended] = task
        try:
            return await super().handle_websocket(request)
        finally:
            ended.set()
            self._open.pop(ended, None)

    @web.middleware
    async def _guard(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        if not is_own_host(request.headers.get("Host"), local=self._local):
            raise web.HTTPForbidden(text="This server is for this machine only.")
        response = await handler(request)
        if not response.prepared:
            response.headers.update(HEADERS)
        return response


def serve(command: str, listener: socket.socket) -> None:
    """Serves until the process is told to end.

    Args:
        command: What runs for each page, as a shell reads it.
        listener: A bound socket.
    """
    asyncio.run(LocalServer(command, listener).run())


def _font_size(text: str | None) -> int:
    try:
        wanted = int(text or FONT_SIZE)
    except ValueError:
        wanted = FONT_SIZE
    return min(LARGEST, max(SMALLEST, wanted))
