"""Markdown as rows of text: parsing by a library, typography by us. Pure, no widget."""
