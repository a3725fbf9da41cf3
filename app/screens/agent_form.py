"""An agent is made or changed: its name, profile, model and policy (CHAT-12)."""

from collections.abc import Awaitable, Callable, Iterator, Sequence
from typing import ClassVar, get_args

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, ItemGrid, VerticalScroll
from textual.content import Content
from textual.widgets import Button, Input, Static, TextArea

from app.chat.agent_shelf import AgentDraft, AgentField, policies, wrong
from app.screens.question import Question
from memory.errors import StrataError
from widgets.plain import one_line, printable

FIELDS: tuple[AgentField, ...] = get_args(AgentField)
NAMES: dict[AgentField, str] = {
    "name": "Name",
    "profile": "Profile: what its prompts begin with",
    "model": "Model of new sessions",
    "policy": "Policy",
}
EMPTY: dict[AgentField, str] = {
    "name": "one word",
    "model": "as configured",
    "policy": "as configured; or {}",
}
"""What stands in a field in which nothing was typed."""
PROFILE_ROWS = 7


class AgentForm(Question[str]):
    """Dismissed with the name of the agent that was kept, or with None.

    Args:
        draft: What stands in the fields at first.
        keep: Keeps what was typed.
        taken: Names that a new agent may not have; None where one is changed.
    """

    AUTO_FOCUS = "Input, TextArea"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+s", "save", "save", priority=True, id="agent.save"),
        Binding("escape", "leave", "leave it", priority=True, id="agent.leave"),
        # The fields need the arrow keys themselves.
        Binding("left,right,up,down", "nothing", show=False),
    ]
    DEFAULT_CSS = f"""
    AgentForm {{
        & > VerticalScroll {{ width: 84; padding: 0 2; border: round $stratum-files; }}
        & Horizontal {{ height: auto; }}
        & .-about {{ width: auto; margin: 0; color: $stratum-dim; }}
        & .-wrong {{ width: 1fr; margin: 0 0 0 2; color: $stratum-lost; }}
        & Input, & Input:focus {{
            height: 1;
            margin-bottom: 1;
            padding: 0 1 !important;
            border: none;
            background: $background;
            background-tint: transparent;
            color: $foreground;
        }}
        & TextArea, & TextArea:focus {{
            height: {PROFILE_ROWS};
            margin-bottom: 1;
            padding: 0 1;
            border: none;
            background: $background;
            background-tint: transparent;
            color: $foreground;
        }}
        & TextArea > .text-area--cursor-line {{ background: $background; }}
        & #agent-told {{ display: none; margin-bottom: 1; color: $stratum-lost; }}
        &.-told #agent-told {{ display: block; }}
    }}
    """

    def __init__(
        self,
        draft: AgentDraft,
        keep: Callable[[AgentDraft], Awaitable[str]],
        taken: Sequence[str] | None = None,
    ) -> None:
        super().__init__()
        self._draft = draft
        self._keep = keep
        self._taken = taken

    def compose(self) -> ComposeResult:
        """The fields, each below what it is for and what is wrong with it."""
        with VerticalScroll(can_focus=False) as box:
            new = self._taken is not None
            box.border_title = Content("New agent" if new else one_line(self._draft.name))
            for name in FIELDS if new else FIELDS[1:]:
                with Horizontal():
                    yield Static(Content(NAMES[name]), classes="-about")
                    yield Static(id=f"agent-{name}-wrong", classes="-wrong")
                yield self._field(name)
            yield Static(id="agent-told")
            with ItemGrid(min_column_width=13):
                yield Button("Leave it", id="agent-no", compact=True)
                yield Button("Save", id="agent-yes", compact=True)

    def key_words(self) -> Iterator[tuple[str, str]]:
        """Between fields, and out of them."""
        yield "tab", "next field"
        yield "agent.save", "save"
        yield "agent.leave", "leave it"

    # -- what the user does

    def action_save(self) -> None:
        """Keeps what was typed, or says what is wrong with it."""
        draft = self._typed()
        found = wrong(draft, self._taken or ())
        for name in FIELDS if self._taken is not None else FIELDS[1:]:
            told = self.query_one(f"#agent-{name}-wrong", Static)
            told.update(Content(printable(found.get(name, ""))))
        if found:
            first = next(name for name in FIELDS if name in found)
            self.query_one(f"#agent-{first}").focus()
        else:
            self.run_worker(self._save(draft), exclusive=True)

    def action_leave(self) -> None:
        """Leaves the agent as it was."""
        self.dismiss(None)

    @on(Input.Submitted)
    def _submitted(self) -> None:
        self.action_save()

    @on(Button.Pressed)
    def _pressed(self, event: Button.Pressed) -> None:
        if event.button.id == "agent-yes":
            self.action_save()
        else:
            self.dismiss(None)

    # -- inside

    def _field(self, name: AgentField) -> Input | TextArea:
        text = getattr(self._draft, name)
        if name == "profile":
            return TextArea(
                text, id="agent-profile", tab_behavior="focus", soft_wrap=True, compact=True
            )
        empty = EMPTY[name].format(", ".join(policies()))
        return Input(text, empty, id=f"agent-{name}", compact=True, select_on_focus=False)

    def _typed(self) -> AgentDraft:
        def value(name: str) -> str:
            return self.query_one(f"#agent-{name}", Input).value

        profile = self.query_one(TextArea).text
        named = value("name") if self._taken is not None else self._draft.name
        return AgentDraft(named, profile, value("model"), value("policy"))

    async def _save(self, draft: AgentDraft) -> None:
        try:
            name = await self._keep(draft)
        except StrataError as error:
            self.query_one("#agent-told", Static).update(Content(printable(str(error))))
            self.add_class("-told")
        else:
            self.dismiss(name)
