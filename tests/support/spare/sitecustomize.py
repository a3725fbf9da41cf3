"""Lets a loaded process be forked in the place of a backend that a test starts; see `spare.py`.

Python imports this at its start where the folder stands in PYTHONPATH. A backend's process then
asks the spare for a fork, stands in for it, and ends as it ended. Every other process goes on as
if nothing had been there.
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
    wanted = json.dumps({"environment": dict(os.environ), "folder": os.getcwd()}).encode()  # noqa: PTH109
    socket.send_fds(spare, [len(wanted).to_bytes(4, "big")], [0, 1, 2])
    spare.sendall(wanted)
    # The pipes are the fork's from now on: they end when it does.
    nothing = os.open(os.devnull, os.O_RDWR)
    for number in (0, 1, 2):
        os.dup2(nothing, number)
    status = int(spare.recv(16) or b"1")
    if status < 0:
        os.kill(os.getpid(), -status)
    os._exit(status)


if sys.orig_argv[-2:] == ["-m", "app.backend.server"] and "SPARE_BACKEND" in os.environ:
    _stand_in(os.environ["SPARE_BACKEND"])
