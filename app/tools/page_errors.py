"""Why a web page can't be had."""

from memory.errors import StrataError


class PageFailed(StrataError):
    """A page can't be had.

    Args:
        kind: The kind of failure, such as `Timeout`, by which failures are counted.
        sentence: What happened.
    """

    def __init__(self, kind: str, sentence: str) -> None:
        super().__init__(sentence)
        self.kind = kind


def refused(host: str, why: str) -> PageFailed:
    """The host is on this machine or in its network."""
    return PageFailed(
        "AddressRefused",
        f"{host} was not asked: {why}. Only hosts on the public internet can be fetched from, "
        "unless the user names them in `allowed_hosts`.",
    )
