"""What the palette finds: every action, command, session and theme, by its name (CHAT-7)."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from platformdirs import user_downloads_path
from textual.app import App
from textual.command import DiscoveryHit, Hit, Hits, Provider
from textual.content import Content
from textual.css.query import NoMatches
from textual.style import Style

from app.keys import ACTIONS
from widgets.composer import Composer
from widgets.key_names import key_labels
from widgets.plain import one_line

NEWEST = 5
"""Sessions that are listed before anything has been typed."""
LONGEST_NAME = 48
"""Cells of a name."""
COLUMN, COMMAND_COLUMN = 44, 24
"""Where what stands beside a name begins; commands are short, and have more beside them."""


@runtime_checkable
class HasSessions(Protocol):
    """An application that knows the sessions."""

    async def sessions_for_palette(self) -> Sequence[tuple[str, str, str]]:
        """Id, title and a few words of each, the one used last first."""

    def open_session(self, session: str) -> None:
        """Opens the session with this id."""


@runtime_checkable
class HasPanes(Protocol):
    """A screen with panes beside the conversation."""

    @property
    def pane_titles(self) -> Sequence[tuple[str, str]]:
        """Each pane by its name and title."""

    def show_pane(self, name: str) -> None:
        """Shows a pane and gives it the keys."""


@runtime_checkable
class KeepsTheme(Protocol):
    """An application that remembers which theme was chosen."""

    def choose_theme(self, name: str) -> None:
        """Shows a theme from now on."""


@dataclass(frozen=True, slots=True)
class Choice:
    """Something that can be chosen."""

    name: str
    beside: str
    """Its key, or what it does."""
    run: Callable[[], Any]
    listed: bool = True
    """Whether it shows before anything has been typed."""
    theme: str = ""
    """The theme that it stands for, shown while it is in view."""


@dataclass(eq=False)
class Found(Hit):
    """A choice that fits what was typed."""

    choice: Choice | None = None


def fit(typed: str, name: str, beside: str) -> float:
    """How well a choice fits what was typed, 1 best; 0 where one of the words is not in it."""
    words, name, beside = typed.lower().split(), name.lower(), beside.lower()
    if name.startswith(typed.lower()):
        return 1.0
    scores = [_word_fit(word, name, beside) for word in words]
    return min(scores, default=0.0) and sum(scores) / len(scores)


def _word_fit(word: str, name: str, beside: str) -> float:
    at = name.find(word)
    if at >= 0:
        return 0.6 if at and name[at - 1].isalnum() else 0.8
    return 0.3 if word in beside else 0.0


def _marked(name: str, typed: str, style: Style) -> Content:
    """A name with the words in it that were typed."""
    content = Content(name)
    for word in typed.lower().split():
        at = name.lower().find(word)
        if at >= 0:
            content = content.stylize(style, at, at + len(word))
    return content


class Everything(Provider):
    """All that can be chosen on a screen, in one order."""

    async def startup(self) -> None:
        """Gathers it: the keys that held when the palette was opened, and what the log knows."""
        await asyncio.to_thread(import_module, "app.chat.commands")
        self._choices = [*self._actions(), *self._commands()]
        self._choices += [*await self._sessions(), *self._panes()]
        self._choices += [*self._themes(), self._picture()]

    async def discover(self) -> Hits:
        """What is listed before anything has been typed."""
        for choice in self._choices:
            if choice.listed:
                name = Content(choice.name)
                yield DiscoveryHit(_line(name, choice), choice.run, text=choice.name)

    async def search(self, query: str) -> Hits:
        """What fits by its name, or less well by what stands beside it."""
        for choice in self._choices:
            score = fit(query, choice.name, choice.beside)
            if score > 0:
                name = _marked(choice.name, query, self.match_style or Style(bold=True))
                line = _line(name, choice)
                yield Found(score, line, choice.run, text=choice.name, choice=choice)

    # -- what there is

    def _actions(self) -> Iterable[Choice]:
        held: dict[str, list[Any]] = {}
        for key, active in self.screen.active_bindings.items():
            if active.binding.id and active.enabled:
                held.setdefault(active.binding.id, [active]).append(key)
        for action in ACTIONS.values():
            if action.listed and action.id in held:
                active, *keys = held[action.id]
                name = action.description[:1].upper() + action.description[1:]
                run = self._performing(active.binding.action, active.node)
                yield Choice(name, key_labels(",".join(keys)), run)

    def _performing(self, action: str, node: Any) -> Callable[[], Awaitable[bool]]:
        return lambda: self.app.run_action(action, node)

    def _commands(self) -> Iterable[Choice]:
        from app.chat.commands import COMMANDS

        try:
            composer = self.screen.query_one(Composer)
        except NoMatches:
            return
        for command in COMMANDS.values():
            begin = composer.begin if command.arguments else composer.say
            text = f"@{command.name} " if command.arguments else f"@{command.name}"
            yield Choice(command.usage, command.description, _with(begin, text))

    async def _sessions(self) -> list[Choice]:
        app: object = self.app
        if not isinstance(app, HasSessions):
            return []
        sessions = await app.sessions_for_palette()
        return [
            Choice(
                f"Open {one_line(title)}",
                one_line(detail),
                _with(app.open_session, session),
                listed=number < NEWEST,
            )
            for number, (session, title, detail) in enumerate(sessions)
        ]

    def _panes(self) -> Iterable[Choice]:
        screen: object = self.screen
        if isinstance(screen, HasPanes):
            for name, title in screen.pane_titles:
                yield Choice(f"Pane {title}", "show it", _with(screen.show_pane, name), False)

    def _themes(self) -> Iterable[Choice]:
        app: object = self.app
        choose = app.choose_theme if isinstance(app, KeepsTheme) else self._show_theme
        for name in sorted(self.app.available_themes):
            yield Choice(f"Theme {one_line(name)}", "", _with(choose, name), False, name)

    def _show_theme(self, name: str) -> None:
        self.app.theme = name

    def _picture(self) -> Choice:
        app = self.app
        return Choice(
            "Save a picture of the screen", "", lambda: app.set_timer(0.1, lambda: _save(app))
        )


def _with(run: Callable[[str], Any], text: str) -> Callable[[], Any]:
    return lambda: run(text)


def _line(name: Content, choice: Choice) -> Content:
    """A name, and what stands beside it in a column."""
    cut = name.truncate(LONGEST_NAME, ellipsis=True)
    if not choice.beside:
        return cut
    column = COMMAND_COLUMN if choice.name.startswith("@") else COLUMN
    gap = " " * max(2, column - cut.cell_length)
    return Content.assemble(cut, gap, (choice.beside, "$stratum-dim"))


def _save(app: App[Any]) -> None:
    folder = user_downloads_path()
    try:
        file = app.save_screenshot(path=str(folder if folder.is_dir() else Path.cwd()))
    except OSError as error:
        problem = f"The picture can't be saved: {error.strerror}."
        app.notify(problem, severity="error", markup=False)
    else:
        app.notify(f"Saved as {file}", markup=False)
