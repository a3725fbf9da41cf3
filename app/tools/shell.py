"""The tool that runs shell commands, each of which the user has to allow (CHAT-10)."""

import signal
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, WithJsonSchema

from app.tools.near_names import with_way_back
from app.tools.output import Output
from app.tools.permissions import Permissions, allowed, unseen
from app.tools.running import Ended, run_shell
from app.tools.tool import Desk, OwnTool, Permission, ToolResult
from app.tools.troubles import FileNotFound, NoPath, NotAFolder, OutsideWorkspace, gone
from app.tools.workspace import Workspace, shown

LONGEST_COMMAND = 20_000
"""Characters; long enough to write a file by a here-document, short enough to be read."""

NAME = "run_command"
_PERMISSIONS = Permissions()


class RunCommand(BaseModel):
    """The arguments of `run_command`."""

    model_config = ConfigDict(extra="forbid")

    command: Annotated[str, Field(description="The command, as typed in a shell.")]
    folder: Annotated[str, Field(description="Where to run it, below the workspace.")] = "."
    seconds: Annotated[
        float | None,
        Field(gt=0, allow_inf_nan=False),
        WithJsonSchema({"type": "number", "description": "Stop it after this time."}),
    ] = None


async def run_command(arguments: RunCommand, desk: Desk) -> ToolResult:
    """Runs a command once the user has allowed exactly this one.

    Raises:
        FileTrouble: The folder is none, or not below the workspace.
    """
    command = arguments.command
    if refusal := _refusal(command):
        return refusal
    folder = _folder(desk, arguments.folder)
    if not await _may_run(command, folder, desk):
        return _failed("NotAllowed", "The user did not allow this command. It was not run.")
    if folder != _folder(desk, arguments.folder):
        return _failed("FolderChanged", "The folder was changed meanwhile. Nothing was run.")
    limit = min(arguments.seconds or desk.settings.shell_s, desk.settings.shell_s)
    output = Output(desk.settings.read_chars, desk.show)
    try:
        ended = await run_shell(command, folder, limit, output.take)
    except OSError as error:
        return _failed("NotStarted", f"The shell could not be started: {error.strerror}.")
    finally:
        text = output.finish()
    return _result(command, ended, limit, text)


async def _may_run(command: str, folder: Path, desk: Desk) -> bool:
    if command in desk.settings.allowed_commands:
        return True
    permission = Permission(
        tool=NAME,
        subject=command,
        question="May the model run this command?",
        where=str(folder),
    )
    return await allowed(permission, desk, _PERMISSIONS)


def _refusal(command: str) -> ToolResult | None:
    """Why a command can't even be asked about."""
    if not command.strip():
        return _failed("BadCommand", "The command is empty.")
    if len(command) > LONGEST_COMMAND:
        return _failed("BadCommand", f"A command may have {LONGEST_COMMAND:,} characters at most.")
    if hidden := unseen(command):
        return _failed(
            "BadCommand",
            f"It has characters that the user could not see: {hidden[:100]}. "
            "Write it without them; in a shell, printf can make them.",
        )
    return None


def _folder(desk: Desk, text: str) -> Path:
    """The folder without links in its path.

    Raises:
        FileTrouble: It is none, or not below the workspace.
    """
    workspace = Workspace(desk.workspace)
    if not workspace.root.is_dir():
        raise gone(workspace.root)
    try:
        place = workspace.place(text)
    except OutsideWorkspace as trouble:
        raise with_way_back(trouble, workspace, "folder") from trouble
    if not place.path.exists():
        raise FileNotFound(f"There is no folder {shown(place.inside)} in the workspace.")
    if not place.path.is_dir():
        raise NotAFolder(f"{shown(place.inside)} is no folder.")
    if unseen(str(place.path)):
        raise NoPath("The folder's path has characters that the user could not see.")
    return place.path


def _result(command: str, ended: Ended, limit: float, text: str) -> ToolResult:
    """What the model reads: how it ended, then the output."""
    parts = [_how(ended, limit)]
    if ended.left and ended.status is not None:
        parts.append(f"What it left running in the background was ended ({ended.left}).")
    parts.append("Output:" if text.strip() else "There was no output.")
    told = " ".join(parts) + (f"\n{text}" if text.strip() else "")
    errors = {None: "TimeLimit", 0: ""}
    return ToolResult(
        told,
        ok=ended.status == 0,
        error=errors.get(ended.status, "ExitCode"),
        source=command,
    )


def _how(ended: Ended, limit: float) -> str:
    if ended.status is None:
        return f"It was stopped after {limit:g} s, its time limit."
    if ended.status < 0:
        return f"It was ended by {_signal(-ended.status)}."
    return f"Exit code {ended.status} after {ended.seconds:.1f} s."


def _signal(number: int) -> str:
    try:
        return f"the signal {signal.Signals(number).name}"
    except ValueError:
        return f"the signal {number}"


def _failed(error: str, text: str) -> ToolResult:
    return ToolResult(text, ok=False, error=error)


SHELL_TOOLS = (
    OwnTool(
        name=NAME,
        description=(
            "Runs a shell command in the workspace and returns its output and exit code. "
            "The user is asked first. Nothing can be typed into it, and what it leaves in the "
            "background is ended."
        ),
        model=RunCommand,
        call=run_command,
        alone=True,
    ),
)
"""What the model gets of the shell."""
