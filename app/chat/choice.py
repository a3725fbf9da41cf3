"""Which model answers where nobody named one."""

from app.host.catalogue import canonical, entries
from app.host.store import ModelStore
from app.settings import Settings

KEY = "model.name"


def chosen_model(settings: Settings, session_model: str | None) -> str:
    """The canonical name of the model that answers in a session.

    What the user named holds; else the model the session had last; else the default model, or one
    that is installed where the default is not.

    Args:
        settings: The configuration.
        session_model: The model that answered in the session last.

    Raises:
        UnknownModel: The configured name says `embedded/`, but the catalogue has no such model.
    """
    if KEY in settings.origins:
        return canonical(settings.model.name)
    if session_model is not None:
        return session_model
    return installed_model(settings) or canonical(settings.model.name)


def installed_model(settings: Settings) -> str | None:
    """The first chat model of the catalogue that is installed, the default before all."""
    store = ModelStore(settings.paths.models.path)
    for entry in entries():
        if entry.kind == "chat" and store.installed(entry):
            return canonical(entry.name)
    return None
