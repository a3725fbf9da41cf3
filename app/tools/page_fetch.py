"""Fetches one address of the web: checked, bounded, and nothing told about the user (CHAT-10).

Proxies of the environment are not used: a proxy would look up the name itself, and what was
checked here would not be what is connected to.
"""

import http.client
import socket
import ssl
import time
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from importlib.util import find_spec
from urllib.parse import urljoin

from app.tools.page_address import PORTS, Target, addresses_of, target_of
from app.tools.page_errors import PageFailed

MAX_BYTES = 5_000_000
"""Of a page, as it is sent and unpacked: long books fit, and no bomb does harm."""
MAX_REDIRECTS = 5

_CONNECT_S = 10.0
_CHUNK = 65_536
_ACCEPT = "text/html,application/xhtml+xml,text/markdown,text/plain,application/json,*/*;q=0.5"
_REDIRECTS = frozenset(
    (
        HTTPStatus.MOVED_PERMANENTLY,
        HTTPStatus.FOUND,
        HTTPStatus.SEE_OTHER,
        HTTPStatus.TEMPORARY_REDIRECT,
        HTTPStatus.PERMANENT_REDIRECT,
    )
)


@dataclass(frozen=True, slots=True)
class Page:
    """What a server answered."""

    url: str
    status: int
    reason: str
    content_type: str
    body: bytes
    cut: bool
    """More came than is read."""
    length: str
    """What the server said about its size; may be empty."""


@dataclass(frozen=True, slots=True)
class Wish:
    """How to fetch."""

    agent: str
    allowed_hosts: Sequence[str]
    deadline: float
    """On the monotonic clock."""


def fetch(url: str, wish: Wish) -> Page:
    """Fetches a page, over a few redirects, each checked like the first address.

    Raises:
        PageFailed: It can't be had.
    """
    for _ in range(MAX_REDIRECTS + 1):
        target = target_of(url)
        answer = _fetch_once(target, wish)
        if isinstance(answer, Page):
            return answer
        url = _joined(target.url, answer)
    raise PageFailed(
        "TooManyRedirects", f"The address led to another one more than {MAX_REDIRECTS} times."
    )


def _joined(url: str, place: str) -> str:
    try:
        return urljoin(url, place)
    except ValueError as error:
        raise PageFailed("BadAddress", "The page leads to an address that is none.") from error


class _Connection(http.client.HTTPConnection):
    """A connection to an address that was checked, whatever its host name leads to by now."""

    def __init__(self, target: Target, address: str, timeout: float) -> None:
        super().__init__(target.host, target.port, timeout=timeout)
        self.default_port = PORTS[target.scheme]
        self._target = target
        self._address = address

    def connect(self) -> None:
        """Connects to the address; the host's name is for its certificate only."""
        sock = socket.create_connection((self._address, self._target.port), self.timeout)
        if self._target.scheme == "https":
            sock = _tls().wrap_socket(sock, server_hostname=self._target.host)
        self.sock = sock


def _fetch_once(target: Target, wish: Wish) -> Page | str:
    """A page, or where it leads to."""
    addresses = addresses_of(target, wish.allowed_hosts)
    try:
        connection = _connected(target, addresses, wish)
        try:
            return _exchange(connection, target, wish)
        finally:
            connection.close()
    except ssl.SSLError as error:
        why = getattr(error, "verify_message", "") or error.reason or "no reason given"
        raise PageFailed(
            "TlsFailed", f"{target.host} could not be trusted or understood: {why}."
        ) from error
    except TimeoutError as error:
        raise too_slow(target.host) from error
    except ConnectionRefusedError as error:
        raise PageFailed(
            "ConnectionRefused", f"{target.host} accepts no connection at port {target.port}."
        ) from error
    except (http.client.HTTPException, ValueError) as error:
        raise PageFailed(
            "BadAnswer", f"What {target.host} answered is not HTTP, or broke off."
        ) from error
    except OSError as error:
        raise PageFailed("NotReachable", f"{target.host} can't be reached.") from error


