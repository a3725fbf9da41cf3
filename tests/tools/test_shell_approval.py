"""CHAT-10, ALL-8: what the user approved is exactly what runs, and nothing else ever runs."""

import asyncio
import shutil
import unicodedata
from pathlib import Path

import pytest

from app.tools.shell import LONGEST_COMMAND, SHELL_TOOLS
from app.tools.tool import Permission, ToolResult, Verdict
from app.tools.troubles import FileTrouble
from tests.tools.shell_desk import ShellDesk, a_desk

RUN = SHELL_TOOLS[0]
APPROVED = "echo é"

# Commands that are not the approved one. Those that would do harm leave the file `ran` behind.
OTHERS = {
    "another command behind": "echo é; touch ran",
    "another command after a success": "echo é && touch ran",
    "another command after a failure": "echo é || touch ran",
    "another line": "echo é\ntouch ran",
    "a line before": "touch ran\necho é",
    "a pipe": "echo é | tee ran",
    "a redirection": "echo é > ran",
    "a redirection with a number": "echo é 1>ran",
    "the background": "echo é & touch ran",
    "a substitution": "echo é$(touch ran)",
    "a substitution in backquotes": "echo é`touch ran`",
    "an end of the line that is hidden by a backslash": "echo é\\\n; touch ran",
    "a here-document": "echo é <<x\nx\ntouch ran",
    "an environment assignment": "PATH=. echo é",
    "an assignment with a command": "X=$(touch ran) echo é",
    "two spaces": "echo  é",
    "a tab": "echo\té",
    "a space behind": "echo é ",
    "a space before": " echo é",
    "a line break behind": "echo é\n",
    "a line break before": "\necho é",
    "a semicolon": "echo é;",
    "a comment": "echo é # touch ran",
    "brackets": "(echo é)",
    "braces": "{ echo é; }",
    "quotes": "echo 'é'",
    "quotes around the command": "'echo' é",
    "a backslash": "e\\cho é",
    "capitals": "ECHO é",
    "a path": "/bin/echo é",
    "a beginning of it": "echo",
    "more of it": "echo éé",
    "a pattern": "echo ?",
    "any command": "*",
    "a variable": "echo ${X-é}",
    "a letter in two parts": unicodedata.normalize("NFD", APPROVED),
    "a Cyrillic letter": "eсho é",
    "a letter of full width": "ｅcho é",
    "a hyphen of typography": "echo –é",
    "a command around it": "sh -c 'echo é; touch ran'",
    "eval": "eval echo é",
    "a function of the same name": "echo() { touch ran; }; echo é",
    "an alias": "alias echo='touch ran #'\necho é",
}

UNSEEN = {
    "nothing": "\0",
    "backspace": "\b\b\b\b",
    "carriage return": "\rls #",
    "escape": "\x1b[2K",
    "delete": "\x7f",
    "a control sequence in one character": "\x9b2K",
    "no-break space": "\u00a0",
    "soft hyphen": "\u00ad",
    "grapheme joiner": "\u034f",
    "Arabic letter mark": "\u061c",
    "Hangul filler": "\u3164",
    "Mongolian vowel separator": "\u180e",
    "zero width space": "\u200b",
    "zero width joiner": "\u200d",
    "right to left mark": "\u200f",
    "line separator": "\u2028",
    "paragraph separator": "\u2029",
    "right to left override": "\u202e",
    "narrow no-break space": "\u202f",
    "isolate": "\u2066",
    "blank of Braille": "\u2800",
    "ideographic space": "\u3000",
    "half of a character": "\ud800",
    "private use": "\ue000",
    "variation selector": "\ufe0f",
    "byte order mark": "\ufeff",
    "annotation": "\ufff9",
    "tag": "\U000e0041",
    "variation selector of the second kind": "\U000e0100",
}

FOLDERS = {
    "above": "..",
    "above by a detour": "inside/../..",
    "the root": "/",
    "a neighbour": "../neighbour",
    "a neighbour with the same beginning": "../workspace-2",
    "absolute": "/tmp",
    "a link that leads out": "out",
    "a link that leads out by way of another": "inside/over",
    "below a link that leads out": "out/neighbour",
    "a file": "file",
    "nothing there": "missing",
    "the home": "~",
    "a variable": "$HOME",
    "a zero": "inside\0",
    "hidden characters": "inside\u202e",
    "a loop of links": "loop",
    "a name that is too long": "x" * 5_000,
}


