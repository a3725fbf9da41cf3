"""Opens a session: finds or makes it, takes its lease, folds its log, mends what a crash left."""

import getpass
from dataclasses import replace
from pathlib import Path

from memory import policy_names
from memory.agents import Agent, AgentBook
from memory.answer import close_orphan
from memory.config import MemoryConfig
from memory.events import (
    Event,
    ModelChosen,
    SessionRenamed,
    SessionStarted,
    SystemPromptSet,
    ThresholdsSet,
)
from memory.ids import new_id
from memory.journal import Journal
from memory.parts import Thresholds, WorkCaps
from memory.privacy import Cleaned, Door
from memory.state import State
from memory.storage import branches, checkpoints, leases
from memory.storage.database import Database
from memory.storage.log import Log
from memory.storage.sessions import SessionInfo, Sessions, UnknownSession
from memory.wish import Wish


async def open_journal(
    directory: Path, wish: Wish, config: MemoryConfig, model: ModelChosen | None
) -> tuple[Journal, SessionInfo]:
    """Opens the database below `directory` and a session in it, ready to go on.

    Raises:
        StorageError: The database can't be opened.
        UnknownSession: There is none of the name and none is to be made.
        UnknownBranch: The branch is no longer there.
        SessionHeld: Another process holds it.
    """
    database = await Database.open(directory, Door.of(config.privacy))
    try:
        info = await _find_or_create(database, wish)
        lease = None
        if not wish.read_only:
            lease = await leases.acquire(
                database, info.branch, wish.label, take_over=wish.take_over
            )
            if wish.branch is not None:
                await branches.touch(database, info.branch)
        log = await Log.open(database, info.branch)
        state = await checkpoints.state_at(database, log)
        journal = Journal(database, log, lease, state, about=about(info))
        answering = (None if lease is None else model) or state.model
        journal.tokenizer = answering.tokenizer if answering else None
        await journal.load_texts()
        if lease is not None:
            await follow_agent(journal, info, config, model)
            await close_orphan(journal)
    except BaseException:
        await database.close()
        raise
    return journal, info


def _of_agent(config: MemoryConfig, agent: Agent) -> MemoryConfig:
    """The configuration as it holds for an agent's sessions."""
    changes: dict[str, str] = {"system_prompt": agent.system_prompt(config.system_prompt)}
    if agent.policy is not None and policy_names.is_known(agent.policy):
        changes["policy"] = agent.policy
    return config.model_copy(update=changes)


def about(info: SessionInfo) -> dict[str, str]:
    """Which session and agent an operation belongs to, as OpenTelemetry names them."""
    return {
        "session.id": info.id,
        "gen_ai.conversation.id": info.id,
        "gen_ai.agent.name": info.agent,
    }


async def follow_agent(
    journal: Journal, info: SessionInfo, config: MemoryConfig, model: ModelChosen | None = None
) -> None:
    """Records what is new about a start, with the session's agent as it is defined now.

    Raises:
        ReadOnly, StorageError: Nothing was recorded.
    """
    agent = await AgentBook(journal.database).find(info.agent)
    await _record_start(journal, info, _of_agent(config, agent), model)


async def beginning(
    database: Database, started: SessionStarted, config: MemoryConfig
) -> tuple[list[Event], dict[str, Cleaned]]:
    """The first events of a session that is written whole, and their texts.

    Raises:
        StorageError: The database refused.
    """
    config = _of_agent(config, await AgentBook(database).find(started.agent))
    system, body = database.door.clean(config.system_prompt), new_id()
    thresholds = ThresholdsSet(thresholds_of(config))
    return [started, thresholds, SystemPromptSet(body, len(system.text))], {body: system}


async def give_back(journal: Journal) -> None:
    """Ends the lease of a session, where it is still ours.

    Raises:
        StorageError: The database refused; the lease ends by itself.
    """
    if journal.lease is not None and journal.lost is None:
        await journal.keep_last_checkpoint()
        await leases.release(journal.database, journal.lease)


async def record_model(journal: Journal, model: ModelChosen) -> None:
    """Records which model answers from here on, if it is another one or known better."""

    def make(state: State) -> tuple[list[Event], dict[str, Cleaned]] | None:
        known = state.model == model and state.learned_window is None
        return None if known else ([model], {})

    await journal.append(make)


