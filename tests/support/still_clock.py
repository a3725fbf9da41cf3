"""A clock that stands still, for screens that have to look the same on every machine."""

import sys
from datetime import UTC, datetime, timedelta, tzinfo
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

OURS = ("app", "memory", "widgets")
BEGIN = (2026, 11, 20, 14, 2)


class StillDatetime(datetime):
    """A moment that every zone of the machine reads as UTC; the present is what a test says."""

    present: "StillDatetime"

    @classmethod
    def now(cls, tz: tzinfo | None = None) -> "StillDatetime":  # noqa: ARG003
        """The present."""
        return cls.present

    def astimezone(self, tz: tzinfo | None = None) -> Any:
        """Where a test is, it is UTC."""
        return super().astimezone(tz or UTC)


StillDatetime.present = StillDatetime(*BEGIN, tzinfo=UTC)


class StillClock:
    """Stands in all of our modules in the clock's place; each module has one of its own.

    Args:
        patch: Puts the real clock back in the end.
    """

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self._patch = patch
        patch.setattr(StillDatetime, "present", StillDatetime(*BEGIN, tzinfo=UTC))

    @property
    def now(self) -> datetime:
        """The present."""
        return StillDatetime.present

    def forward(self, **by: float) -> None:
        """Goes on by so many minutes, hours and so on."""
        StillDatetime.present += timedelta(**by)

    def hold(self) -> None:
        """Takes the clock's place in the modules that have been loaded until now."""
        for name, module in list(sys.modules.items()):
            if name.partition(".")[0] in OURS and getattr(module, "datetime", None) is datetime:
                self._patch.setattr(module, "datetime", StillDatetime)

    def step(self, module: ModuleType, seconds: float) -> None:
        """Lets a module that takes the time find so much of it between two looks."""
        looks = 0

        def monotonic() -> float:
            nonlocal looks
            looks += 1
            return looks * seconds

        self._patch.setattr(module, "time", SimpleNamespace(monotonic=monotonic))