def _connected(target: Target, addresses: Sequence[str], wish: Wish) -> _Connection:
    """A connection to the first address that takes one."""
    for place, address in enumerate(addresses, 1):
        connection = _Connection(target, address, min(_CONNECT_S, _left(wish)))
        try:
            connection.connect()
        except ssl.SSLError:
            raise
        except OSError:
            if place == len(addresses):
                raise
        else:
            return connection
    raise OSError


def _exchange(connection: _Connection, target: Target, wish: Wish) -> Page | str:
    connection.sock.settimeout(_left(wish))
    headers = {
        "User-Agent": wish.agent,
        "Accept": _ACCEPT,
        "Accept-Encoding": "gzip, deflate",
        "Connection": "close",
    }
    connection.request("GET", target.path, headers=headers)
    answer = connection.getresponse()
    if answer.status in _REDIRECTS and (place := answer.getheader("Location")):
        # Bytes of UTF-8, which the header's reader took for Latin-1; blanks are not rare either.
        return place.encode("latin-1").decode("utf-8", "replace").strip().replace(" ", "%20")
    body, cut = _bounded(_unpacked(answer, wish))
    return Page(
        url=target.url,
        status=answer.status,
        reason=answer.reason,
        content_type=answer.getheader("Content-Type", ""),
        body=body,
        cut=cut,
        length=answer.getheader("Content-Length", ""),
    )


def _bounded(pieces: Iterator[bytes]) -> tuple[bytes, bool]:
    """The beginning of a body, and whether there is more."""
    body = bytearray()
    for piece in pieces:
        body += piece
        if len(body) > MAX_BYTES:
            return bytes(body[:MAX_BYTES]), True
    return bytes(body), False


def _unpacked(answer: http.client.HTTPResponse, wish: Wish) -> Iterator[bytes]:
    """The body in pieces, unpacked a little at a time."""
    encoding = answer.getheader("Content-Encoding", "").strip().lower()
    if encoding in ("", "identity"):
        yield from _raw(answer, wish)
    elif encoding in ("gzip", "x-gzip", "deflate"):
        yield from _inflated(_raw(answer, wish))
    else:
        raise PageFailed("UnsupportedContent", "The page is packed in a way that can't be read.")


def _raw(answer: http.client.HTTPResponse, wish: Wish) -> Iterator[bytes]:
    """The body as it comes, up to the bound and a little more."""
    taken = 0
    while taken <= MAX_BYTES and (piece := answer.read1(_CHUNK)):
        taken += len(piece)
        yield piece
        _left(wish)
    if taken <= MAX_BYTES and answer.length:
        raise http.client.IncompleteRead(b"", answer.length)


def _inflated(pieces: Iterator[bytes]) -> Iterator[bytes]:
    unpack = None
    for piece in pieces:
        if unpack is None:
            # Some servers say deflate and send it without zlib's head.
            bare = piece[0] & 0x0F != zlib.DEFLATED and piece[:2] != b"\x1f\x8b"
            unpack = zlib.decompressobj(-zlib.MAX_WBITS if bare else 32 + zlib.MAX_WBITS)
        rest = piece
        while rest and not unpack.eof:
            try:
                yield unpack.decompress(rest, _CHUNK * 4)
            except zlib.error as error:
                raise ValueError("damaged") from error
            rest = unpack.unconsumed_tail


def _left(wish: Wish) -> float:
    """Seconds until the deadline.

    Raises:
        TimeoutError: It has passed.
    """
    left = wish.deadline - time.monotonic()
    if left <= 0:
        raise TimeoutError
    return left


def _tls() -> ssl.SSLContext:
    context = ssl.create_default_context()
    # Some Pythons come without certificates, which a package of ours' brings.
    if not context.cert_store_stats()["x509_ca"] and find_spec("certifi") is not None:
        import certifi

        context.load_verify_locations(certifi.where())
    return context


def too_slow(host: str) -> PageFailed:
    """The page did not come in time."""
    return PageFailed("Timeout", f"{host} took too long to answer.")
