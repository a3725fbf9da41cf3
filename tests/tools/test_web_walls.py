"""CHAT-10, ALL-8: pages come from the public internet, or from hosts that the user named."""

import ipaddress
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

import pytest

from app.tools.page_address import addresses_of, target_of, why_not
from app.tools.page_errors import PageFailed
from app.tools.page_fetch import MAX_REDIRECTS, Wish, fetch
from tests.tools.page_server import PageServer, Sent, a_page_server, fetched

# Ways to say this machine, or something near it, with the port of a server that counts.
NEAR = {
    "loopback": "http://127.0.0.1:{port}/",
    "loopback, https": "https://127.0.0.1:{port}/",
    "its name": "http://localhost:{port}/",
    "its name in capitals": "http://LOCALHOST:{port}/",
    "its name with a dot": "http://localhost.:{port}/",
    "capitals of the scheme": "HTTP://127.0.0.1:{port}/",
    "another loopback": "http://127.255.1.2:{port}/",
    "decimal": "http://2130706433:{port}/",
    "octal": "http://0177.0.0.1:{port}/",
    "octal with many zeros": "http://0000177.0.0.01:{port}/",
    "hexadecimal": "http://0x7f.0.0.1:{port}/",
    "hexadecimal as a whole": "http://0x7f000001:{port}/",
    "two parts": "http://127.1:{port}/",
    "three parts": "http://127.0.1:{port}/",
    "mixed": "http://0x7f.1:{port}/",
    "a dot behind": "http://127.0.0.1.:{port}/",
    "two dots behind": "http://127.0.0.1..:{port}/",
    "digits of full width": "http://１２７.0.0.1:{port}/",
    "digits in circles": "http://①②⑦.⓪.⓪.①:{port}/",
    "dots of ideographs": "http://127。0。0。1:{port}/",
    "letters in circles": "http://ⓛⓞⓒⓐⓛⓗⓞⓢⓣ:{port}/",
    "no address": "http://0.0.0.0:{port}/",
    "zero": "http://0:{port}/",
    "IPv6": "http://[::1]:{port}/",
    "IPv6 in full": "http://[0000:0000:0000:0000:0000:0000:0000:0001]:{port}/",
    "IPv6, unspecified": "http://[::]:{port}/",
    "IPv4 in IPv6, mapped": "http://[::ffff:127.0.0.1]:{port}/",
    "IPv4 in IPv6, mapped, hexadecimal": "http://[::ffff:7f00:1]:{port}/",
    "IPv4 in IPv6, compatible": "http://[::127.0.0.1]:{port}/",
    "IPv4 in IPv6, translated": "http://[::ffff:0:127.0.0.1]:{port}/",
    "NAT64": "http://[64:ff9b::127.0.0.1]:{port}/",
    "NAT64 of a network": "http://[64:ff9b:1::127.0.0.1]:{port}/",
    "6to4": "http://[2002:7f00:1::]:{port}/",
    "Teredo": "http://[2001:0:7f00:1::]:{port}/",
    "IPv6 with a zone": "http://[fe80::1%25lo]:{port}/",
    "IPv6 with a bare zone": "http://[::1%lo]:{port}/",
    "IPv6 link-local": "http://[fe80::1]:{port}/",
    "IPv6 private": "http://[fd00::1]:{port}/",
    "metadata over IPv6": "http://[fd00:ec2::254]/latest/meta-data/",
    "metadata": "http://169.254.169.254/latest/meta-data/",
    "metadata, decimal": "http://2852039166/",
    "metadata of another cloud": "http://100.100.100.200/",
    "metadata at a public address": "http://168.63.129.16/",
    "private, ten": "http://10.0.0.1:{port}/",
    "private, 172": "http://172.31.255.255:{port}/",
    "private, 192": "http://192.168.0.1:{port}/",
    "a provider's network": "http://100.64.0.1:{port}/",
    "many hosts": "http://224.0.0.1:{port}/",
    "everybody": "http://255.255.255.255:{port}/",
    "reserved": "http://240.0.0.1:{port}/",
    "a user before the host": "http://example.com@127.0.0.1:{port}/",
    "a user and a password": "http://example.com:80@127.0.0.1:{port}/",
    "an empty user": "http://@127.0.0.1:{port}/",
    "a backslash": "http://127.0.0.1:{port}\\@example.com/",
    "a fragment before a host": "http://127.0.0.1:{port}#@example.com/",
    "a question before a host": "http://127.0.0.1:{port}?@example.com/",
    "an escaped host": "http://%31%32%37.0.0.1:{port}/",
    "an escaped slash": "http://127.0.0.1:{port}%2f@example.com/",
    "a tab in the host": "http://127.0.\t0.1:{port}/",
    "a line break in the scheme": "ht\ntp://127.0.0.1:{port}/",
    "a second request": "http://127.0.0.1:{port}/ HTTP/1.1\r\nX: y\r\n\r\nGET /",
    "a zero": "http://127.0.0.1\0.example.com:{port}/",
    "blanks around": "  http://127.0.0.1:{port}/  ",
    "no scheme": "//127.0.0.1:{port}/",
    "no slashes": "http:127.0.0.1:{port}/",
    "only one slash": "http:/127.0.0.1:{port}/",
    "three slashes": "http:///127.0.0.1:{port}/",
    "a host only": "127.0.0.1:{port}",
    "a port out of range": "http://127.0.0.1:99999/",
    "a port that is none": "http://127.0.0.1:{port}x/",
    "brackets around IPv4": "http://[127.0.0.1]:{port}/",
    "an open bracket": "http://[::1:{port}/",
    "a file": "file:///etc/passwd",
    "a file with a host": "file://127.0.0.1:{port}/etc/passwd",
    "FTP": "ftp://127.0.0.1:{port}/",
    "gopher": "gopher://127.0.0.1:{port}/_GET%20/",
    "data": "data:text/html,hello",
    "a script": "javascript:alert(1)",
    "a dictionary": "dict://127.0.0.1:{port}/",
    "a web socket": "ws://127.0.0.1:{port}/",
    "source of a page": "view-source:http://127.0.0.1:{port}/",
    "nothing": "",
    "too long": "http://127.0.0.1:{port}/" + "x" * 9_000,
}
REFUSALS = {"AddressRefused", "BadAddress", "UnsupportedScheme", "HostNotFound"}


