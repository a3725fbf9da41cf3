"""Textual widgets: each draws plain data it is given and posts messages."""
