"""Fetching a model from its home on the web: the source tried last."""

import hashlib
import os
import threading
from collections.abc import Iterator
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import ClassVar

import pytest

from app.host import catalogue
from app.host import install as installing
from app.host.catalogue import CatalogueEntry, CatalogueFile, Source
from app.host.errors import InstallFailed, NotReachable
from app.host.install import Progress, install
from app.host.store import ModelStore

pytestmark = pytest.mark.usefixtures("plenty")

WHOLE = os.urandom(500_000)


class Home(BaseHTTPRequestHandler):
    """A web server that may break off, and may not know how to send a part."""

    cut_at: int | None = None
    ranges = True
    status = 200
    asked: ClassVar[list[str]]
    url: str

    def do_GET(self) -> None:
        wanted = self.headers.get("Range", "")
        self.asked.append(wanted)
        start = int(wanted[6:-1]) if wanted and self.ranges else 0
        self.send_response(self.status if self.status != 200 else 206 if start else 200)
        self.send_header("Content-Length", str(len(WHOLE) - start))
        self.end_headers()
        self.wfile.write(WHOLE[start : self.cut_at])

    def log_message(self, format: str, *args: object) -> None:
        """Says nothing."""


@pytest.fixture
def home() -> Iterator[type[Home]]:
    class OneHome(Home):
        asked: ClassVar[list[str]] = []

    handler = OneHome
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        handler.url = f"http://127.0.0.1:{server.server_port}/model.bin"
        yield handler
        server.shutdown()
        thread.join()


def model(url: str) -> CatalogueEntry:
    sources = (Source(url=url),)
    file = CatalogueFile("model.bin", len(WHOLE), hashlib.sha256(WHOLE).hexdigest(), sources)
    return replace(catalogue.find("light"), name="tiny", files=(file,))


def ignore(progress: Progress) -> None:
    pass


@pytest.mark.parametrize("ranges", [True, False])
def test_a_broken_download_goes_on_where_it_was(
    home: type[Home], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ranges: bool
) -> None:
    """CHAT-3: also from a server that can only send whole files."""
    monkeypatch.setattr(installing, "_BLOCK", 50_000)
    store, entry = ModelStore(tmp_path), model(home.url)
    home.cut_at = 320_000
    with pytest.raises(NotReachable, match=r"can't be reached"):
        install(entry, store, ignore)
    assert not store.installed(entry)
    home.cut_at, home.ranges = None, ranges
    assert install(entry, store, ignore).read_bytes() == WHOLE
    assert home.asked[0] == ""
    assert int(home.asked[1][6:-1]) >= 250_000


def test_a_server_that_refuses(home: type[Home], tmp_path: Path) -> None:
    """ALL-2."""
    home.status = 404
    with pytest.raises(InstallFailed, match=r"refused the download .status 404."):
        install(model(home.url), ModelStore(tmp_path), ignore)


def test_a_server_that_is_not_there(tmp_path: Path) -> None:
    """ALL-2."""
    with pytest.raises(NotReachable, match=r"Check the network"):
        install(model("http://127.0.0.1:9/model.bin"), ModelStore(tmp_path), ignore)
