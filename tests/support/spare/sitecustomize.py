"""Lets a loaded process be forked in the place of one that a test starts; `spare_processes` tells.

Python imports this at its start where the folder stands in PYTHONPATH. The process then asks the
spare for a fork, stands in for it, and ends as it ended. Every other process goes on as if nothing
had been there.
"""

import os
import sys


def _stand_in(path: str) -> None:
    """Has the spare forked, and ends as the fork does; returns where there is no spare."""
    # Loaded here, since every Python that the tests start reads this file.
    import json
    import signal
    import socket

    # Ctrl-C in a terminal reaches the whole group; a backend leaves it to its parent.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    spare = socket.socket(socket.AF_UNIX)
    try:
        spare.connect(path)
    except OSError:
        return
    asked = {
        "arguments": sys.orig_argv[3:],
        "environment": dict(os.environ),
        "folder": os.getcwd(),  # noqa: PTH109 - pathlib costs more than all the rest
    }
    text = json.dumps(asked).encode()
    socket.send_fds(spare, [len(text).to_bytes(4, "big")], [0, 1, 2])
    spare.sendall(text)
    # The pipes are the fork's from now on: they end when it does.
    nothing = os.open(os.devnull, os.O_RDWR)
    for number in (0, 1, 2):
        os.dup2(nothing, number)
    status = int(spare.recv(16) or b"1")
    if status < 0:
        os.kill(os.getpid(), -status)
    os._exit(status)


def _starts_as_the_spare_did() -> bool:
    """Whether nothing in the environment has this Python start otherwise."""
    return os.environ.get("LANG") == "C.UTF-8" and not any(
        name.startswith(("LC_", "PYTHON")) and name != "PYTHONPATH" for name in os.environ
    )


if sys.orig_argv[1:] == ["-P", "-m", "app.backend.server"] and "SPARE_BACKEND" in os.environ:
    _stand_in(os.environ["SPARE_BACKEND"])
elif (
    sys.orig_argv[1:4] == ["-P", "-m", "app.cli"]
    and "SPARE_PROGRAM" in os.environ
    and _starts_as_the_spare_did()
):
    _stand_in(os.environ["SPARE_PROGRAM"])
