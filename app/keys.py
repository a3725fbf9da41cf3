"""Every action that has a key: what it is called, its keys, what it does, and where it holds.

The one source for the bindings of screens and widgets, for `[ui.keys]` of the configuration, for
the key line, the palette and the list of keys. Loaded before the first paint: no imports.
"""

from typing import Literal, NamedTuple

Place = Literal[
    "everywhere",
    "chat",
    "composer",
    "transcript",
    "core",
    "panes",
    "timeline",
    "prompt",
    "travel",
    "plot",
    "trace",
    "content",
    "goals",
    "asked",
    "sessions",
    "renaming",
    "agents",
    "agent",
    "themes",
    "question",
    "help",
]
PLACES: dict[Place, str] = {
    "everywhere": "Everywhere",
    "chat": "In the chat",
    "composer": "While writing",
    "transcript": "In the conversation",
    "core": "In the core",
    "panes": "In a pane",
    "timeline": "In the timeline",
    "prompt": "In the prompt inspector",
    "travel": "While back in time",
    "plot": "In the plot",
    "trace": "In a trace",
    "content": "In the content store",
    "goals": "In the goals",
    "asked": "While filling in a line",
    "sessions": "In the list of sessions",
    "renaming": "While renaming a session",
    "agents": "In the list of agents",
    "agent": "While changing an agent",
    "themes": "In the list of themes",
    "question": "When Strata asks",
    "help": "In this list",
}
"""Where a key holds, as the list of keys calls it."""


class Action(NamedTuple):
    """Something that a key does."""

    id: str
    keys: str
    """The keys unless the configuration has others; several are separated by commas."""
    word: str
    """What it does, short enough for the key line."""
    description: str
    place: Place
    listed: bool = True
    """Whether it makes sense to choose it from the palette."""


