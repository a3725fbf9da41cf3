"""What the files of a data directory are called."""

FILE_NAME = "strata.db"
"""The database."""
KEY_FILE_NAME = "key.json"
"""How the key of an encrypted database is had."""
NEW_FILE_NAME = "strata.db.new"
"""A database that is to take the other one's place and does not yet."""
KEPT_LOG = "strata.db-wal.damaged-*"
"""Copies of a write-ahead log that was damaged."""
READABLE = ("vault", "index", "log/mcp-*", KEPT_LOG)
"""Patterns of what else may hold what was said, beside a database that is not encrypted."""
