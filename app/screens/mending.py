"""What the Timeline screen reads and does, done by the open conversation."""

from app.chat.conversation import Conversation
from app.chat.rewrite_command import writer
from app.screens.timeline_deeds import RewriteDeeds, TimelineDeeds
from memory.parts import SummarySlot
from memory.rewriting import Rewritten


def timeline_deeds(conversation: Conversation) -> TimelineDeeds:
    """The deeds of a conversation."""
    memory = conversation.memory

    async def undo(compaction: str) -> None:
        await memory.undo(compaction)

    async def redo() -> None:
        await memory.redo()

    async def pin(text: str, number: int | None) -> None:
        await memory.pinning.pin_text(text, number)

    async def preview(slot: SummarySlot, instructions: str, model: str) -> Rewritten:
        named = await writer(conversation, model)
        return await memory.rewriting.preview(slot, instructions, named)

    return TimelineDeeds(
        view=memory.reports.compaction_view,
        versions=memory.rewriting.versions,
        undo=undo,
        redo=redo,
        pin=pin,
        rewrite=RewriteDeeds(
            preview=preview,
            accept=memory.rewriting.accept,
            model=conversation.settings.model.summary_model or conversation.model,
        ),
    )
