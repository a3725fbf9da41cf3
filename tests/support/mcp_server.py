"""An MCP server made with the SDK, for tests: over standard input and output, or on loopback.

Run it as `mcp_server.py stdio` or `mcp_server.py http PORT`.
"""

import os
import sys
from pathlib import Path

import anyio
from mcp.server.mcpserver import Context, Image, MCPServer
from mcp_types import ToolAnnotations

READS = ToolAnnotations(read_only_hint=True)

server = MCPServer("test", log_level="ERROR")


@server.tool(annotations=READS)
def echo(text: str, times: int = 1) -> str:
    """Says the text again."""
    return text * times


@server.tool(annotations=READS)
def pid() -> str:
    """Tells the number of the process."""
    return str(os.getpid())


@server.tool(annotations=READS)
def variable(name: str) -> str:
    """Tells a variable of the environment."""
    return os.environ.get(name, "none")


@server.tool(annotations=READS)
def header(name: str, context: Context) -> str:
    """Tells a header of the request."""
    return (context.headers or {}).get(name, "none")


@server.tool(annotations=READS)
def picture() -> Image:
    """Shows a picture of 12,000 bytes."""
    return Image(data=bytes(12_000), format="png")


@server.tool()
def fail(reason: str) -> str:
    """Fails."""
    raise ValueError(reason)


@server.tool(annotations=READS)
async def slow(mark: str, seconds: float = 30) -> str:
    """Takes long; leaves a mark where it was cancelled."""
    Path(mark).write_text("started")
    try:
        await anyio.sleep(seconds)
    except BaseException:
        Path(mark).write_text("cancelled")
        raise
    Path(mark).write_text("done")
    return "done"


@server.tool(annotations=ToolAnnotations(destructive_hint=True))
def die(code: int) -> str:
    """Ends the process."""
    sys.stderr.write("my last words\n")
    sys.stderr.flush()
    os._exit(code)


@server.tool(annotations=READS)
async def learn(name: str, context: Context) -> str:
    """Has one tool more from now on."""
    server.add_tool(lambda: "I am new.", name=name, description="A new one.", annotations=READS)
    await context.notify_tools_changed()
    return "learnt"


if __name__ == "__main__":
    if sys.argv[1] == "http":
        server.run("streamable-http", port=int(sys.argv[2]))
    else:
        server.run()
