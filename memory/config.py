"""The thresholds of memory, each with the reason for its default."""

from collections.abc import Mapping
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from memory import policy_names
from memory.parts import ShowResults

Profile = Literal["default", "stress"]

PERSONA = "You are Strata, a helpful assistant in a terminal. Answer plainly and briefly. "
"""Who answers; an agent's profile takes its place."""
SYSTEM_PROMPT = (
    f"{PERSONA}"
    "Summaries of earlier parts of this conversation may come first: "
    "treat them as what was said, and answer the last message."
)

PROFILES: dict[str, dict[str, int]] = {
    "default": {},
    # Small enough that every part of the cascade is seen within a few turns.
    "stress": {"immediate_window": 4, "recent_window": 4},
}


def _known_policy(name: str) -> str:
    if not policy_names.is_known(name):
        raise ValueError(f"one of {', '.join(policy_names.names())}")
    return name


class PrivacyConfig(BaseModel):
    """What is replaced in every text before it is stored: `[privacy]`.

    Nothing that was replaced leaves this machine either: a prompt is made of what is stored.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    private_keys: bool = True
    """Private keys of SSH, TLS, PGP and age."""

    api_keys: bool = True
    """API keys and tokens: those whose form tells it, and those behind a name that does."""

    passwords: bool = True
    """Passwords behind a name for one, in web addresses and in command lines."""

    cards: bool = True
    """Numbers of payment cards: issuer and check digit are right."""

    ibans: bool = True
    """Numbers of bank accounts: length and check digits are right."""

    national_ids: bool = True
    """Numbers that a state gives a person; those without check digits only where they are named."""

    emails: bool = False
    """Off, since addresses are what people talk about: without them nobody could be written to."""

    phones: bool = False
    """Off for the same reason: a number to call is often what a question is about."""

    ip_addresses: bool = False
    """Off, since help with a network needs them; private and reserved ones stay in any case."""

    keep_messages_days: Annotated[float, Field(ge=0, le=36_500)] = 0
    """Days after which messages are forgotten; 0 keeps them for ever. Pinned ones stay."""

    keep_content_days: Annotated[float, Field(ge=0, le=36_500)] = 0
    """The same for tool results and stored texts."""

    keep_facts_days: Annotated[float, Field(ge=0, le=36_500)] = 0
    """The same for facts, by when they were last said or changed. One that matters most lives four
    times as long; pinned ones stay."""

    keep_summaries_days: Annotated[float, Field(ge=0, le=36_500)] = 0
    """The same for summaries, by when they were written."""

    phone_region: Annotated[str, Field(pattern="^([A-Z]{2})?$")] = ""
    """Country (`DE`) whose phone numbers are known without their international prefix as well."""


class RecallConfig(BaseModel):
    """What long-term memory brings to a turn: `[recall]`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    enabled: bool = True
    """Whether the store is searched before each turn."""

    across_sessions: bool = True
    """Whether what was said in other sessions of the same agent is found as well."""

    budget_tokens: Annotated[int, Field(ge=0, le=100_000)] = 2_000
    """Tokens of facts and passages in a turn, capped at 10 % of the window: with 2,000, the passage
    that answers is among them for nine of ten questions (LoCoMo)."""

    reading_s: Annotated[float, Field(gt=0, le=600)] = 10.0
    """Seconds that a model may take to read them, at the speed it was seen to have: a model on this
    machine would else think for a minute each turn."""

    passages: Annotated[int, Field(ge=0, le=200)] = 12
    """Passages in a turn. More of them distract small models."""

    passage_tokens: Annotated[int, Field(ge=40, le=100_000)] = 400
    """Longest passage in tokens; of a longer one the beginning stands."""

    facts: Annotated[int, Field(ge=0, le=200)] = 8
    """Facts in a turn beside the pinned ones."""

    wait_s: Annotated[float, Field(ge=0, le=60)] = 3.0
    """Longest wait for what a message means; then it is searched by its words alone. Only the first
    message after a start waits for more than a moment, for a process that its answer needs too."""


