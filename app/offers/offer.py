"""What is offered: a model, where it runs, and what it costs to have it. Pure."""

from dataclasses import dataclass
from typing import Literal

Place = Literal["here", "ollama", "hosted", "download"]
"""Installed on this machine; in an Ollama that runs on it; on another machine, which then gets
what is written; or still to be fetched."""


@dataclass(frozen=True, slots=True)
class Offer:
    """A model that could answer.

    Args:
        model: The name by which it is chosen and kept: `embedded/…` or litellm's.
        title: Its name, for people.
        place: How it can be had.
        runs: Where it runs, in words.
        good_for: What to expect of it; may be empty.
        licence: SPDX identifier of an embedded one.
        size: Bytes on disk, or to be fetched in all; 0 where nobody knows.
        fetched: Bytes of it that were fetched before.
        problem: Why it would not run here now, in words; empty where nothing is in the way.
    """

    model: str
    title: str
    place: Place
    runs: str
    good_for: str = ""
    licence: str = ""
    size: int = 0
    fetched: int = 0
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Offers:
    """Everything that could answer.

    Args:
        all: The offers, those that keep the text on this machine first.
        ollama: Ollama's address where one answers and has models, else empty.
        ollama_left_out: How many of its models are not among the offers.
    """

    all: tuple[Offer, ...] = ()
    ollama: str = ""
    ollama_left_out: int = 0

    def at(self, place: Place) -> tuple[Offer, ...]:
        """The offers of one place."""
        return tuple(offer for offer in self.all if offer.place == place)
