"""Which model answers where nobody named one, and whether somebody has to be asked."""

from dataclasses import replace
from pathlib import Path

from app.choices import CHOSEN, is_choice
from app.host.catalogue import PREFIX, canonical, entries, find, is_embedded, is_file
from app.host.store import ModelStore
from app.paths import COMMAND_LINE
from app.settings import Settings

KEY = "model.name"
ENVIRONMENT = "environment"
"""Begins what is told of a value from there."""


def chosen_model(
    settings: Settings, session_model: str | None, agent_model: str | None = None
) -> str:
    """The canonical name of the model that answers in a session.

    What was named for this start holds; with an agent that has a model of its own, the one the
    session had last, or the agent's. Else what the user configured; else the model the session had
    last; else what was chosen in Strata before; else the default model, or one that is installed
    where the default is not.

    Args:
        settings: The configuration.
        session_model: The model that answered in the session last.
        agent_model: The default model of the session's agent.

    Raises:
        UnknownModel: The configured name says `embedded/`, but the catalogue has no such model.
    """
    name = canonical(settings.model.name)
    if agent_model is not None and not is_for_this_start(settings):
        return session_model or canonical(agent_model)
    if is_configured(settings):
        return name
    if session_model is not None:
        return session_model
    if KEY in settings.origins and is_here(settings, name):
        return name
    return installed_model(settings) or name


def needs_choice(
    settings: Settings, session_model: str | None, agent_model: str | None = None
) -> bool:
    """Whether the user has to choose: no model was configured, and none is here that could answer.

    Args:
        settings: The configuration.
        session_model: The model that answered in the session last.
        agent_model: The default model of the session's agent.
    """
    if is_configured(settings):
        return False
    return not is_here(settings, chosen_model(settings, session_model, agent_model))


def with_choice(settings: Settings, name: str) -> Settings:
    """The settings as the next start will find them, once a model was chosen and kept.

    Args:
        settings: The configuration of this start.
        name: The model that was chosen.
    """
    if is_configured(settings):
        return settings
    model = settings.model.model_copy(update={"name": name})
    return replace(settings, model=model, origins={**settings.origins, KEY: CHOSEN})


def with_model_of_now(settings: Settings, name: str) -> Settings:
    """The settings for what is opened later in this run, once the user let another model answer.

    It comes as high as what was configured for this start, in whose place it stands.
    """
    model = settings.model.model_copy(update={"name": name})
    origin = settings.origins[KEY] if is_configured(settings) else CHOSEN
    return replace(settings, model=model, origins={**settings.origins, KEY: origin})


def is_configured(settings: Settings) -> bool:
    """Whether a model was named in `config.toml`, the environment or the command line."""
    return KEY in settings.origins and not is_choice(settings.origins[KEY])


def is_for_this_start(settings: Settings) -> bool:
    """Whether a model was named on the command line or in the environment."""
    origin = settings.origins.get(KEY, "")
    return origin == COMMAND_LINE or origin.startswith(ENVIRONMENT)


def is_here(settings: Settings, model: str) -> bool:
    """Whether a model can be asked: one behind a server always, an embedded one if installed."""
    bare = model.removeprefix(PREFIX)
    if not is_embedded(model):
        return True
    if is_file(model):
        return Path(bare).is_file()
    return ModelStore(settings.paths.models.path).installed(find(bare))


def installed_model(settings: Settings) -> str | None:
    """The first chat model of the catalogue that is installed, the default before all."""
    store = ModelStore(settings.paths.models.path)
    for entry in entries():
        if entry.kind == "chat" and store.installed(entry):
            return canonical(entry.name)
    return None
