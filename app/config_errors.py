"""What can be wrong with the configuration, told in plain words."""

from dataclasses import dataclass

from memory.errors import StrataError


class ConfigError(StrataError):
    """The configuration can't be used as it stands; nothing was changed."""


class ConfigFileError(ConfigError):
    """The configuration file can't be read."""


class DataDirectoryError(StrataError):
    """The data directory can't be used."""


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong with the configuration."""

    sentence: str
    next_step: str = "Correct it and start again."


def raise_first(problems: list[Problem]) -> None:
    """Reports the first problem, and how many more there are.

    Raises:
        ConfigError: There is at least one problem.
    """
    if not problems:
        return
    first, others = problems[0], len(problems) - 1
    more = f" (And {others} more.)" if others else ""
    raise ConfigError(first.sentence + more, first.next_step)
