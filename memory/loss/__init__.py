"""What a compaction kept and lost, found by rule: no model is asked (COMPACT-13)."""