@dataclass
class Near:
    """Servers that nothing may reach, at one port of all of this machine's addresses."""

    servers: list[PageServer]

    @property
    def port(self) -> int:
        """Where they listen."""
        return self.servers[0].server_port

    @property
    def connections(self) -> int:
        """How often one of them was reached."""
        return sum(server.connections for server in self.servers)


@pytest.fixture(scope="module")
def near() -> Iterator[Near]:
    """Servers near, for all tests of this file: none of them is ever reached."""
    with ExitStack() as stack:
        servers = [stack.enter_context(a_page_server("0.0.0.0"))]
        if socket.has_ipv6:
            servers.append(stack.enter_context(a_page_server("::1", servers[0].server_port)))
        for server in servers:
            server.pages["/"] = Sent("secret")
        yield Near(servers)


def wish(*allowed_hosts: str) -> Wish:
    """How to fetch, with ten seconds for it."""
    return Wish("Strata/test", allowed_hosts, time.monotonic() + 10)


@pytest.mark.parametrize("url", NEAR.values(), ids=NEAR.keys())
def test_what_is_near_is_not_asked(near: Near, url: str) -> None:
    """CHAT-10: this machine and its network are refused, however they are spelled."""
    with pytest.raises(PageFailed) as caught:
        fetch(url.format(port=near.port), wish())
    assert caught.value.kind in REFUSALS
    assert near.connections == 0


@pytest.mark.parametrize("spelling", list(NEAR)[::8])
async def test_the_tool_does_not_ask_what_is_near(near: Near, spelling: str) -> None:
    """CHAT-10: nor does the child process that fetches."""
    result = await fetched(NEAR[spelling].format(port=near.port))
    assert not result.ok
    assert result.error in REFUSALS
    assert "secret" not in result.text
    assert near.connections == 0


