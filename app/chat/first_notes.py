"""What the user should know of tools before anything is asked (CHAT-10)."""

from app.settings import Settings
from app.tools.workspace import NoWorkspace, workspace_of


def workspace_note(settings: Settings) -> str:
    """What is wrong with the folder that tools work in; empty where nothing is."""
    if settings.tools.offer == "none":
        return ""
    try:
        workspace_of(settings.tools)
    except NoWorkspace as error:
        return f"{error} Until then tools find no files."
    return ""
