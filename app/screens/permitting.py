"""What a tool may do only with the user's leave: asked above the composer, one by one (CHAT-10)."""

from collections import deque
from typing import TYPE_CHECKING

from app.chat.happenings import PermissionWanted
from widgets.permit import Asked, Permit, Verdict

if TYPE_CHECKING:
    from app.screens.stage import Stage

SHELL = "run_command"


class Permits:
    """Asks what has to be asked; a question that nobody waits for any more goes by itself.

    Args:
        stage: Where they are shown.
    """

    def __init__(self, stage: "Stage") -> None:
        self._stage = stage
        self._waiting: deque[PermissionWanted] = deque()
        self._shown: PermissionWanted | None = None
        self._panel: Permit | None = None

    @property
    def asking(self) -> bool:
        """Whether a question is open."""
        return self._shown is not None

    def ask(self, wanted: PermissionWanted) -> None:
        """Asks, once what was asked before is answered."""
        self._waiting.append(wanted)
        wanted.answer.add_done_callback(lambda _: self._settled(wanted))
        if self._shown is None:
            self._show_next()
        elif self._panel is not None:
            self._panel.tell_following(len(self._waiting))

    def answer(self, verdict: Verdict) -> None:
        """Takes the answer to the open question."""
        if self._shown is not None and not self._shown.answer.done():
            self._shown.answer.set_result(verdict)

    def close(self) -> None:
        """Withdraws all questions: what nobody has allowed is not done."""
        for wanted in (*self._waiting, *([self._shown] if self._shown else [])):
            if not wanted.answer.done():
                wanted.answer.set_result("no")
        self._waiting.clear()
        self._put_away()

    # -- inside

    def _settled(self, wanted: PermissionWanted) -> None:
        """Goes on after an answer, or after a question that was withdrawn."""
        if wanted in self._waiting:
            self._waiting.remove(wanted)
        elif wanted is self._shown:
            self._put_away()
            self._show_next()

    def _show_next(self) -> None:
        while self._waiting:
            wanted = self._waiting.popleft()
            if wanted.answer.done():
                continue
            permission = wanted.permission
            what = "command" if permission.tool == SHELL else "tool"
            asked = Asked(
                permission.tool,
                permission.question,
                permission.subject,
                permission.where,
                f"Always for this {what}",
            )
            self._shown = wanted
            self._panel = Permit(
                asked, self.answer, self._stage.composer, following=len(self._waiting)
            )
            self._stage.house.show_permit(self._panel)
            return

    def _put_away(self) -> None:
        if self._panel is not None:
            self._stage.house.put_away_permit(self._panel)
        self._shown = self._panel = None
