"""Ends the processes of MCP servers when the backend has ended, in whichever way it did.

A shell of a megabyte holds the end of a pipe and the numbers of the servers' process groups. The
pipe closes with the backend, even when that was killed: then the groups are told to end, and
killed if they stay. Windows has neither; there a server sees its input close, and nothing more.
"""

from __future__ import annotations

import os
import signal
import subprocess
from contextlib import suppress

GRACE_S = 1
"""Seconds for a server to end by itself once its input has closed, and again once it is told."""

SCRIPT = f"""
trap '' HUP INT TERM
held=
while read -r sign group; do
  left=
  for one in $held; do [ "$one" = "$group" ] || left="$left $one"; done
  held=$left
  [ "$sign" = + ] && held="$held $group"
done
[ -n "$held" ] || exit 0
sleep {GRACE_S}
for one in $held; do kill -s TERM -- "-$one"; done
sleep {GRACE_S}
for one in $held; do kill -s KILL -- "-$one"; done
"""


class Leash:
    """Holds process groups; the shell starts with the first one."""

    def __init__(self) -> None:
        self._shell: subprocess.Popen[bytes] | None = None

    def hold(self, group: int) -> None:
        """From here on the group ends with this process."""
        if self._shell is None and os.name == "posix":
            with suppress(OSError):
                self._shell = _shell()
        self._say(f"+ {group}\n")

    def let_go(self, group: int) -> None:
        """The group has ended: its number may soon be another's."""
        self._say(f"- {group}\n")

    def _say(self, line: str) -> None:
        if self._shell is not None and self._shell.stdin is not None:
            with suppress(OSError):
                self._shell.stdin.write(line.encode())


def end_group(group: int, number: signal.Signals) -> bool:
    """Sends a signal to a process group; returns whether anybody was there."""
    try:
        os.killpg(group, number)
    except (ProcessLookupError, PermissionError):
        return False
    return True


def _shell() -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        ["/bin/sh", "-c", SCRIPT],
        bufsize=0,
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
