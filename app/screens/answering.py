"""The model that is to answer: chosen where there is none, loaded before it is asked."""

from collections.abc import Awaitable, Callable

from app.chat.conversation import Conversation
from app.choices import keep_choice
from app.screens.drawing import Drawing
from app.screens.stage import Stage
from memory.errors import StrataError


class Answering:
    """Sees to it that a model can answer, and says on the stage whether one does.

    Args:
        stage: Where it is said.
        conversation: The open one.
        drawing: Draws what depends on the model.
        choose: Asks which model shall answer, where there is none; None is later.
    """

    def __init__(
        self,
        stage: Stage,
        conversation: Conversation,
        drawing: Drawing,
        choose: Callable[[], Awaitable[str | None]],
    ) -> None:
        self._stage = stage
        self._conversation = conversation
        self._drawing = drawing
        self._choose = choose
        self._choosing = False

    @property
    def choosing(self) -> bool:
        """Whether the user is being asked."""
        return self._choosing

    async def load(self) -> None:
        """Says when the model can answer, or why it can't, before it is asked anything."""
        if self._conversation.undecided and not await self._decide():
            return
        self._stage.state("model", "loading")
        try:
            await self._conversation.ready()
        except StrataError as error:
            self._stage.notice(str(error), "problem")
            self._stage.state("model", "no answer", working=False)
        else:
            self._stage.state("model", "")
            self._stage.composer.release()
        self._drawing.now()

    def keep(self) -> None:
        """Remembers the model for sessions to come.

        Raises:
            StrataError: It can't be written down.
        """
        conversation = self._conversation
        keep_choice(conversation.settings.paths.data.path, "model.name", conversation.model)

    async def _decide(self) -> bool:
        """Lets the user choose a model where there is none; False for later."""
        self._choosing = True
        self._stage.state("model", "no model yet", working=False)
        try:
            name = await self._choose()
        finally:
            self._choosing = False
        if name is not None:
            self._conversation.decide(name)
        return name is not None
