"""Helpers: second agents that work on a task in sessions of their own (CHAT-11, S3)."""

import asyncio
import os
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import aclosing, asynccontextmanager, suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from time import monotonic
from typing import Any, Protocol

from app.backend.client import Backend
from app.backend.protocol import ModelInfo
from app.chat.asking import Asking
from app.chat.desk import Bench, CallDesk
from app.chat.happenings import PermissionWanted
from app.chat.helper_brief import background, brief
from app.chat.helper_steps import Steps
from app.chat.memory_files import MemoryFiles
from app.chat.models import chosen_summariser, embedder, exact_counter, model_chosen
from app.chat.names import session_name
from app.chat.offered import Offered
from app.chat.tool_loop import answer
from app.host.catalogue import canonical, is_embedded
from app.host.store import ModelStore
from app.settings import Settings
from app.tools.delegate import NAME
from app.tools.registry import Toolbox
from app.tools.tool import HelperTask, JsonObject, Tool, ToolResult
from memory.agents import Agent
from memory.memory import Memory
from memory.parts import MemoryScope
from memory.wish import Wish
from widgets.figures import count, short_seconds
from widgets.plain import short_line

NOTE = "note_context"
RETRIEVE = "retrieve_from_memory"
LONGEST_TITLE = 40
"""Characters of a task in the title of its session."""
NOTHING = "It had said nothing yet."


class Employer(Protocol):
    """A conversation, as far as its helpers need to know it."""

    @property
    def memory(self) -> Memory:
        """Its session."""
        ...

    @property
    def backend(self) -> Backend:
        """Models and MCP servers."""
        ...

    @property
    def settings(self) -> Settings:
        """The configuration."""
        ...

    @property
    def info(self) -> ModelInfo | None:
        """What is known of the model that answers."""
        ...

    @property
    def asking(self) -> Asking:
        """How that model is asked."""
        ...

    @property
    def files(self) -> MemoryFiles:
        """The memory files that stand in its prompts."""
        ...

    @property
    def own_tools(self) -> Sequence[Tool] | None:
        """Tools in the place of Strata's own; None for those."""
        ...


class Helpers:
    """Has helpers work for a conversation; several may work at once.

    Args:
        employer: The conversation.
    """

    def __init__(self, employer: Employer) -> None:
        self._employer = employer

    async def work(self, task: HelperTask, desk: CallDesk) -> ToolResult:
        """Has a helper work on a task until it answers; cancelling stops it.

        Raises:
            AgentError: There is no agent of the name.
            StrataError: It could not begin.
        """
        employer = self._employer
        scope = task.scope or employer.settings.tools.delegate_memory
        agent = await self._agent(task.agent)
        model = await self._model(agent if task.agent else None)
        result: ToolResult | None = None
        with suppress(_Over):
            async with self._session(task, agent) as memory:
                call = "" if task.by_user else desk.call
                named = await employer.memory.take_on(memory, scope, call)
                helper = _Helper(employer, memory, desk, scope, model)
                try:
                    result = await helper.run(task, named)
                finally:
                    employer.memory.dismiss(memory)
                # By an exception: a compaction in its background would be waited for.
                raise _Over
        if result is None:
            raise LookupError("a helper ended without a result")
        return result

    async def _agent(self, name: str) -> Agent:
        memory = self._employer.memory
        if not name:
            return await memory.agents.find(memory.info.agent)
        return await memory.agents.known(name)

    async def _model(self, agent: Agent | None) -> ModelInfo:
        """The model that helps: the agent's own, or the one that answers here."""
        employer = self._employer
        name = employer.asking.model if agent is None or not agent.model else canonical(agent.model)
        if employer.info is not None and name == employer.asking.model:
            return employer.info
        return await employer.backend.describe(name)

    @asynccontextmanager
    async def _session(self, task: HelperTask, agent: Agent) -> AsyncIterator[Memory]:
        """A session of its own, which belongs to the one it works for."""
        owner, settings = self._employer.memory, self._employer.settings
        whose = session_name(owner.state.title, owner.info.id, datetime.now(UTC))
        wish = Wish(
            session=f"{short_line(task.text, LONGEST_TITLE)} (helper of {whose})",
            agent=agent.name,
            user=owner.state.user or None,
            owner=owner.info.id,
            fresh=True,
            passive=True,
            label=f"a helper at work (process {os.getpid()})",
        )
        path = settings.paths.data.path
        index = self._employer.backend.vectors
        async with Memory.open(path, config=settings.memory, index=index, wish=wish) as memory:
            yield memory


class _Over(Exception):
    """A helper has ended, one way or the other."""


