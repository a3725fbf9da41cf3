"""The panes: what memory holds, each drawn from a snapshot by a pure function."""