class MemoryTable(BaseModel):
    """`[memory]`: what decides when memory is compacted and how much of it stays verbatim.

    Windows count messages; everything named `tokens` counts tokens of the model that answers.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", validate_default=True)

    profile: Profile = "default"
    """A named set of thresholds; keys given explicitly win over it."""

    policy: Annotated[str, AfterValidator(_known_policy)] = "cascade"
    """How old messages are folded: S4's cascade, `rolling` (S1), `buffer` (S2), `window` (S0), one
    that a package brings, or `none`."""

    immediate_window: Annotated[int, Field(ge=1, le=1_000_000)] = 64
    """Newest messages that stay verbatim after a cascade (S4)."""

    recent_window: Annotated[int, Field(ge=1, le=1_000_000)] = 64
    """Messages between two cascades, and so under one short-term summary (S4)."""

    keep_recent_messages: Annotated[int, Field(ge=1, le=1_000)] = 10
    """Newest messages that no stage drops or summarises (S0)."""

    autocompact_trigger: Annotated[float, Field(gt=0, le=1)] = 0.80
    """Share of the context window at which compaction begins (S0)."""

    autocompact_buffer_tokens: Annotated[int, Field(ge=0)] = 13_000
    """Cushion below the limit (S0), capped at 10 % of the window."""

    summary_reserve_tokens: Annotated[int, Field(ge=0)] = 20_000
    """Room kept for the answer (S0: the longest of a hundred was 17,300), capped at 15 %."""

    max_compact_failures: Annotated[int, Field(ge=1, le=100)] = 3
    """Failures in a row after which the model is no longer asked by itself (S0)."""

    tool_result_budget: Annotated[int, Field(ge=200)] = 10_000
    """Characters of one message that a summariser or a receipt may show (S0)."""

    show_results: ShowResults = "once"
    """How long a tool result stands in full: in one request, after which a receipt with a digest
    takes its place (S3); to the end of its turn, for models that compare files; or always."""

    digest_chars: Annotated[int, Field(ge=60, le=4_000)] = 300
    """Longest digest by rule in a receipt, in characters: with 61 results of 3 MB in all, the
    prompt then has 37 KB (S3's worked example; with 450 it has 43 KB)."""

    content_digest: Literal["rule", "model", "text"] = "rule"
    """Who writes the digest of what is stored: compactors by rule; the model with the goal in view
    (S3), for each text or only for plain text that no compactor knows. Rules stand in for it."""

    digest_prompt: str = ""
    """Instructions that replace those of a digest by the model; empty means built in."""

    paste_chars: Annotated[int, Field(ge=200)] = 2_000
    """Characters over which pasted text may be replaced by a digest (COMPACT-3)."""

    code_lines: Annotated[int, Field(ge=5)] = 40
    """Lines over which a block of code may be replaced by a digest (COMPACT-3)."""

    summary_details_tokens: Annotated[int, Field(ge=0, le=4_000)] = 100
    """Names, numbers and conditions kept word for word under a summary; 0 for none. A summary in
    sentences loses them first."""

    summary_sentences: Annotated[int, Field(ge=1, le=50)] = 3
    """Longest summary in sentences (S4: two to three)."""

    summary_max_tokens: Annotated[int, Field(ge=24, le=8_000)] = 160
    """Longest summary in tokens: three long sentences with names and numbers."""

    summary_temperature: Annotated[float, Field(ge=0, le=2)] = 0.1
    """Low, so that a summary repeats and does not invent (S2)."""

    summary_prompt: str = ""
    """Instructions that replace the built-in ones of a summary; empty means built in."""

    compaction: Literal["background", "wait"] = "background"
    """Whether a turn waits for the compaction it makes due (S2)."""

    context_window: Annotated[int, Field(ge=512)] | None = None
    """Tokens the model takes in all; where it is not given, the model's own figure holds."""

    compact_after: Literal["never", "goal", "task"] = "never"
    """Whether the end of a goal, or of each task too, compacts memory as well (S1)."""

    session_token_cap: Annotated[int, Field(ge=500)] = 12_000
    """Tokens of session memory: goal, tasks, context, values, executions, archives (S2)."""

    session_token_warning: Annotated[int, Field(ge=0)] = 10_000
    """Tokens of session memory at which the status warns (S2)."""

    archived_goals_token_cap: Annotated[int, Field(ge=0)] = 6_000
    """Tokens of all archived goals together (S2)."""

    keep_archived_goals: Annotated[int, Field(ge=0, le=1_000)] = 10
    """Newest goals whose archives are kept (S2)."""

    keep_executions: Annotated[int, Field(ge=1, le=1_000)] = 20
    """Newest executions of the active goal whose details are kept; all are counted (S2)."""

    keep_failed_tasks: Annotated[int, Field(ge=0, le=1_000)] = 5
    """Newest failed tasks whose details are kept (S2)."""

    context_max_chars: Annotated[int, Field(ge=100, le=100_000)] = 2_000
    """Characters of a goal's context; the oldest notes leave first (S2)."""

    working_tokens: Annotated[int, Field(ge=0, le=100_000)] = 1_500
    """Tokens of working memory in a prompt, capped at 10 % of the window. The goal and the tasks to
    do stand in it whatever they take."""

    memory_files: bool = True
    """Put `AGENT.md`, `MEMORY.md` and `.agent-context.md` into every prompt (S0)."""

    memory_file_chars: Annotated[int, Field(ge=200, le=1_000_000)] = 20_000
    """Characters of one memory file: about 5,000 tokens, all that such files may take of the window
    that is assumed where nobody knows it. The beginning stands in the prompt, the rest is left."""

    memory_files_share: Annotated[float, Field(gt=0, le=0.5)] = 0.15
    """Part of the window that all memory files together may take, as much as is kept for the
    answer: small models keep room to talk. The largest files are cut first."""

    extract_facts: bool = True
    """Read lasting facts out of what leaves the window, by the model, behind the conversation."""

    vault: bool = True
    """Keep the window and the summaries in readable files beside the database as well (S1, S4)."""

    system_prompt: str = SYSTEM_PROMPT
    """What begins every prompt."""

    @classmethod
    def from_values(cls, values: Mapping[str, object]) -> Self:
        """The configuration in which the profile fills what `values` leaves open.

        Raises:
            pydantic.ValidationError: A key is unknown or a value not allowed.
        """
        profile = PROFILES.get(str(values.get("profile", "default")), {})
        return cls.model_validate({**profile, **values})


class MemoryConfig(MemoryTable):
    """How a session is remembered: the thresholds, what is found again, what is never stored."""

    privacy: PrivacyConfig = PrivacyConfig()
    recall: RecallConfig = RecallConfig()
