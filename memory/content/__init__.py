"""Content outside the prompt: how it is named, cited, digested and shown again."""
