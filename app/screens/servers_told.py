"""Tells in the transcript of MCP servers that can't be used, each once (CHAT-10)."""

from app.backend.mcp_client import McpClient
from app.chat.mcp_commands import words_of
from app.screens.stage import Stage


async def tell_failures(stage: Stage, servers: McpClient) -> None:
    """Watches the servers for as long as the conversation is open.

    Args:
        stage: Where it is told.
        servers: What is known of them, and of which the user was told already.
    """
    while True:
        for view in servers.states():
            if view.state in ("failed", "dead") and view.name not in servers.told:
                servers.told.add(view.name)
                stage.notice(f"MCP server {words_of(view)[0]}", "note")
        await servers.changed()
