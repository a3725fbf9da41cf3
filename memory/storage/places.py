"""What the files of a data directory are called."""

FILE_NAME = "strata.db"
"""The database."""