_ALL = (
    Action("app.help", "f1", "help", "list the keys and commands", "everywhere"),
    Action("app.palette", "ctrl+p", "all", "find anything by its name", "everywhere", False),
    Action("app.suspend", "ctrl+z", "suspend", "go back to the shell for a while", "everywhere"),
    Action("app.quit", "ctrl+q", "quit", "leave Strata", "everywhere"),
    Action("chat.stop", "escape", "stop", "stop the answer", "chat"),
    Action("chat.new", "ctrl+n", "new", "begin a new session", "chat"),
    Action("chat.sessions", "ctrl+o", "sessions", "list the sessions", "chat"),
    Action("chat.prompt", "f2", "prompt", "look at the prompt, piece by piece", "chat"),
    Action("chat.timeline", "f3", "timeline", "look at the compactions", "chat"),
    Action("chat.travel", "f4", "past", "go back in time", "chat"),
    Action("chat.plot", "f5", "plot", "see the prompt's tokens over the turns", "chat"),
    Action("chat.content", "f12", "content", "look at what is stored outside the prompt", "chat"),
    Action("chat.goals", "ctrl+t", "goals", "look at goal and tasks, and correct them", "chat"),
    Action("chat.agents", "ctrl+l", "agents", "list the agents, and change them", "chat"),
    Action("chat.branch", "ctrl+b", "branch", "go to the next branch", "chat"),
    Action("chat.panes", "f7", "panes", "show or hide the panes", "chat"),
    Action("chat.enlarge", "f8", "enlarge", "enlarge the pane, or make it small again", "chat"),
    Action("chat.theme", "f9", "theme", "choose a theme", "chat"),
    Action("chat.copy", "ctrl+g", "copy", "copy the last answer", "chat"),
    Action("chat.reopen", "ctrl+r", "reopen", "open the session for writing, or try again", "chat"),
    Action("chat.next_region", "f6", "next", "go to the next part of the screen", "chat", False),
    Action("chat.previous_region", "shift+f6", "before", "go to the part before", "chat", False),
    Action("chat.back", "pageup", "back", "scroll back", "chat", False),
    Action("chat.on", "pagedown", "on", "scroll on", "chat", False),
    Action("chat.oldest", "ctrl+home", "oldest", "go to the oldest message", "chat"),
    Action("chat.newest", "ctrl+end", "newest", "go to the newest message", "chat"),
    Action("composer.send", "enter", "send", "send the message", "composer", False),
    Action("composer.newline", "ctrl+j,shift+enter", "line", "begin a line", "composer", False),
    Action("composer.complete", "tab", "complete", "take the command", "composer", False),
    Action("composer.close", "escape", "close", "close the list of commands", "composer", False),
    Action("composer.previous", "up", "up", "a line or a message back", "composer", False),
    Action("composer.next", "down", "down", "a line or a message on", "composer", False),
    Action(
        "composer.undo", "ctrl+underscore,super+z", "undo", "undo the typing", "composer", False
    ),
    Action("transcript.previous", "up,k", "message", "the message before", "transcript", False),
    Action("transcript.next", "down,j", "message", "the message after", "transcript", False),
    Action(
        "transcript.open", "enter", "open", "open a compaction, unfold a call", "transcript", False
    ),
    Action("transcript.copy", "c", "copy", "copy the message", "transcript"),
    Action("transcript.copy_code", "b", "code", "copy its next block of code", "transcript"),
    Action("transcript.edit", "e", "edit", "edit the message and send it again", "transcript"),
    Action("transcript.again", "r", "again", "have it answered again", "transcript"),
    Action("transcript.fork", "f", "fork", "begin a branch after the message", "transcript"),
    Action(
        "transcript.pin", "p", "pin", "keep the message word for word, or no longer", "transcript"
    ),
    Action("transcript.trace", "w", "where", "see where the message went", "transcript"),
    Action("transcript.links", "o", "links", "open a link, or a helper's steps", "transcript"),
    Action("core.up", "up,k", "layer", "the layer above", "core", False),
    Action("core.down", "down,j", "layer", "the layer below", "core", False),
    Action("core.open", "enter,space", "open", "open the pane of the layer", "core", False),
    Action("pane.up", "up,k", "row", "a row up", "panes", False),
    Action("pane.down", "down,j", "row", "a row down", "panes", False),
    Action("pane.open", "enter", "open", "open what is chosen", "panes", False),
    Action("pane.hide", "delete", "hide", "hide the pane", "panes"),
    Action(
        "timeline.undo", "u", "undo", "take back the chosen compaction and all after it", "timeline"
    ),
    Action("timeline.redo", "r", "redo", "let it hold again", "timeline"),
    Action("timeline.rewrite", "w", "rewrite", "have a summary written anew", "timeline"),
    Action("timeline.pin", "p", "pin", "keep the chosen lost item in the prompt", "timeline"),
    Action("timeline.back", "escape", "back", "go back to the chat", "timeline", False),
    Action("prompt.up", "up,k", "piece", "the piece above", "prompt", False),
    Action("prompt.down", "down,j", "piece", "the piece below", "prompt", False),
    Action("prompt.before", "left,h", "request", "the request before", "prompt", False),
    Action("prompt.after", "right,l", "request", "the request after", "prompt", False),
    Action("prompt.next_request", "n", "next one", "the next request, not sent yet", "prompt"),
    Action("prompt.copy", "c", "copy", "copy the piece", "prompt"),
    Action("prompt.back", "escape,f2", "back", "go back to the chat", "prompt", False),
    Action("travel.before", "left", "back", "a turn back", "travel", False),
    Action("travel.after", "right", "on", "a turn on", "travel", False),
    Action(
        "travel.compaction_before",
        "shift+left",
        "folding",
        "the compaction before",
        "travel",
        False,
    ),
    Action(
        "travel.compaction_after", "shift+right", "folding", "the compaction after", "travel", False
    ),
    Action("travel.first", "home", "first", "the first turn", "travel", False),
    Action("travel.last", "end", "last", "the last turn", "travel", False),
    Action("travel.now", "escape,f4", "now", "back to now", "travel", False),
    Action("plot.back", "escape,f5", "back", "go back to the chat", "plot", False),
    Action("trace.back", "escape", "back", "go back", "trace", False),
    Action("content.search", "slash", "search", "look for words in the content", "content"),
    Action("content.type", "y", "type", "list the next type only, or all again", "content"),
    Action("content.before", "left,h", "part", "the part of the item before", "content", False),
    Action(
        "content.after", "right,l", "part", "another part: digest, first lines", "content", False
    ),
    Action("content.copy", "c", "copy", "copy what is shown of the item", "content"),
    Action("content.tag", "t", "tags", "change the tags of the item", "content"),
    Action("content.message", "m", "message", "go to the message it stands in", "content"),
    Action("content.back", "escape,f12", "back", "go back", "content", False),
    Action("goals.set", "g", "goal", "set a goal; the one before is archived", "goals"),
    Action("goals.add", "a", "task", "add a task", "goals"),
    Action("goals.edit", "e", "edit", "change the text of what is chosen", "goals"),
    Action("goals.start", "s", "start", "start the task", "goals"),
    Action("goals.finish", "f", "finish", "finish the task, or complete the goal", "goals"),
    Action("goals.fail", "x", "fail", "note that the task or the goal failed, and why", "goals"),
    Action("goals.progress", "p", "progress", "say how far the task is", "goals"),
    Action("goals.after", "w", "waits for", "say what the task waits for", "goals"),
    Action("goals.reopen", "r", "reopen", "open the task or the ended goal again", "goals"),
    Action("goals.remove", "delete", "remove", "remove what is chosen; asks first", "goals"),
    Action("goals.note", "n", "note", "note what matters for the goal", "goals"),
    Action("goals.value", "v", "value", "set a value", "goals"),
    Action("goals.message", "m", "message", "go to the message with the result", "goals"),
    Action("goals.back", "escape,ctrl+t", "back", "go back", "goals", False),
    Action("asked.save", "enter", "save", "take what stands there", "asked", False),
    Action("asked.leave", "escape", "leave it", "leave it as it was", "asked", False),
    Action("sessions.open", "enter", "open", "open the session", "sessions", False),
    Action("sessions.new", "ctrl+n", "new", "begin a new session", "sessions"),
    Action("sessions.rename", "ctrl+e", "rename", "give it another title", "sessions"),
    Action("sessions.delete", "delete,ctrl+d", "delete", "delete it; asks first", "sessions"),
    Action("sessions.back", "escape,ctrl+o", "back", "go back to the chat", "sessions", False),
    Action("sessions.up", "up", "up", "the session before", "sessions", False),
    Action("sessions.down", "down", "down", "the session after", "sessions", False),
    Action("sessions.page_up", "pageup", "page up", "a page up", "sessions", False),
    Action("sessions.page_down", "pagedown", "page down", "a page down", "sessions", False),
    Action("sessions.first", "ctrl+home", "first", "the first session", "sessions", False),
    Action("sessions.last", "ctrl+end", "last", "the last session", "sessions", False),
    Action("sessions.save", "enter", "save", "keep the title", "renaming", False),
    Action("sessions.leave", "escape", "leave it", "leave the title as it was", "renaming", False),
    Action("agents.new", "n", "new", "make an agent", "agents"),
    Action("agents.edit", "e", "edit", "change the agent", "agents"),
    Action("agents.remove", "delete", "remove", "remove the agent; asks first", "agents"),
    Action("agents.back", "escape,ctrl+l", "back", "go back to the chat", "agents", False),
    Action("agent.save", "ctrl+s", "save", "keep the agent as it is typed", "agent", False),
    Action("agent.leave", "escape", "leave it", "leave the agent as it was", "agent", False),
    Action("themes.keep", "enter", "keep", "keep the theme", "themes", False),
    Action("themes.leave", "escape,f9", "back", "go back to the old theme", "themes", False),
    Action("asking.yes", "y", "yes", "yes, do it", "question", False),
    Action("asking.no", "escape,n", "no", "no, leave it as it is", "question", False),
    Action("permit.no", "n", "no", "don't let the tool do it", "question", False),
    Action("permit.once", "o", "once", "let the tool do it once", "question", False),
    Action("permit.always", "a", "always", "let the tool do just this always", "question", False),
    Action("permit.take", "enter", "answer", "give the chosen answer", "question", False),
    Action("rewrite.accept", "enter", "accept", "put the new summary in place", "question", False),
    Action("rewrite.leave", "escape", "leave it", "keep the old summary", "question", False),
    Action("first.later", "escape", "later", "choose a model later", "question", False),
    Action("unlock.leave", "escape", "leave", "leave it locked", "question", False),
    Action("held.read_only", "escape", "read only", "read, but don't write", "question", False),
    Action("help.close", "escape,f1", "close", "go back", "help", False),
)
ACTIONS: dict[str, Action] = {action.id: action for action in _ALL}
"""All of them by id, in the order in which they are listed."""

_IN_FOOTER = (
    "chat.stop",
    "permit.take",
    "permit.no",
    "permit.once",
    "permit.always",
    "transcript.previous transcript.next",
    "transcript.open",
    "transcript.copy",
    "transcript.copy_code",
    "transcript.edit",
    "transcript.pin",
    "transcript.links",
    "transcript.again",
    "transcript.fork",
    "transcript.trace",
    "core.up core.down",
    "core.open",
    "pane.up pane.down",
    "pane.open",
    "pane.hide",
    "composer.send",
    "composer.newline",
    "chat.prompt",
    "chat.timeline",
    "chat.travel",
    "chat.panes",
    "app.palette",
    "app.help",
    "chat.goals",
    "chat.content",
    "chat.next_region",
    "app.quit",
)
FOOTER: tuple[tuple[str, str], ...] = tuple(
    (ids, ACTIONS[ids.split()[0]].word) for ids in _IN_FOOTER
)
"""What the key line shows of the actions whose keys hold, the most important first."""