def thresholds_of(config: MemoryConfig) -> Thresholds:
    """The part of the configuration that the log records."""
    return Thresholds(
        policy=config.policy,
        immediate_window=config.immediate_window,
        recent_window=config.recent_window,
        keep_recent=config.keep_recent_messages,
        trigger_share=config.autocompact_trigger,
        buffer_tokens=config.autocompact_buffer_tokens,
        reserve_tokens=config.summary_reserve_tokens,
        receipt_chars=config.tool_result_budget,
        summary_tokens=config.summary_max_tokens,
        max_failures=config.max_compact_failures,
        paste_chars=config.paste_chars,
        code_lines=config.code_lines,
        detail_tokens=config.summary_details_tokens,
        show_results=config.show_results,
        digest_chars=config.digest_chars,
        work=WorkCaps(
            session_tokens=config.session_token_cap,
            warning_tokens=config.session_token_warning,
            archive_tokens=config.archived_goals_token_cap,
            archives=config.keep_archived_goals,
            executions=config.keep_executions,
            failed_tasks=config.keep_failed_tasks,
            context_chars=config.context_max_chars,
            prompt_tokens=config.working_tokens,
        ),
    )


async def choose_policy(journal: Journal, name: str) -> None:
    """Lets another policy hold in this session from here on, whatever the configuration says."""

    def make(state: State) -> tuple[list[Event], dict[str, Cleaned]] | None:
        if state.policy_chosen and state.rules.policy == name:
            return None
        return [ThresholdsSet(replace(state.rules, policy=name), policy_chosen=True)], {}

    await journal.append(make)


def _thresholds(state: State, config: MemoryConfig) -> Thresholds:
    wanted = thresholds_of(config)
    if state.thresholds is None or not state.policy_chosen:
        return wanted
    return replace(wanted, policy=state.thresholds.policy)


async def _find_or_create(database: Database, wish: Wish) -> SessionInfo:
    sessions = Sessions(database)
    if wish.branch is not None:
        return await sessions.at(wish.branch)
    if not wish.fresh:
        try:
            return await sessions.find(wish.session, wish.agent)
        except UnknownSession:
            if not wish.create:
                raise
    user = wish.user or user_name()
    return await sessions.create(
        user=user,
        agent=wish.agent,
        title=wish.session,
        unless_there=not wish.fresh,
        owner=wish.owner,
    )


async def _record_start(
    journal: Journal, info: SessionInfo, config: MemoryConfig, model: ModelChosen | None
) -> None:
    """Records in one go what is new about this start: session, thresholds, prompt, model."""
    system = journal.door.clean(config.system_prompt)
    same_system = journal.texts.get(journal.state.system or "") == system.text
    body = new_id()
    # Another branch may have been given a title meanwhile; a session has one.
    retitled = await _title_of_now(journal, info)

    def make(state: State) -> tuple[list[Event], dict[str, Cleaned]] | None:
        events: list[Event] = []
        bodies: dict[str, Cleaned] = {}
        if state.n == 0:
            events.append(SessionStarted(info.agent, info.id.split(":", 1)[0], info.title))
        elif retitled is not None:
            events.append(retitled)
        wanted = _thresholds(state, config)
        if state.thresholds != wanted:
            events.append(ThresholdsSet(wanted, state.policy_chosen))
        if not same_system:
            events.append(SystemPromptSet(body, len(system.text)))
            bodies[body] = system
        if model is not None and state.model != model:
            events.append(model)
        return (events, bodies) if events else None

    await journal.append(make)


async def _title_of_now(journal: Journal, info: SessionInfo) -> SessionRenamed | None:
    """The title that the session has and this branch has not."""
    if info.title is None or journal.state.n == 0 or journal.state.title == info.title:
        return None
    by = await branches.titled_by(journal.database, journal.log.stream)
    return SessionRenamed(info.title, by)


def user_name() -> str:
    """The name of the person at this machine; `user` where the system doesn't tell."""
    try:
        return getpass.getuser().replace(":", "_")
    except (KeyError, OSError, ImportError):
        return "user"
