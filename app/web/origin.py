"""Who may talk to the served program: pages that it has served itself, and no others. Pure.

A web page from anywhere can open a connection to this machine, and browsers say so by `Origin`
alone. Without this check any page that is visited could type into Strata.
"""

import ipaddress
from urllib.parse import urlsplit

LOCAL_NAMES = frozenset({"localhost", "ip6-localhost"})


def is_loopback(host: str) -> bool:
    """Whether a name or an address is that of this machine alone."""
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host.lower().rstrip(".") in LOCAL_NAMES


def is_own_host(header: str | None, *, local: bool) -> bool:
    """Whether a request was meant for this server, by its `Host`.

    A name that somebody else lets point to this machine would make their page one of ours.

    Args:
        header: What the browser says.
        local: Whether only this machine is served.
    """
    name = _name(f"//{header}") if header else None
    return name is not None and (not local or is_loopback(name))


def is_own_page(origin: str | None, host: str | None) -> bool:
    """Whether a connection comes from a page of this server.

    Args:
        origin: The header of that name; browsers always send it with a WebSocket.
        host: Whom the request names as its server.
    """
    if not origin or not host:
        return False
    try:
        parts = urlsplit(origin)
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and parts.netloc.lower() == host.lower()


def _name(address: str) -> str | None:
    try:
        return urlsplit(address).hostname
    except ValueError:
        return None
