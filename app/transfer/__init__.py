"""Conversations that come in and go out: the formats, and what is done with them (STORE-6)."""