@pytest.mark.parametrize("url", NEAR.values(), ids=NEAR.keys())
def test_no_redirect_leads_near(near: Near, url: str) -> None:
    """CHAT-10: where a page leads to is checked like the first address."""
    place = url.format(port=near.port).translate(dict.fromkeys(map(ord, "\r\n\0")))
    with a_page_server() as server:
        location = (place or "file:").encode().decode("latin-1")
        server.pages["/"] = Sent(status=302, headers={"Location": location})
        kind, page = "", None
        try:
            page = fetch(server.at(host="localhost"), wish(f"localhost:{server.server_port}"))
        except PageFailed as error:
            kind = error.kind
        # What names no other host is a page of the server that led there.
        stayed = page is not None and page.url.startswith(server.at(host="localhost"))
        assert kind in REFUSALS or (stayed and page is not None and page.status == 404)
    assert near.connections == 0


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_every_kind_of_redirect_is_checked(near: Near, status: int) -> None:
    """CHAT-10: and so is each one of a chain, not the first only."""
    with a_page_server() as server:
        allowed = wish(f"localhost:{server.server_port}")
        server.pages["/"] = Sent(status=status, headers={"Location": "/2"})
        server.pages["/2"] = Sent(status=status, headers={"Location": "/3?q=1#part"})
        server.pages["/3?q=1"] = Sent("arrived")
        page = fetch(server.at(host="localhost"), allowed)
        assert (page.body, page.url) == (b"arrived", server.at("/3?q=1", "localhost"))
        server.pages["/2"] = Sent(
            status=status, headers={"Location": f"http://127.0.0.1:{near.port}/"}
        )
        with pytest.raises(PageFailed, match="not asked"):
            fetch(server.at(host="localhost"), allowed)
    assert near.connections == 0


def test_redirects_without_end() -> None:
    """CHAT-10: five, and no more."""
    with a_page_server() as server:
        allowed = wish("127.0.0.1")
        for place in range(20):
            server.pages[f"/{place}"] = Sent(status=302, headers={"Location": f"/{place + 1}"})
        server.pages["/20"] = Sent("arrived")
        assert fetch(server.at(f"/{20 - MAX_REDIRECTS}"), allowed).body == b"arrived"
        with pytest.raises(PageFailed, match="more than 5 times") as caught:
            fetch(server.at(f"/{19 - MAX_REDIRECTS}"), allowed)
        assert caught.value.kind == "TooManyRedirects"


ANSWERS = {
    "loopback": ["127.0.0.1"],
    "loopback over IPv6": ["::1"],
    "metadata": ["169.254.169.254"],
    "many near ones": ["10.1.2.3", "192.168.1.1", "fd00::5", "fe80::5", "::ffff:127.0.0.1"],
}


@pytest.mark.parametrize("answers", ANSWERS.values(), ids=ANSWERS.keys())
def test_a_name_that_leads_near(monkeypatch: pytest.MonkeyPatch, answers: list[str]) -> None:
    """CHAT-10: it is the address that counts, not how harmless its name looks."""
    monkeypatch.setattr(socket, "getaddrinfo", resolver([answers]))
    with pytest.raises(PageFailed) as caught:
        addresses_of(target_of("https://example.com/"), ())
    assert caught.value.kind == "AddressRefused"


def test_of_many_addresses_only_public_ones_are_used(monkeypatch: pytest.MonkeyPatch) -> None:
    """CHAT-10: a name with public and near addresses leads to the public ones."""
    answers = ["127.0.0.1", "93.184.215.14", "::1", "2606:4700::1111", "10.0.0.1"]
    monkeypatch.setattr(socket, "getaddrinfo", resolver([answers]))
    found = addresses_of(target_of("https://example.com/"), ())
    assert found == ["93.184.215.14", "2606:4700::1111"]


def test_a_name_is_looked_up_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """CHAT-10: a name that leads elsewhere the second time leads there nobody."""
    with a_page_server() as server:
        server.pages["/"] = Sent("first")
        look_up = resolver([["127.0.0.1"], ["127.0.0.2"], ["127.0.0.2"]])
        monkeypatch.setattr(socket, "getaddrinfo", look_up)
        page = fetch(server.at(host="rebinding.example"), wish(f"127.0.0.1:{server.server_port}"))
        assert page.body == b"first"
        assert server.requests[0][1]["Host"] == f"rebinding.example:{server.server_port}"
        # The next fetch asks anew, and its answer is checked anew.
        with pytest.raises(PageFailed, match="not asked"):
            fetch(server.at(host="rebinding.example"), wish(f"127.0.0.1:{server.server_port}"))
        assert server.connections == 1


