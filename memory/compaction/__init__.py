"""Compaction: when it is due, what it would fold, who writes the summary, what may be accepted."""
