"""Facts: the fold of what an agent knows, when two say the same, how they are read out of talk."""