def resolver(answers: list[list[str]]) -> Callable[..., list[Any]]:
    """A name server at the network's edge: each look-up of a name gets the next answer."""
    real, rest = socket.getaddrinfo, iter(answers)

    def look_up(host: str, port: int, *args: Any, **options: Any) -> list[Any]:
        try:
            ipaddress.ip_address(host)
        except ValueError:
            return [answer for each in next(rest) for answer in real(each, port, *args, **options)]
        return list(real(host, port, *args, **options))

    return look_up


ALLOWED = [
    ("localhost", "localhost", True),
    ("localhost", "LOCALHOST.", True),
    ("LocalHost.", "localhost", True),
    ("localhost", "127.0.0.1", False),
    ("localhost", "localhost.localdomain", False),
    ("localhost:{port}", "localhost", True),
    ("localhost:1{port}", "localhost", False),
    ("localhost:", "localhost", False),
    ("localhost:http", "localhost", False),
    ("127.0.0.1", "127.0.0.1", True),
    ("127.0.0.1", "localhost", True),
    ("127.0.0.1", "127.1", True),
    ("127.0.0.1", "2130706433", True),
    ("127.0.0.1", "127.0.0.2", False),
    ("127.0.0.1:{port}", "127.0.0.1", True),
    ("127.0.0.1:1{port}", "127.0.0.1", False),
    ("127.0.0.0/8", "127.0.0.1", False),
    ("127.*", "127.0.0.1", False),
    ("*", "127.0.0.1", False),
    ("http://localhost", "localhost", False),
    ("ocalhost", "localhost", False),
    ("::1", "127.0.0.1", False),
]


@pytest.mark.parametrize(("entry", "host", "reached"), ALLOWED)
def test_what_an_allowed_host_means(entry: str, host: str, reached: bool) -> None:
    """CHAT-10: a name means what addresses say, an address where they lead, a port only itself."""
    with a_page_server() as server:
        server.pages["/"] = Sent("here")
        entry = entry.format(port=server.server_port)[:20]
        if reached:
            assert fetch(server.at(host=host), wish(entry)).body == b"here"
        else:
            with pytest.raises(PageFailed):
                fetch(server.at(host=host), wish(entry))
        assert server.connections == (1 if reached else 0)


@pytest.mark.skipif(not socket.has_ipv6, reason="needs IPv6")
@pytest.mark.parametrize("entry", ["::1", "[::1]", "[::1]:{port}", "0:0:0:0:0:0:0:1"])
def test_an_allowed_host_of_ipv6(entry: str) -> None:
    """CHAT-10: addresses of IPv6 may be named with brackets and without."""
    with a_page_server("::1") as server:
        server.pages["/"] = Sent("here")
        entry = entry.format(port=server.server_port)
        assert fetch(server.at(host="[::1]"), wish(entry)).body == b"here"
        assert server.requests[0][1]["Host"] == f"[::1]:{server.server_port}"


@pytest.mark.parametrize(
    "address",
    ["1.1.1.1", "8.8.8.8", "93.184.215.14", "172.32.0.1", "100.128.0.1", "2606:4700::1111"],
)
def test_what_is_public(address: str) -> None:
    """CHAT-10: the rest of the internet may be asked."""
    assert why_not(ipaddress.ip_address(address)) == ""


@pytest.mark.parametrize(
    "address",
    [
        *("0.1.2.3", "10.255.255.255", "100.127.255.255", "127.0.0.2", "169.254.0.1"),
        *("172.16.0.1", "192.0.0.8", "192.0.2.1", "192.88.99.1", "192.168.255.255"),
        *("198.18.0.1", "198.51.100.1", "203.0.113.9", "239.1.2.3", "250.0.0.1"),
        *("::", "::2", "::ffff:8.8.8.8", "64:ff9b::808:808", "100::1", "2001::1"),
        *("2001:db8::1", "2002:808:808::1", "3fff::1", "fc00::1", "fe80::1", "fec0::1", "ff02::1"),
        *("4000::1", "5f00::1"),
    ],
)
def test_what_is_not_public(address: str) -> None:
    """CHAT-10: networks that are private, reserved, or IPv4 in disguise."""
    assert why_not(ipaddress.ip_address(address))
