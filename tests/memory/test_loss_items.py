"""What a text names: the items that a loss report follows."""

import time

import pytest

from memory.loss.details import choose_details, split_details
from memory.loss.items import LONGEST_TEXT, find_items
from memory.loss.judge import stands_in
from memory.parts import Role


def found(text: str, kind: str, role: Role | None = "user") -> list[str]:
    return [item.text for item in find_items(text, role) if item.kind == kind]


@pytest.mark.parametrize(
    ("text", "kind", "wanted"),
    [
        ("Then I met Alice Johnson at the Louvre.", "name", ["Alice Johnson", "Louvre"]),
        ("New York City is large.", "name", ["New York City"]),
        ("Ask Carol. Carol's car is old.", "name", ["Carol", "Carol"]),
        ("Perhaps. Today I like it, and so does she.", "name", []),
        ("We go on Monday.", "name", []),
        ("Ines reviews it on 14 March.", "name", ["Ines"]),
        ("Fine. Ines's plan holds.\n- Omar moved to Rome.", "name", ["Ines", "Omar", "Rome"]),
        ("Ada and Tom agree. Ines will come.", "name", ["Ada", "Tom", "Ines"]),
        ("Ada, come here. Then we saw Ada.", "name", ["Ada", "Ada"]),
        ("Rose is here. A rose is red.", "name", []),
        ("Server is down. Build and deploy. Rename columns. Nobody was in.", "name", []),
        ("Tests and docs. Testing is slow. She wants it. Perhaps.", "name", []),
        ("Please call Mr. Smith, Dr. Lee.", "name", ["Smith", "Lee"]),
        ("Ich wohne bei Österreich und sah Älter.", "name", ["Österreich", "Älter"]),
        ("It costs €1,240 or 35% of $5.", "number", ["€1,240", "35%", "$5"]),
        ("At most 16,384 tokens, 1.5 GB.", "number", ["16,384 tokens", "1.5 GB"]),
        ("1. First\n2. Second", "number", []),
        ("See 2026-03-14T10:00Z.", "date", ["2026-03-14T10:00Z"]),
        ("On 14 March or March 15, 2026.", "date", ["14 March", "March 15, 2026"]),
        ("At 14:30, 3pm or 12/05/2023.", "date", ["14:30", "3pm", "12/05/2023"]),
        ("It was in 2019, next Tuesday.", "date", ["2019", "next Tuesday"]),
        ("Soon, one day, sometime.", "date", []),
        (
            "Open /etc/hosts and C:\\Users\\me\\x.txt.",
            "path",
            ["/etc/hosts", "C:\\Users\\me\\x.txt"],
        ),
        ("In src/main.py, README.md, ./run.", "path", ["src/main.py", "README.md", "./run"]),
        ("Yes and/or no, he/she, 1/2, km/h.", "path", []),
        ("(see https://a.org/b?x=1&y=2).", "url", ["https://a.org/b?x=1&y=2"]),
        ("Take v1.2.3 at fbdb7f0.", "identifier", ["v1.2.3", "fbdb7f0"]),
        ("ABC-123, do_it, doIt, re.sub", "identifier", ["ABC-123", "do_it", "doIt", "re.sub"]),
        ("Run `git push -f` with $HOME.", "identifier", ["git push -f", "$HOME"]),
        ("me@home.org, 10.0.0.1", "identifier", ["me@home.org", "10.0.0.1"]),
        (
            "id 123e4567-e89b-12d3-a456-426614174000",
            "identifier",
            ["123e4567-e89b-12d3-a456-426614174000"],
        ),
        ("Fine. Never touch prod! Go on.", "constraint", ["Never touch prod!"]),
        ("[/bold] and </b> close [bold].", "path", []),
        ("See [README.md](docs/a.md) in /etc.", "path", ["README.md", "docs/a.md", "/etc"]),
        ("TODO: call Mr. Smith", "task", ["TODO: call Mr. Smith"]),
        (
            "Never ask Dr. Lee, e.g. by phone. Fine.",
            "constraint",
            ["Never ask Dr. Lee, e.g. by phone."],
        ),
        (
            "It is approx. No. 5 and must be kept.",
            "constraint",
            ["It is approx. No. 5 and must be kept."],
        ),
        ("The answer is No. Never touch prod.", "constraint", ["Never touch prod."]),
        ("You must use tabs.\nI like it.", "constraint", ["You must use tabs."]),
        ("It must have been nice. I never said so.", "constraint", []),
        ("That must feel great! It's a must. Don't worry, never mind.", "constraint", []),
        ("The port must be 8080.", "constraint", ["The port must be 8080."]),
        ("You never know. Always here to help!", "constraint", []),
        ("Ann Lee: Never open the blue box.", "constraint", ["Never open the blue box."]),
        ("I'll keep ya posted. John: I will!", "task", []),
        ("During Thanksgiving we saw Awesome John.", "name", ["Thanksgiving", "John"]),
        (r"Match \d\d and \bexit, `{3,}|~{3,})([^`].", "path", []),
        (r"Match `{3,}|~{3,})([^`].", "identifier", []),
        ("Then event.at of self.info, at www.hotel.at.", "url", ["www.hotel.at"]),
        ("- [ ] call Bob\n- [x] done", "task", ["- [ ] call Bob"]),
        ("I'll be there. I'll definitely try!", "task", []),
        ("Remind me to call. I will send it.", "task", ["Remind me to call.", "I will send it."]),
    ],
)
def test_items_are_found(text: str, kind: str, wanted: list[str]) -> None:
    """COMPACT-13: names, numbers, dates, paths, addresses, identifiers, conditions and tasks."""
    assert found(text, kind) == wanted


