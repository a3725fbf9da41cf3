"""Theme files."""
