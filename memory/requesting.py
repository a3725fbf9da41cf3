"""What a program asks an open session for around each request to a model."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from memory import telemetry
from memory.answer import Answer
from memory.config import MemoryConfig
from memory.events import Compacted, RequestEnded
from memory.file_events import MemoryFilesRead
from memory.file_keeping import FileKeeping
from memory.files import FoundFile
from memory.journal import Journal
from memory.prompt import Prompt
from memory.recollecting import Recollecting
from memory.requests import Requests
from memory.storage.sessions import SessionInfo
from memory.strata import Strata
from memory.telling import told_of_attempt, told_of_prompt
from memory.upkeep import Upkeep

if TYPE_CHECKING:
    from memory.inspecting import Inspecting


class Requesting(Strata):
    """The prompts of an open session: made, recorded, answered."""

    def __init__(
        self, journal: Journal, info: SessionInfo, config: MemoryConfig, upkeep: Upkeep
    ) -> None:
        super().__init__(journal, info, upkeep)
        self.config = config
        self._requests = Requests(journal, upkeep)
        self._indexing.yield_while(lambda: self._requests.streams)
        self._files = FileKeeping(journal, config, upkeep)
        self._recollecting = Recollecting(
            journal, config.recall, self._indexing.library, upkeep.budget, self._facts.pinned_now
        )

    @telemetry.operation("memory.prompt", told_of_prompt)
    async def prompt(self, text: str = "", *, spare: float = 1.0) -> Prompt:
        """The prompt of the next request; `text` stands at its end as a user message not yet added.

        Args:
            text: What the user is about to send.
            spare: Factor for safety, above 1 once an exact count has shown ours to be too low.

        Raises:
            PromptTooLarge: It can't be made to fit.
        """
        if not text:
            await self._recollecting.recollect()
            return await self._requests.prompt("", spare, None)
        found = await self._recollecting.found(text, self.state.messages + 1)
        return await self._requests.prompt(text, spare, found)

    @property
    def awaits_recall(self) -> bool:
        """Whether long-term memory is still to be searched for what the user said last."""
        return self._recollecting.is_due

    @property
    def searches(self) -> bool:
        """Whether a turn waits for what is found in long-term memory."""
        return self._recollecting.searching

    @property
    def inspecting(self) -> "Inspecting":
        """The requests, piece by piece; whoever looks at many keeps it, since it keeps them."""
        from memory.inspecting import Inspecting  # rarely needed

        return Inspecting(self._journal, self._upkeep.budget, self._recollecting.expected)

    @telemetry.operation("memory.answer_open_calls")
    async def answer_open_calls(self) -> None:
        """Appends a result that says so for each call that was interrupted before it had one.

        For calls at the end of the conversation, before a user speaks or a model is asked. A
        prompt has such a sentence wherever a result is missing.

        Raises:
            ReadOnly, StorageError: Nothing was appended.
        """
        await self._requests.answer_open_calls()

    @telemetry.operation("memory.offer_tools")
    async def offer_tools(self, schemas: Sequence[Mapping[str, Any]]) -> None:
        """Has every prompt from here on offer these tools, and no others.

        Args:
            schemas: In OpenAI's shape; none for no tools.

        Raises:
            ReadOnly, StorageError: It was not recorded; the tools of before are offered.
        """
        await self._requests.offer_tools(schemas)

    async def use_files(self, found: Sequence[FoundFile]) -> MemoryFilesRead | None:
        """Has every prompt from here on carry these memory files, and no others.

        Each is cut to `memory_file_chars`, all together to `memory_files_share` of the window.

        Args:
            found: In their order, as they were read; the library itself reads no files.

        Returns:
            What was recorded; None where nothing is different.

        Raises:
            ReadOnly, StorageError: It was not recorded; the files of before stay.
        """
        return await self._files.use(found)

    @telemetry.operation("memory.prepare")
    async def prepare(self, prompt: Prompt) -> str:
        """Records a prompt that is about to be sent; returns the request's id."""
        return await self._requests.prepare(prompt)

    @telemetry.operation("memory.refused")
    async def refused(
        self, request: str, counted: int, limit: int | None, sent: int | None
    ) -> Compacted | None:
        """Records that the provider refused a request as too large, and makes it smaller.

        Args:
            request: The request.
            counted: Our count of it, in tokens.
            limit: Tokens that the provider says it takes; None where it does not say.
            sent: Tokens that it counted; None where it does not say.

        Returns:
            What was compacted, or None where nothing could be.

        Raises:
            StorageError: The database refused, or the session was taken over.
        """
        return await self._requests.refused(request, counted, limit, sent)

    async def ended(self, attempt: RequestEnded) -> None:
        """Records how one attempt at a request ended."""
        telemetry.past(
            f"chat {attempt.model}", self, attempt.duration_s, **told_of_attempt(attempt)
        )
        await self._requests.ended(attempt)

    def answer(self, request: str) -> Answer:
        """The answer to a request, to be grown as it streams and closed at its end."""
        return self._requests.answer(request)
