"""Where spans of memory go: nowhere, unless the standard variables say so (ALL-4, ALL-3)."""
