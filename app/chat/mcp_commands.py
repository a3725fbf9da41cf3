"""The @command about MCP servers: how they are, what they offer, starting one again (CHAT-10)."""

from collections.abc import AsyncGenerator

from app.backend.mcp_protocol import McpServerView
from app.chat.command import Command
from app.chat.conversation import Conversation
from app.chat.happenings import Happening, Reported
from widgets.figures import count
from widgets.plain import one_line

NONE = "No MCP server is configured. [mcp.NAME] in config.toml names one."
NOT_STARTED = "MCP servers are not started, because tools.offer is none."
OFFER_ALL = 'offer = "all" under [tools] offers these tools to every model that can call any.'
USAGE = "Say @mcp for all servers, @mcp restart NAME to start one again."
SETTLING_S = 10.0
"""How long a start is waited for before the server is shown as connecting."""

LONGEST_NAMES = 200
"""Characters of the names of a server's tools."""


async def _mcp(conversation: Conversation, argument: str) -> AsyncGenerator[Happening, None]:
    word, _, name = argument.partition(" ")
    if not conversation.settings.mcp:
        yield Reported(NONE, "note")
    elif conversation.settings.tools.offer == "none":
        yield Reported(NOT_STARTED, "note")
    elif not argument:
        views = conversation.backend.mcp.states()
        lines = [line for view in views for line in words_of(view, conversation.offers_servers)]
        ready = any(view.state == "ready" for view in views)
        lacks = ready and not conversation.offers_servers
        advice = [OFFER_ALL] if lacks and conversation.settings.tools.offer != "all" else []
        yield Reported("\n".join([*lines, *advice]))
    elif word == "restart" and name.strip():
        yield await _restarted(conversation, name.strip())
    else:
        yield Reported(USAGE, "note")


async def _restarted(conversation: Conversation, name: str) -> Reported:
    servers = conversation.backend.mcp
    if not await servers.restart(name):
        names = ", ".join(one_line(view.name) for view in servers.states())
        return Reported(f"There is no MCP server {one_line(name)}. There are {names}.", "problem")
    await servers.settled(SETTLING_S)
    view = next(view for view in servers.states() if view.name == name)
    told = "\n".join(words_of(view, conversation.offers_servers))
    return Reported(told, "problem" if view.state in ("failed", "dead") else "plain")


def words_of(view: McpServerView, is_offered: bool = True) -> list[str]:
    """A server in words: its name, how it is, what it offers or what to do.

    Args:
        view: What is known of it.
        is_offered: Whether the model that answers is offered the tools of servers.
    """
    name = one_line(view.name)
    if view.state == "connecting":
        return [f"{name}: connecting"]
    if view.state != "ready":
        return [f"{name}: {view.state}. {view.sentence} {view.next_step}".rstrip()]
    names = one_line(", ".join(tool.name for tool in view.tools))
    if len(names) > LONGEST_NAMES:
        names = f"{names[: LONGEST_NAMES - 1]}…"
    offer = "" if is_offered else ", not offered to this model"
    told = f"{name}: ready, {count(len(view.tools), 'tool')}{offer}{': ' if names else ''}{names}"
    return [told, *(f"{name}: {one_line(note)}" for note in view.notes)]


MCP_COMMANDS = (
    Command("mcp", "[restart NAME]", "the MCP servers and their tools; start one again", _mcp),
)
