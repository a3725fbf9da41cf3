"""What the model may call: files, web, shell, MCP servers, memory, other agents."""
