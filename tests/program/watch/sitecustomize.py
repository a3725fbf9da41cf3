"""Notes every attempt of a Python process to reach another, in the file WATCHED; children as well.

Found through PYTHONPATH by each Python that starts.
"""

import os
import sys

_EVENTS = (
    "socket.connect",
    "socket.getaddrinfo",
    "socket.gethostbyname",
    "socket.sendto",
    "socket.sendmsg",
    "urllib.Request",
)


def _note(event: str, arguments: tuple[object, ...]) -> None:
    if event in _EVENTS:
        shown = [repr(argument) for argument in arguments if not hasattr(argument, "fileno")]
        line = f"{event} {' '.join(shown)}\n".encode("utf-8", "replace")
        descriptor = os.open(os.environ["WATCHED"], os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        os.write(descriptor, line)
        os.close(descriptor)


if "WATCHED" in os.environ:
    sys.addaudithook(_note)