def test_only_the_user_binds() -> None:
    """COMPACT-13: what a tool printed is no condition and no task."""
    text = "You must never do this. TODO: fix it."
    assert found(text, "constraint", "tool") == []
    assert found(text, "constraint", "assistant") == []
    assert found(text, "task", "tool") == []


def test_an_address_beats_the_number_inside_it() -> None:
    """COMPACT-13: items don't overlap."""
    items = find_items("https://a.org/2024/10/v1.2.3?n=1240")
    assert [item.kind for item in items] == ["url"]


HOSTILE = [
    "a" * 1_000_000,
    "A" * 1_000_000,
    "Aa" * 500_000,
    "1," * 500_000,
    "1 " * 500_000,
    "a." * 500_000,
    "a_" * 500_000,
    "/" * 1_000_000,
    "Never " * 160_000,
    "`" * 1_000_000,
    "https://" * 125_000,
    "([{" * 333_000,
    "A b C d " * 125_000,
    "\n" * 1_000_000,
    "a-1" * 333_000,
    "Ines is it. " * 83_000,
    "Mr. must " * 111_000,
]


@pytest.mark.parametrize("text", HOSTILE, ids=lambda text: repr(text[:8]))
def test_hostile_text_takes_no_longer(text: str) -> None:
    """COMPACT-13: the time grows with the text's length, whatever it is, and then no more."""
    began = time.process_time()
    items = find_items(text, "user")
    assert time.process_time() - began < 2.0
    assert all(item.end <= LONGEST_TEXT for item in items)


@pytest.mark.parametrize(
    ("item", "text"),
    [
        ("14 March 2026", "They meet on 2026-03-14."),
        ("14 March", "They meet on March 14, 2026."),
        ("2:30pm", "It is at 14:30."),
        ("€1,240", "She paid 1240 euros."),
        ("35%", "About 35 percent."),
        ("Alice Johnson", "ALICE  JOHNSON came"),
        ("prod-eu-1", "on prod\u2011eu\u20111"),
        ("TODO: call Mr. Smith", "- The user will call Mr. Smith soon."),
        ("Never touch the prod servers!", "- the user said to not touch prod server"),
    ],
)
def test_an_item_stands_however_it_is_written(item: str, text: str) -> None:
    """COMPACT-13: what the summary says in other forms is not called lost."""
    assert any(stands_in(each, text) for each in find_items(f"Yes, {item}", "user"))


@pytest.mark.parametrize(
    ("item", "text"),
    [
        ("14 March 2026", "on 14 March"),
        ("€1,240", "12400 euros or $1,240"),
        ("1.5 GB", "1.5 MB"),
        ("12 km", "112 km and 12.5 km"),
        ("Anna", "Annabel"),
        ("You must never touch prod.", "You must touch prod. Never mind the rest."),
    ],
)
def test_what_only_resembles_does_not_stand(item: str, text: str) -> None:
    """COMPACT-13: kept is claimed only for what is there."""
    assert not any(stands_in(each, text) for each in find_items(f"Yes, {item}", "user"))


def test_details_say_what_the_summary_lacks() -> None:
    """COMPACT-13, COMPACT-10: conditions first, then identifiers, figures, dates and names."""
    line = choose_details(
        ["user: I met Alice on 14 March. Never touch prod-eu-1!", "It costs €1,240: /etc/hosts"],
        ["user", "assistant"],
        "The user met Alice.",
        400,
    )
    assert line == '"Never touch prod-eu-1!"; /etc/hosts; €1,240; 14 March'
    assert split_details(line) == ('"Never touch prod-eu-1!"', "/etc/hosts", "€1,240", "14 March")


def test_a_condition_goes_before_its_parts() -> None:
    """COMPACT-13: where it is lost, its time and file don't take the room that it needs."""
    condition = "Never write to /srv/app/data.db before 14:30 on any day."
    line = choose_details([condition], ["user"], "", len(condition) + 10)
    assert split_details(line) == (f'"{condition}"',)
    parts = choose_details([condition], ["user"], "", 40)
    assert split_details(parts) == ("/srv/app/data.db", "14:30")


def test_older_details_compete() -> None:
    """COMPACT-13: what stood word for word before is not dropped without a comparison."""
    carried = ('"Keep it; always."', "DE-12")
    line = choose_details(["Nothing here."], ["user"], "", 400, carried)
    assert set(split_details(line)) == set(carried)
    assert split_details(line) == carried


def test_what_a_tool_printed_displaces_no_condition() -> None:
    """COMPACT-13, COMPACT-14: nor does a newer message what the user demanded before."""
    carried = ('"Never change the port."', "DE-12")
    printed = "- tool: 4711 state.py 8006 plan.py 1921, 500 Callable Sequence of Proposal"
    line = choose_details([printed, "Go on."], [None, "user"], "", 60, carried)
    assert split_details(line)[0] == carried[0]
    assert not {"4711", "8006", "1921", "Callable"} & set(split_details(line))
