"""Every kind of event that a log may hold."""

from memory.agent_events import AGENT_EVENTS
from memory.content_events import CONTENT_EVENTS
from memory.events import CORE_EVENTS, Event
from memory.fact_events import FACT_EVENTS
from memory.file_events import FILE_EVENTS
from memory.forgetting_events import FORGETTING_EVENTS
from memory.recall_events import RECALL_EVENTS
from memory.work_events import WORK_EVENTS

ALL_EVENTS: tuple[type[Event], ...] = (
    *CORE_EVENTS,
    *AGENT_EVENTS,
    *CONTENT_EVENTS,
    *FACT_EVENTS,
    *WORK_EVENTS,
    *FILE_EVENTS,
    *RECALL_EVENTS,
    *FORGETTING_EVENTS,
)
