"""The one door to a database file: plain ones by sqlite3, encrypted ones by SQLCipher.

Never both for one file in one process: each would undo the locks of the other. SQLCipher is loaded
where a key is used, and its failures have the codes of SQLite's.
"""

import sqlite3
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

from memory.storage.text_words import count_words, index_words

KEY_BYTES = 32
CIPHER = "sqlcipher3.dbapi2"


@dataclass(frozen=True, slots=True)
class DataKey:
    """What a database is encrypted with.

    Args:
        secret: 32 random bytes.
        salt: The first 16 bytes of the file, by which it is known whose key this is.
    """

    secret: bytes = field(repr=False)
    salt: bytes

    @property
    def literal(self) -> str:
        """As SQLCipher takes it, without deriving anything from it."""
        return f"x'{self.secret.hex()}{self.salt.hex()}'"


def connect(target: Path | str, key: DataKey | None, **options: Any) -> sqlite3.Connection:
    """Opens a database by the library that fits; options are those of `sqlite3.connect`.

    What SQLCipher returns behaves like sqlite3's but for `Row` and the errors.
    """
    if key is not None:
        return connect_cipher(target, key, **options)
    connection: sqlite3.Connection = sqlite3.connect(target, isolation_level=None, **options)
    _teach(connection)
    return connection


def connect_cipher(target: Path | str, key: DataKey | None, **options: Any) -> sqlite3.Connection:
    """Opens a database by SQLCipher, which reads plain ones as well: to turn one into the other."""
    import sqlcipher3.dbapi2 as sqlcipher

    connection = cast(
        sqlite3.Connection, sqlcipher.connect(str(target), isolation_level=None, **options)
    )
    try:
        # It would write on standard error, into the screen.
        connection.execute("PRAGMA cipher_log_level = NONE")
        if key is not None:
            connection.execute(f'PRAGMA key = "{key.literal}"')
        connection.execute("PRAGMA temp_store = MEMORY")
        _teach(connection)
    except BaseException:
        connection.close()
        raise
    return connection


def _teach(connection: sqlite3.Connection) -> None:
    """What the tables' own expressions call."""
    for function in (index_words, count_words):
        connection.create_function(function.__name__, 3, function, deterministic=True)


def driver_errors() -> tuple[type[Exception], ...]:
    """What a connection can raise; for `except`, which asks only once something was raised."""
    sqlcipher = sys.modules.get(CIPHER)
    return (sqlite3.Error,) if sqlcipher is None else (sqlite3.Error, sqlcipher.Error)


def table_errors() -> tuple[type[Exception], ...]:
    """What a statement can raise on tables that may be damaged."""
    return (MemoryError, *driver_errors())


def file_errors() -> tuple[type[Exception], ...]:
    """What a connection and the system can raise."""
    return (OSError, *driver_errors())
