"""Which web addresses may be fetched: what is public, or what the user allowed (CHAT-10).

`allowed_hosts` of the configuration names hosts that are fetched from all the same:

- a name, such as `localhost` or `wiki.lan`: addresses of the web that say exactly this name, at
  any port, whatever the name leads to;
- an IP address, such as `127.0.0.1` or `::1`: this address, at any port, however it is spelled and
  whatever name leads to it;
- either with a port, such as `localhost:8000` or `[::1]:8000`: the same, at this port only.
"""

import ipaddress
import socket
from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import quote, urlsplit

from app.tools.page_errors import PageFailed, refused

IPAddress = ipaddress.IPv4Address | ipaddress.IPv6Address

LONGEST_URL = 8_000
PORTS = {"http": 80, "https": 443}

# After the special-purpose registries of IANA. Python's own `is_global` differs by version.
_SPECIAL_V4 = {
    "0.0.0.0/8": "it names no host",
    "10.0.0.0/8": "it is in a private network",
    "100.64.0.0/10": "it is in a provider's private network",
    "127.0.0.0/8": "it is this machine",
    "168.63.129.16/32": "it is the metadata service of a cloud",
    "169.254.0.0/16": "it is link-local, where clouds keep their metadata",
    "172.16.0.0/12": "it is in a private network",
    "192.0.0.0/24": "it is reserved",
    "192.0.2.0/24": "it is reserved",
    "192.88.99.0/24": "it is reserved",
    "192.168.0.0/16": "it is in a private network",
    "198.18.0.0/15": "it is in a private network",
    "198.51.100.0/24": "it is reserved",
    "203.0.113.0/24": "it is reserved",
    "224.0.0.0/4": "it names many hosts",
    "240.0.0.0/4": "it is reserved",
}
# All that is public is inside this; IPv4 in the clothes of IPv6 is not.
_PUBLIC_V6 = ipaddress.IPv6Network("2000::/3")
_SPECIAL_V6 = {
    "2001::/23": "it is reserved",
    "2001:db8::/32": "it is reserved",
    "2002::/16": "it leads to an IPv4 address in disguise",
    "3fff::/20": "it is reserved",
}
_SPECIAL = [
    (ipaddress.ip_network(network), why)
    for network, why in (*_SPECIAL_V4.items(), *_SPECIAL_V6.items())
]


@dataclass(frozen=True, slots=True)
class Target:
    """A web address, taken apart."""

    url: str
    scheme: str
    host: str
    """In lower case and ASCII, without a dot at its end and without brackets."""
    port: int
    path: str
    """With the query; what HTTP asks for."""


def target_of(url: str) -> Target:
    """Takes an address apart.

    Raises:
        PageFailed: It is none, or not one of the web.
    """
    url = url.strip()
    if len(url) > LONGEST_URL or any(char <= " " or char in "\x7f\\" for char in url):
        raise _bad("it is too long, or has characters that no address has")
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        raise _bad("it can't be read") from error
    if parts.scheme not in PORTS:
        raise PageFailed("UnsupportedScheme", "Addresses have to begin with https:// or http://.")
    if "@" in parts.netloc:
        raise _bad("it has a user name before the host")
    host = _plain_host(parts.hostname or "")
    path = quote(parts.path or "/", safe="/%:@!$&'()*+,;=~-._")
    query = quote(parts.query, safe="/%:@!$&'()*+,;=~-._?")
    path += f"?{query}" if query else ""
    shown = f"[{host}]" if ":" in host else host
    place = shown if port is None else f"{shown}:{port}"
    port = PORTS[parts.scheme] if port is None else port
    return Target(f"{parts.scheme}://{place}{path}", parts.scheme, host, port, path)


def addresses_of(target: Target, allowed_hosts: Sequence[str]) -> list[str]:
    """The addresses that a connection may be made to, found by asking for the name once.

    Raises:
        PageFailed: There is none.
    """
    found = _resolved(target)
    if any(_names(entry, target.host, target.port) for entry in allowed_hosts):
        return [str(address) for address in found]
    good: list[str] = []
    why = ""
    for address in found:
        reason = why_not(address)
        if reason and not _allows(allowed_hosts, address, target.port):
            why = why or reason
        else:
            good.append(str(address))
    if not good:
        raise refused(target.host, why)
    return good


def why_not(address: IPAddress) -> str:
    """Why nothing is fetched from an address; empty where it is public."""
    for network, why in _SPECIAL:
        if address in network:
            return why
    if address.version == 6 and address not in _PUBLIC_V6:  # noqa: PLR2004 - the version of IP
        return "it is this machine, in a private network, or reserved"
    return "it is this machine" if _is_ours(address) else ""


def _is_ours(address: IPAddress) -> bool:
    """Whether it is a public address of this machine; no packet is sent to find out."""
    family = socket.AF_INET if address.version == 4 else socket.AF_INET6  # noqa: PLR2004
    try:
        with socket.socket(family, socket.SOCK_DGRAM) as probe:
            probe.connect((str(address), 9))
            return bool(probe.getsockname()[0] == str(address))
    except OSError:
        return False  # no way leads there; connecting will fail and say so


def _resolved(target: Target) -> list[IPAddress]:
    try:
        answers = socket.getaddrinfo(target.host, target.port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise PageFailed("HostNotFound", f"There is no host named {target.host}.") from error
    found = [ipaddress.ip_address(str(answer[4][0]).partition("%")[0]) for answer in answers]
    return list(dict.fromkeys(found))


def _plain_host(host: str) -> str:
    """A host name as DNS knows it.

    Raises:
        PageFailed: It is none.
    """
    host = host.rstrip(".")
    if not host or "%" in host:
        raise _bad("it names no host")
    try:
        return host if ":" in host else host.encode("idna").decode("ascii").lower()
    except UnicodeError as error:
        raise _bad("it names no host") from error


def _names(entry: str, host: str, port: int) -> bool:
    """Whether an entry of `allowed_hosts` says this name."""
    name, only = _split(entry)
    return name == host and only in (None, port)


def _allows(entries: Sequence[str], address: IPAddress, port: int) -> bool:
    """Whether an entry of `allowed_hosts` is this address."""
    for name, only in map(_split, entries):
        try:
            same = ipaddress.ip_address(name) == address
        except ValueError:
            continue  # it is a name
        if same and only in (None, port):
            return True
    return False


def _split(entry: str) -> tuple[str, int | None]:
    """The host of an entry of `allowed_hosts`, and its port if it has one."""
    entry = entry.strip().lower()
    if entry.count(":") > 1 and not entry.startswith("["):
        return entry, None
    host, _, port = entry.rpartition(":")
    if not host or not port.isdecimal() or not port.isascii():
        return entry.strip("[]").rstrip("."), None
    return host.strip("[]").rstrip("."), int(port)


def _bad(why: str) -> PageFailed:
    return PageFailed("BadAddress", f"This is not an address that can be fetched: {why}.")
