"""The conversations of one start, one after the other: opened, shown, closed."""

import asyncio
import logging
from dataclasses import replace
from functools import partial

from app.backend.client import Backend
from app.chat.backing import backend_settings
from app.chat.choice import with_choice, with_model_of_now
from app.chat.conversation import Conversation
from app.chat.happenings import BranchWanted
from app.chat.shelf import delete_closed
from app.chat.unanswered import unanswered_note
from app.lab.play import Play
from app.lab.played import Played
from app.paths import make_data_directory
from app.screens.choosing import Chooser
from app.screens.held import HeldScreen
from app.screens.player import Player
from app.screens.stage import KEYS, STUCK_KEYS, Stage
from app.screens.talk import TAKEN_OVER, Talk
from app.screens.unlocking import unlock_in_sight
from app.screens.unsent import Unsent
from app.screens.works import BROKEN
from app.settings import Settings
from memory.errors import StrataError
from memory.storage.frozen import only_readable
from memory.storage.leases import SessionHeld
from memory.wish import Wish

LOGGER = logging.getLogger("strata.screen")
ONLY_READABLE = "The data directory can't be written: what was said can be read, and no more."
STUCK = "Not sent: memory is not open. Ctrl+R tries again."


class Left(Exception):
    """The user has left a conversation.

    Leaving by an exception and not at the block's end cancels a compaction that is running
    in the background: it changes nothing, and is due again at the next start.
    """

    def __init__(
        self, following: Wish | None, delete: str | None, then: BranchWanted | None
    ) -> None:
        super().__init__()
        self.following = following
        self.then = then
        """What is to happen in a branch that follows."""
        self.delete = delete
        """A session to delete once it is closed."""


