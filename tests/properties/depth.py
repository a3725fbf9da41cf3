"""How long the properties are searched: shortly by default, for long with STRATA_NIGHTLY."""

import os

from hypothesis import HealthCheck, settings

# Read once, since the environment of every test is emptied of it.
NIGHTLY = bool(os.environ.get("STRATA_NIGHTLY"))

COMMON = settings(deadline=None, suppress_health_check=list(HealthCheck), print_blob=True)
PURE = settings(COMMON, max_examples=5_000 if NIGHTLY else 150)
"""For functions that touch nothing."""
MACHINE = settings(
    COMMON,
    max_examples=800 if NIGHTLY else 60,
    stateful_step_count=60 if NIGHTLY else 30,
)
"""For whole sessions on a real database."""
