"""What the backend is told of the configuration."""

from app.backend.mcp_protocol import McpSettings
from app.backend.protocol import BackendSettings
from app.encryption.opening import becomes_encrypted
from app.settings import Settings


def backend_settings(settings: Settings, *, tools: bool = True) -> BackendSettings:
    """What the backend needs to know of the configuration.

    Args:
        settings: The configuration.
        tools: Whether a model may call tools, so that the servers of tools are started.
    """
    tools = tools and settings.tools.offer != "none"
    return BackendSettings(
        data_dir=settings.paths.data.path,
        models_dir=settings.paths.models.path,
        api_base=settings.model.api_base,
        host_context_tokens=settings.host.context_tokens,
        host_threads=settings.host.threads,
        host_idle_seconds=round(settings.host.idle_minutes * 60),
        chroma_url=settings.recall.chroma_url,
        keeps_words=not becomes_encrypted(settings.paths.data.path, settings.privacy.encryption),
        context_window=settings.model.context_window,
        base_models=settings.model.mode == "completion",
        mcp={name: McpSettings(**dict(one)) for name, one in settings.mcp.items()} if tools else {},
    )
