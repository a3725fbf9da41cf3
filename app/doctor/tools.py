"""What the model may do: the folder that it works in, and what it may do unasked."""

from app.doctor.check import Check, note, ok, problem
from app.schema import ToolsSettings
from app.tools.workspace import NoWorkspace, workspace_of
from widgets.figures import count
from widgets.plain import one_line


def tool_checks(settings: ToolsSettings) -> list[Check]:
    """Whether the workspace can be used, which tools are left out for nothing, what is allowed."""
    if settings.offer == "none":
        return [ok("offer", "No tools are offered, because tools.offer is none.")]
    return [_workspace(settings), *_unknown(settings), *_allowed(settings)]


def _workspace(settings: ToolsSettings) -> Check:
    try:
        root = workspace_of(settings).root
        next(root.iterdir(), None)
    except NoWorkspace as error:
        return problem("workspace", one_line(error.sentence), error.next_step)
    except OSError as error:
        sentence = f"The workspace can't be read: {error.strerror}."
        return problem("workspace", sentence, "Name another as `tools.workspace`.")
    return ok("workspace", f"Tools work below {one_line(str(root))}.")


def _unknown(settings: ToolsSettings) -> list[Check]:
    """Names in `without` that no tool has; those of servers are not known here."""
    from app.tools.registry import own_tools  # 0.1 s, and only wanted where something is left out

    if not settings.without:
        return []
    known = {tool.name for tool in own_tools()}
    unknown = [name for name in settings.without if name not in known and "__" not in name]
    if not unknown:
        return []
    sentence = f"No tool is called {one_line(', '.join(unknown))}."
    return [note("without", sentence, f"The tools are {', '.join(sorted(known))}.")]


def _allowed(settings: ToolsSettings) -> list[Check]:
    if not settings.allowed_commands:
        return []
    sentence = f"{count(len(settings.allowed_commands), 'command')} run without asking."
    return [ok("commands", sentence)]
