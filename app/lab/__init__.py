"""The lab: recorded conversations fed through memory, and what comes of it."""
