"""Long-term memory: what was said and learned before, found when it matters (RECALL)."""
