"""Whether a process that left its id behind still lives."""

import os


def process_lives(pid: int) -> bool:
    """Whether a process of this machine lives; where that can't be asked, it is taken to."""
    if os.name != "posix":
        return True
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
