"""`strata doctor`: looks at everything, changes nothing, says what to do (ALL-5)."""

import argparse
import os
import shutil
import sys

from app.commands.output import print_json
from app.doctor.check import has_problem
from app.doctor.examine import examine
from app.doctor.report import Look, document, words

WIDEST = 100
NARROWEST = 60
PIPED = 80


def run_doctor_command(options: argparse.Namespace) -> int:
    """Prints what was found; returns 1 if something is wrong, else 0.

    Unlike other commands it loads the configuration itself: a wrong one is a finding.
    """
    groups = examine(options)
    if options.json:
        print_json(document(groups))
    else:
        look = _look()
        text = words(groups, look) + "\n"
        encoding = sys.stdout.encoding or "ascii"
        sys.stdout.write(text.encode(encoding, "replace").decode(encoding))
    return 1 if has_problem(groups) else 0


def _look() -> Look:
    encoding = (sys.stdout.encoding or "ascii").lower().replace("-", "")
    shown = sys.stdout.isatty()
    columns = shutil.get_terminal_size().columns if shown else PIPED
    colours = shown and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    return Look(
        width=max(NARROWEST, min(columns, WIDEST)), colours=colours, unicode=encoding == "utf8"
    )
