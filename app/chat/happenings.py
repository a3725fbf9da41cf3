"""What a turn reports while it runs. The screen, pipe mode and tests read the same stream."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal

from app.backend.protocol import Usage
from memory import parts
from memory.answer import StoredMessage

if TYPE_CHECKING:
    from asyncio import Future

    from app.chat.tool_calls import Call
    from app.tools.tool import Permission, Verdict
    from memory.dooming import Plan
    from memory.tracing import Traced


@dataclass(frozen=True, slots=True)
class UserAdded:
    """The user's message is on disk: what was typed can be cleared."""

    message: StoredMessage


@dataclass(frozen=True, slots=True)
class Waiting:
    """Nothing to show yet, because of this: the model loads, or a request is sent again."""

    reason: str


@dataclass(frozen=True, slots=True)
class Asked:
    """A request is on its way; `tokens` of at most `limit` are in its prompt."""

    request: str
    tokens: int
    limit: int


@dataclass(frozen=True, slots=True)
class ReadingPrompt:
    """A local model has read `done` of `total` tokens of the prompt."""

    done: int
    total: int


@dataclass(frozen=True, slots=True)
class AnswerGrew:
    """A piece of the answer, or of the reasoning before it, has arrived."""

    text: str
    reasoning: str = ""


@dataclass(frozen=True, slots=True)
class AnswerAdded:
    """The answer is complete and on disk."""

    message: StoredMessage
    usage: Usage
    seconds: float
    first_token_s: float | None
    cut_short: bool = False
    """The model stopped because it reached its longest answer."""
    calls: "tuple[Call, ...]" = ()
    """The tools it calls, which run next; the turn goes on with what they bring."""
    turn: "TurnFigures | None" = None
    """What the whole turn took, once it is over; None before, and where no tool was called."""


@dataclass(frozen=True, slots=True)
class TurnFigures:
    """What a turn with tools took, all its requests together."""

    requests: int
    calls: int
    usage: parts.Usage
    seconds: float


@dataclass(frozen=True, slots=True)
class ToolCalled:
    """The model called a tool, which runs from here on."""

    call: str
    """The call's id, the same in what follows."""
    name: str
    arguments: str
    """The text of a JSON object."""


@dataclass(frozen=True, slots=True)
class ToolShown:
    """A piece of a tool's output, while it still runs."""

    call: str
    text: str


@dataclass(frozen=True, slots=True)
class PermissionWanted:
    """A tool waits until the user has allowed something; whoever shows it sets the answer."""

    call: str
    permission: "Permission"
    answer: "Future[Verdict]"


@dataclass(frozen=True, slots=True)
class ToolEnded:
    """A call has ended; its result is on disk. The model reads it next."""

    call: str
    name: str
    message: StoredMessage
    ok: bool
    seconds: float
    item: str | None = None
    """The handle under which the content store keeps the result."""
    error: str = ""
    """The kind of failure; empty where there was none."""


@dataclass(frozen=True, slots=True)
class HelperAnswered:
    """What a helper answered that the user had asked for stands in the conversation now."""

    message: StoredMessage
    text: str
    """The answer alone."""


@dataclass(frozen=True, slots=True)
class Stopped:
    """The user stopped the answer; what had arrived is kept, if anything had."""

    message: StoredMessage | None


@dataclass(frozen=True, slots=True)
class Failed:
    """The turn failed; what had arrived is kept, if anything had. The next turn can go on."""

    sentence: str
    next_step: str
    kind: str
    kept: StoredMessage | None = None

    @property
    def text(self) -> str:
        """Sentence and next step."""
        return f"{self.sentence} {self.next_step}".strip()


@dataclass(frozen=True, slots=True)
class LinesOf:
    """Lines of a text that can be long, and the command that shows others of them."""

    command: str
    """What stands before `lines 61-120`."""
    first: int = 1
    """The number of the first line that is here."""


@dataclass(frozen=True, slots=True)
class Reported:
    """A command's answer, or a note of Strata's own; never part of the conversation."""

    text: str
    tone: Literal["plain", "note", "problem"] = "plain"
    lines_of: LinesOf | None = None
    """Where a screen may show a part and say how to go on; None for what is shown whole."""


@dataclass(frozen=True, slots=True)
class Noted:
    """Something that the user should know beside the answer, as a sentence."""

    tone: ClassVar[Literal["note"]] = "note"
    text: str


@dataclass(frozen=True, slots=True)
class SessionWanted:
    """The user asked for another session; `name` is None for a new one."""

    name: str | None


@dataclass(frozen=True, slots=True)
class AgentWanted:
    """The user asked for another agent, in its newest session or in its first."""

    name: str


@dataclass(frozen=True, slots=True)
class BranchWanted:
    """The user goes on in another branch, of this session or another, which is there already."""

    branch: str
    """Its id; empty for the one that its session is opened with."""
    text: str = ""
    """What is said there first; empty for nothing."""
    answer: bool = False
    """Whether the model answers there what was said last."""
    told: str = ""
    """Which branch it is, as a sentence."""
    number: int = 0
    """The message that is to be seen there; 0 for the newest."""


@dataclass(frozen=True, slots=True)
class LeaveWanted:
    """The user asked to leave."""


@dataclass(frozen=True, slots=True)
class DeletionWanted:
    """The user asked to delete a session; nothing is deleted before they have been asked."""

    session: str
    """Its id."""
    name: str
    """What it is called."""
    messages: int


@dataclass(frozen=True, slots=True)
class ForgettingWanted:
    """The user asked to forget something; nothing is before they have seen what would go."""

    plan: "Plan"


@dataclass(frozen=True, slots=True)
class CopyWanted:
    """The user asked for this text on the clipboard."""

    text: str


@dataclass(frozen=True, slots=True)
class ThemeWanted:
    """The user asked for another theme; `name` is None for a choice among all."""

    name: str | None


@dataclass(frozen=True, slots=True)
class TimelineWanted:
    """The user asked for the compactions, one by one."""


@dataclass(frozen=True, slots=True)
class TraceWanted:
    """The user asked where something went."""

    traced: "Traced"


ForTheScreen = (
    SessionWanted
    | AgentWanted
    | BranchWanted
    | LeaveWanted
    | DeletionWanted
    | ForgettingWanted
    | CopyWanted
    | ThemeWanted
    | TimelineWanted
    | TraceWanted
)
"""What only a screen can do."""

Happening = (
    UserAdded
    | Waiting
    | Asked
    | ReadingPrompt
    | AnswerGrew
    | AnswerAdded
    | ToolCalled
    | ToolShown
    | PermissionWanted
    | ToolEnded
    | HelperAnswered
    | Stopped
    | Failed
    | Reported
    | Noted
    | ForTheScreen
)
