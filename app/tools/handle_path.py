"""Tells where an open file really is: by its handle, which no swapped link can mislead."""

import os
import sys
from pathlib import Path

if sys.platform == "win32":
    import ctypes
    import msvcrt

    _LONGEST = 32_768
    """Characters of a path in Windows, at most."""

    def path_of(handle: int) -> str:
        """The path of an open file, links resolved.

        Raises:
            OSError: The system does not tell.
        """
        buffer = ctypes.create_unicode_buffer(_LONGEST)
        length = ctypes.windll.kernel32.GetFinalPathNameByHandleW(
            ctypes.c_void_p(msvcrt.get_osfhandle(handle)), buffer, _LONGEST, 0
        )
        if not 0 < length < _LONGEST:
            raise ctypes.WinError()
        return buffer.value.removeprefix("\\\\?\\")

elif sys.platform == "darwin":
    import fcntl

    _LONGEST = 1024
    """Bytes of a path in macOS, at most."""

    def path_of(handle: int) -> str:
        """The path of an open file, links resolved.

        Raises:
            OSError: The system does not tell.
        """
        path = fcntl.fcntl(handle, fcntl.F_GETPATH, bytes(_LONGEST))
        return os.fsdecode(path.split(b"\0", 1)[0])

else:

    def path_of(handle: int) -> str:
        """The path of an open file, links resolved.

        Raises:
            OSError: The system does not tell.
        """
        return str(Path(f"/proc/self/fd/{handle}").readlink())