TROUBLES = {"OutsideWorkspace", "FileNotFound", "NotAFolder", "NoPath"}


async def call(desk: ShellDesk, command: str, folder: str = ".") -> ToolResult:
    """What comes of the tool."""
    try:
        return await RUN.run({"command": command, "folder": folder}, desk)
    except FileTrouble as error:
        return ToolResult(str(error), ok=False, error=type(error).__name__)


def nothing_ran(desk: ShellDesk) -> bool:
    """Whether no command left its trace."""
    return not list(desk.workspace.rglob("ran"))


@pytest.mark.parametrize("other", OTHERS.values(), ids=OTHERS.keys())
async def test_always_covers_no_other_command(tmp_path: Path, other: str) -> None:
    """CHAT-10: "always" for one command asks again for every other, which does not run."""
    async with a_desk(tmp_path, "always", "no") as desk:
        assert (await call(desk, APPROVED)).ok
        assert (await call(desk, APPROVED)).ok
        assert [each.subject for each in desk.asked] == [APPROVED]
        result = await call(desk, other)
        assert [each.subject for each in desk.asked] == [APPROVED, other]
        assert (result.ok, result.error) == (False, "NotAllowed")
        assert nothing_ran(desk)


@pytest.mark.parametrize("other", OTHERS.values(), ids=OTHERS.keys())
async def test_the_configuration_covers_no_other_command(tmp_path: Path, other: str) -> None:
    """CHAT-10: `allowed_commands` are compared to the letter."""
    async with a_desk(tmp_path, "no", allowed_commands=(APPROVED,)) as desk:
        assert (await call(desk, APPROVED)).ok
        assert desk.asked == []
        assert (await call(desk, other)).error == "NotAllowed"
        assert [each.subject for each in desk.asked] == [other]
        assert nothing_ran(desk)


@pytest.mark.parametrize("hidden", UNSEEN.values(), ids=UNSEEN.keys())
async def test_nobody_is_asked_about_what_they_cannot_see(tmp_path: Path, hidden: str) -> None:
    """CHAT-10, ALL-8: a command with unseen characters does not run, even if configured."""
    command = f"touch ran #{hidden}"
    configured = () if "\ud800" in hidden else (command,)
    async with a_desk(tmp_path, allowed_commands=configured) as desk:
        result = await call(desk, command)
        assert (result.ok, result.error) == (False, "BadCommand")
        assert f"U+{ord(hidden[0]):04X}" in result.text
        assert result.text.isprintable()
        assert desk.asked == []
        assert nothing_ran(desk)


@pytest.mark.parametrize("folder", FOLDERS.values(), ids=FOLDERS.keys())
async def test_no_folder_outside_the_workspace(tmp_path: Path, folder: str) -> None:
    """CHAT-10, ALL-8: a command starts below the workspace, wherever links and dots lead."""
    async with a_desk(tmp_path) as desk:
        for outside in ("neighbour", "workspace-2"):
            (tmp_path / outside).mkdir()
        (desk.workspace / "inside").mkdir()
        (desk.workspace / "file").write_text("")
        (desk.workspace / "out").symlink_to(tmp_path)
        (desk.workspace / "inside" / "over").symlink_to("../out")
        (desk.workspace / "loop").symlink_to("loop")
        result = await call(desk, "touch ran", folder)
        assert result.error in TROUBLES
        assert result.text.isprintable()
        assert desk.asked == []
        assert not list(tmp_path.rglob("ran"))


async def test_a_folder_that_is_swapped_while_the_user_thinks(tmp_path: Path) -> None:
    """CHAT-10: the folder that was approved is the one it runs in."""
    async with a_desk(tmp_path) as desk:
        inside = desk.workspace / "inside"
        inside.mkdir()

        async def swap(permission: Permission) -> Verdict:
            assert permission.where == str(inside)
            inside.rmdir()
            inside.symlink_to(tmp_path)
            return "once"

        desk.ask = swap  # type: ignore[method-assign]
        assert (await call(desk, "touch ran", "inside")).error == "OutsideWorkspace"
        assert not list(tmp_path.rglob("ran"))