@dataclass(slots=True)
class _Helper:
    """A helper at work."""

    employer: Employer
    memory: Memory
    desk: CallDesk
    scope: MemoryScope
    info: ModelInfo

    async def run(self, task: HelperTask, named: Mapping[str, str]) -> ToolResult:
        """Works until it answers, fails, or is cancelled."""
        began = monotonic()
        steps = Steps(self.desk.show)
        number = await self._number()
        try:
            await self._prepare()
            box = await self._tools()
            told = await self._brief(task, box, named)
            await self.memory.add("user", told, origin="library")
            await self._work(box, steps)
        except asyncio.CancelledError:
            steps.stop()
            self.desk.show(f"\n{_had(steps)}\n{_steps_at(number)}\n")
            raise
        return _result(steps, number, f"{self._figures(steps)}, {_since(began)}")

    async def _number(self) -> int:
        """Its place among the helpers of the session."""
        infos = await self.memory.sessions.helpers(self.employer.memory.info.id)
        ids = [info.id for info in infos][::-1]
        return ids.index(self.memory.info.id) + 1

    async def _prepare(self) -> None:
        """Lets the model answer, count and summarise in its session."""
        settings, backend, info = self.employer.settings.model, self.employer.backend, self.info
        same = info.name == self.employer.asking.model
        chosen = model_chosen(info, settings.context_window if same else None, settings.mode)
        counter = exact_counter(backend, info)
        await self.memory.use_model(
            chosen, counter, await chosen_summariser(backend, info, settings)
        )
        found_by = embedder(backend, ModelStore(self.employer.settings.paths.models.path))
        if found_by is not None and self.scope != "isolated":
            self.memory.use_briefly(found_by)
        # Whatever it sees of the caller's memory: it works in the same folder.
        await self.employer.files.give(self.memory)

    async def _brief(self, task: HelperTask, box: Toolbox, named: Mapping[str, str]) -> str:
        if self.scope == "isolated":
            return brief(task.text)
        work = self.employer.memory.snapshot().work
        items = await self.memory.content.items() if RETRIEVE in box.tools else []
        return brief(task.text, background(work, items, named))

    async def _work(self, box: Toolbox, steps: Steps) -> None:
        settings = self.employer.settings.tools
        bench = Bench.of(
            self.memory,
            self.employer.backend,
            settings.model_copy(update={"max_rounds": settings.delegate_rounds}),
        )
        asking = replace(
            self.employer.asking, model=self.info.name, local=is_embedded(self.info.name)
        )
        questions: set[asyncio.Task[None]] = set()
        answering = answer(bench, box, asking, asyncio.Event())
        try:
            async with aclosing(answering) as happenings:
                async for happening in happenings:
                    if isinstance(happening, PermissionWanted):
                        questions.add(asyncio.create_task(self._ask(happening)))
                    steps.take(happening)
        finally:
            for question in questions:
                question.cancel()

    async def _ask(self, wanted: PermissionWanted) -> None:
        """Puts a question of the helper to the user, at the desk it works for."""
        question = f"A helper asks. {wanted.permission.question}"
        verdict = await self.desk.ask(replace(wanted.permission, question=question))
        if not wanted.answer.done():
            wanted.answer.set_result(verdict)

    async def _tools(self) -> Toolbox:
        employer = self.employer
        settings = employer.settings.tools
        settings = settings.model_copy(
            update={"without": (*settings.without, *_left_out(self.scope))}
        )
        mode, own = employer.settings.model.mode, employer.own_tools
        offered = Offered(self.memory, employer.backend, settings, mode, own)
        box = await offered.box(self.info.name)
        if self.scope != "shared" or NOTE not in box.tools:
            return box
        return replace(box, tools={**box.tools, NOTE: _At(self.desk, box.tools[NOTE])})

    def _figures(self, steps: Steps) -> str:
        usage = self.memory.state.usage
        return ", ".join(
            (
                count(steps.requests, "request"),
                count(steps.calls, "tool call"),
                count(usage.input + usage.output, "token"),
            )
        )


@dataclass(frozen=True, slots=True)
class _At:
    """A tool that works at another desk: notes of a shared memory are those of the owner."""

    desk: CallDesk
    tool: Tool

    @property
    def name(self) -> str:
        """What the model calls it."""
        return self.tool.name

    @property
    def description(self) -> str:
        """What it is for."""
        return self.tool.description

    @property
    def parameters(self) -> JsonObject:
        """The schema of its arguments."""
        return self.tool.parameters

    @property
    def alone(self) -> bool:
        """Whether it may not run beside others."""
        return self.tool.alone

    async def run(self, arguments: Mapping[str, Any], desk: object) -> ToolResult:  # noqa: ARG002 (the other desk counts)
        """Carries out a call.

        Raises:
            StrataError: As the tool itself.
        """
        return await self.tool.run(arguments, self.desk)


def _left_out(scope: MemoryScope) -> frozenset[str]:
    """Tools that a helper is not offered.

    Goals, tasks and facts are those of whom it works for, and so are all sessions but its own:
    only who shares their memory looks into them.
    """
    from app.tools.fact_tools import FACT_TOOLS  # loaded when tools are first offered
    from app.tools.goal_tools import GOAL_TOOLS
    from app.tools.recall_tools import RECALL_TOOLS

    tools = [*GOAL_TOOLS, *FACT_TOOLS, *(RECALL_TOOLS if scope != "shared" else ())]
    return frozenset({NAME, *(tool.name for tool in tools)} - {NOTE})


def _result(steps: Steps, number: int, figures: str) -> ToolResult:
    told = f"(Helper {number}: {figures}. {_steps_at(number)})"
    source = f"helper {number}"
    if steps.ending == "answered":
        return ToolResult(f"{steps.said}\n\n{told}", source=source, tags=("helper",))
    if steps.ending == "rounds":
        why = f"It used up the {steps.requests - 1} requests that a helper may make."
    else:
        why = steps.why or "It was stopped."
    text = f"The helper did not finish. {why} {_had(steps)}\n\n{told}"
    kind = "HelperRounds" if steps.ending == "rounds" else "HelperFailed"
    return ToolResult(text, ok=False, error=kind, source=source, tags=("helper",))


def _had(steps: Steps) -> str:
    return f"What it said last:\n{steps.said}" if steps.said.strip() else NOTHING


def _steps_at(number: int) -> str:
    return f"Its steps: @delegate open {number}"


def _since(began: float) -> str:
    return short_seconds(monotonic() - began)
