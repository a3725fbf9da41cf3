"""What the files of a data directory are called."""

FILE_NAME = "strata.db"
"""The database."""
KEY_FILE_NAME = "key.json"
"""How the key of an encrypted database is had."""
NEW_FILE_NAME = "strata.db.new"
"""A database that is to take the other one's place and does not yet."""
READABLE = ("vault", "index", "log/mcp-*")
"""Patterns of what else may hold what was said, beside a database that is not encrypted."""