class Sitting:
    """Opens the session that is wished for, and the next one, until the user leaves.

    Args:
        stage: Where all of it is shown.
        settings: The configuration.
        wish: Which session comes first.
        note: What the user should know first; may be empty.
        play: A conversation that is played in the first session.
    """

    def __init__(
        self,
        stage: Stage,
        settings: Settings,
        wish: Wish,
        note: str = "",
        play: Play | None = None,
    ) -> None:
        self.stage = stage
        self.talk: Talk | None = None
        """The conversation that is open."""
        self._settings = settings
        self._wish = wish
        self._chooser = Chooser(settings, stage.house.ask, self._tell_fetching)
        self._again = asyncio.Event()
        self._stuck = False
        self._note = note
        self._then: BranchWanted | None = None
        self._play = play
        self._kind = Conversation if play is None else Played
        self._unsent = Unsent(stage)

    async def run(self) -> None:
        """Runs until the user leaves; nothing that goes wrong ends it before."""
        backend = await Backend.start(backend_settings(self._settings))
        backend.vectors.on_note = partial(self.stage.notice, tone="note")
        try:
            wish: Wish | None = self._wish
            while wish is not None:
                wish = await self._one(wish, backend)
        finally:
            await self._chooser.close()
            await backend.close()

    def submit(self, text: str) -> bool:
        """Takes what the user wrote; returns False while nothing is open to take it."""
        if self.talk is not None:
            self.talk.submit(text)
        elif self._stuck:
            self.stage.composer.hold(STUCK)
        else:
            return False
        return True

    def drafted(self, characters: int) -> None:
        """Takes in that what is being written has changed, and has so many characters."""
        self.stage.sight.drafted(characters)
        self._unsent.changed(characters)

    def reopen(self) -> None:
        """Opens the session for writing, or tries again what could not be done."""
        self._again.set()
        self._chooser.again()
        if self.talk is not None:
            self.talk.reopen()

    @property
    def can_reopen(self) -> bool:
        """Whether there is something to open or to try again."""
        return self._stuck or self.talk is None or self.talk.can_reopen

    def leave(self) -> bool:
        """Ends the conversation; returns False where none is open that could end."""
        if self.talk is not None:
            self.talk.want(None)
        return self.talk is not None

    # -- inside

    async def _one(self, wish: Wish, backend: Backend) -> Wish | None:
        """One conversation; returns the wish for the next one, or None."""
        self.stage.state("memory", "opening")
        try:
            wish = self._as_can_be(wish)
            if not await self._unlock():
                return None
            async with self._kind.open(self._settings, wish, backend) as conversation:
                raise await self._show(conversation, wish)
        except Left as left:
            await self._delete(left.delete)
            self._then = left.then
            return left.following
        except SessionHeld as held:
            return await self._ask(held, wish)
        except StrataError as error:
            return await self._wait(str(error), wish)
        except Exception:
            LOGGER.exception("the conversation ended unexpectedly")
            return await self._wait(BROKEN, wish)

    def _as_can_be(self, wish: Wish) -> Wish:
        """The wish, for reading alone where nothing can be written.

        Raises:
            DataDirectoryError: There is nothing to read either.
        """
        directory = self._settings.paths.data.path
        if not only_readable(directory):
            make_data_directory(directory)
            return wish
        self._note = ONLY_READABLE
        return replace(wish, read_only=True, create=False, fresh=False)

    async def _unlock(self) -> bool:
        """Opens an encrypted data directory; returns False where the user has left."""
        directory, begins = self._settings.paths.data.path, self._settings.privacy.encryption
        composer = self.stage.composer
        try:
            return await unlock_in_sight(directory, begins, self.stage.house)
        finally:
            if composer.disabled:
                composer.disabled = False
                composer.focus()

    async def _show(self, conversation: Conversation, wish: Wish) -> Left:
        talk = Talk(self.stage, conversation, wish, self._choose)
        model = conversation.model
        try:
            # What follows a change of branches or a play is about to be asked.
            goes_on = self._then is not None or self._play is not None
            unanswered = "" if goes_on else await unanswered_note(conversation.memory)
            await talk.enter(" ".join(filter(None, (self._note, unanswered))))
            # At once: it says that it is ready.
            self.talk = talk
            await self._unsent.enter(conversation.memory)
            self.stage.composer.release()
            if self._then is not None:
                talk.begin(self._then)
                self._then = None
            self._begin_play(talk, conversation)
            following = await talk.wanted()
        finally:
            self.talk = None
            if conversation.model != model:
                self._settings = with_model_of_now(self._settings, conversation.model)
            await self._unsent.leave(goes=talk.to_delete is not None)
            await talk.leave()
        self._note = TAKEN_OVER if talk.lost else ""
        return Left(following, talk.to_delete, talk.then)

    def _begin_play(self, talk: Talk, conversation: Conversation) -> None:
        play, self._play = self._play, None
        if play is not None and isinstance(conversation, Played):
            talk.run(Player(self.stage, talk, conversation, play).run())

    async def _choose(self) -> str | None:
        """Lets the user choose a model; what is chosen holds for the next session too."""
        name = await self._chooser.choose()
        if name is not None:
            self._settings = with_choice(self._settings, name)
        return name

    def _tell_fetching(self, text: str) -> None:
        self.stage.state("model", text or "no model yet", working=bool(text))

    async def _delete(self, session: str | None) -> None:
        if session is None:
            return
        try:
            await delete_closed(self._settings.paths.data.path, session)
        except StrataError as error:
            self._note = str(error)

    async def _ask(self, held: SessionHeld, wish: Wish) -> Wish | None:
        choice = await self.stage.house.ask(HeldScreen(held.label))
        if choice == "quit":
            return None
        take_over = choice == "take-over"
        return replace(wish, take_over=take_over, read_only=not take_over)

    async def _wait(self, problem: str, wish: Wish) -> Wish:
        """Says why nothing is open, and waits for the user to try again."""
        stage = self.stage
        stage.notice(problem, "problem")
        stage.sight.show(None)
        stage.state("memory", "not open", working=False)
        stage.hints.show(keys=STUCK_KEYS)
        self._again.clear()
        self._stuck = True
        await self._again.wait()
        self._stuck = False
        stage.hints.show(keys=KEYS)
        return wish
