"""`strata compare`: one conversation under several policies (LAB-2)."""

import argparse
from pathlib import Path

from app.commands.laboratory import laboratory
from app.commands.output import Notes, note_line, print_json
from app.commands.usage import WrongUsage
from app.lab.compare import compare
from app.lab.comparison import comparison_lines
from app.lab.recorded import recording
from app.settings import Settings
from memory import policy_names
from widgets.plain import one_line, printable


async def run_command(settings: Settings, options: argparse.Namespace) -> int:
    """Compares and prints the table; returns the exit status.

    Raises:
        WrongUsage: There is no policy of a name.
        UnreadableRecording: The file is no recorded conversation.
    """
    policies = chosen_policies(options.policies)
    taken = recording(Path(options.file), options.conversation)
    notes = Notes()
    async with laboratory(settings, options, notes) as lab:
        compared = await compare(options.file, taken.messages, lab, policies, notes.show)
        document = compared | taken.told
    notes.clear()
    if note := taken.note(options.conversation):
        note_line(note)
    if options.json:
        print_json(document)
    else:
        print(printable("\n".join(comparison_lines(document))))
    return 0


def chosen_policies(given: str | None) -> list[str]:
    """The policies that are named, separated by commas, each once; all without any.

    Raises:
        WrongUsage: There is no policy of a name, or none is named.
    """
    known = policy_names.names()
    if given is None:
        return list(known)
    named = list(dict.fromkeys(name.strip() for name in given.split(",") if name.strip()))
    allowed = f"There are {', '.join(known)}."
    if not named:
        raise WrongUsage("--policies names no policy.", allowed)
    for name in named:
        if name not in known:
            raise WrongUsage(f"There is no policy {one_line(name)!r}.", allowed)
    return named
