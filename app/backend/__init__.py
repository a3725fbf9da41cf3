"""The backend: a child process that speaks to language models, and its client.

`client.Backend` is what the rest of the program uses; `protocol` holds the types it takes and
gives. Both load in the screen's process and need the standard library only. Everything that
loads litellm runs in the child (`server`).
"""