@pytest.mark.parametrize(
    ("command", "output"),
    [
        ("printf '%s|' a 'b c' \"d\"", "a|b c|d|"),
        ("printf %s '$HOME'", "$HOME"),
        ("printf %s 'a\nb'", "a\nb"),
        ("printf '%s' \"a\\\\b\"", "a\\b"),
        ("X='*'; printf '%s' \"$X\"", "*"),
        ("cat <<'x'\n$(touch ran)\nx", "$(touch ran)\n"),
        ("printf %s '; touch ran'", "; touch ran"),
        ("  printf é日本", "é日本"),
        ("# only a comment\nprintf x", "x"),
        ('printf %s "$0"', "/bin/sh"),
    ],
)
async def test_what_was_approved_runs(tmp_path: Path, command: str, output: str) -> None:
    """CHAT-10: the shell gets the command to the letter, once for each time it was approved."""
    async with a_desk(tmp_path, "once", "no") as desk:
        result = await call(desk, command)
        assert result.ok, result.text
        assert result.text.partition("\n")[2] == output
        assert result.source == command
        assert [(each.subject, each.where) for each in desk.asked] == [
            (command, str(desk.workspace))
        ]
        assert (await call(desk, command)).error == "NotAllowed"
        assert nothing_ran(desk)


async def test_a_command_that_begins_with_a_dash_is_no_option(tmp_path: Path) -> None:
    """CHAT-10: the shell is not told how to behave by the command."""
    async with a_desk(tmp_path, "once") as desk:
        result = await call(desk, "-i -c 'touch ran'")
        assert result.error == "ExitCode"
        assert nothing_ran(desk)


async def test_always_holds_in_its_folder_only(tmp_path: Path) -> None:
    """CHAT-10: the same command elsewhere is another one."""
    async with a_desk(tmp_path, "always", "no") as desk:
        (desk.workspace / "inside").mkdir()
        assert (await call(desk, "touch x", ".")).ok
        assert (await call(desk, "touch x", "./inside/..")).ok
        assert (await call(desk, "touch ran", "inside")).error == "NotAllowed"
        assert len(desk.asked) == 2
        assert nothing_ran(desk)


async def test_always_holds_in_its_session_only(tmp_path: Path) -> None:
    """CHAT-10: another session asks again."""
    async with a_desk(tmp_path, "always", session="one") as desk:
        assert (await call(desk, "echo here")).ok
    async with a_desk(tmp_path, "no", session="two") as desk:
        assert (await call(desk, "echo here")).error == "NotAllowed"
    async with a_desk(tmp_path, session="one") as desk:
        assert (await call(desk, "echo here")).ok


async def test_nothing_runs_while_nobody_has_answered(tmp_path: Path) -> None:
    """CHAT-10: a question that is taken back, or fails, is no permission."""
    async with a_desk(tmp_path) as desk:
        never: asyncio.Future[Verdict] = asyncio.get_running_loop().create_future()

        async def wait(permission: Permission) -> Verdict:
            return await never

        desk.ask = wait  # type: ignore[method-assign]
        task = asyncio.create_task(call(desk, "touch ran"))
        await asyncio.sleep(0.1)
        assert nothing_ran(desk)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert nothing_ran(desk)


@pytest.mark.parametrize("command", ["", "  \n\t", "#" * (LONGEST_COMMAND + 1)])
async def test_what_is_no_command(tmp_path: Path, command: str) -> None:
    """CHAT-10: nobody is asked about nothing, or about more than they would read."""
    async with a_desk(tmp_path) as desk:
        assert (await call(desk, command)).error == "BadCommand"
        assert desk.asked == []


async def test_a_folder_made_up_and_a_workspace_that_is_gone(tmp_path: Path) -> None:
    """CHAT-10: the model learns where it may go, and what is wrong."""
    async with a_desk(tmp_path) as desk:
        made_up = await call(desk, APPROVED, "/path/to/folder")
        shutil.rmtree(desk.workspace)
        gone = await call(desk, APPROVED)
        below = await call(desk, APPROVED, "inside")
    assert made_up.text.startswith("/path/to/folder is outside the workspace. Leave folder out,")
    for result in (gone, below):
        assert result.error == "WorkspaceGone"
        assert result.text.startswith(f"The workspace {desk.workspace} is gone.")
    assert desk.asked == []
