"""What is replaced before a text is stored, by kind; and what must stay."""

import json
import re
import time
from pathlib import Path

import pytest

from app.chat.report import memory_report
from app.chat.status import status_document
from app.settings import load_settings
from memory.config import PrivacyConfig
from memory.privacy import KINDS, LABELS, Door, Kind, left_out
from memory.privacy.kinds import ALWAYS
from tests.memory.doubles import every_byte, opened
from tests.memory.planted import ORDINARY, PHONES_DE, PLANTED

OPEN, CLOSE = "«", "»"
LONGEST_BEGINNING = 4
"""Characters of a secret that tell nothing of it: `AB ` could be any two letters."""


def plain(planted: str) -> str:
    return planted.replace(OPEN, "").replace(CLOSE, "")


def expected(planted: str, kind: Kind) -> str:
    marker = f"[redacted: {LABELS[kind]}]"
    return re.sub(f"{OPEN}[^{CLOSE}]*{CLOSE}", lambda _: marker, planted)


def door_for(kind: Kind, region: str = "") -> Door:
    return Door() if kind in ALWAYS else Door([kind], region)


LABELLED: list[tuple[Kind, str, str]] = [
    *((kind, "", text) for kind in KINDS for text in PLANTED[kind]),
    *(("phones", "DE", text) for text in PHONES_DE),
]


def test_there_are_enough_of_every_kind() -> None:
    """RECALL-7: what follows says something of each."""
    assert len(LABELLED) >= 150
    assert all(len(PLANTED[kind]) >= 7 for kind in KINDS)


@pytest.mark.parametrize(("kind", "region", "text"), LABELLED)
def test_what_is_planted_is_replaced_and_nothing_else(kind: Kind, region: str, text: str) -> None:
    """RECALL-7: in prose, JSON, code, addresses and Markdown, with what pastes bring along."""
    cleaned = door_for(kind, region).clean(plain(text))

    assert cleaned.text == expected(text, kind)
    assert dict(cleaned.kinds) == {kind: text.count(OPEN)}
    assert door_for(kind, region).clean(cleaned.text).text == cleaned.text


@pytest.mark.parametrize("text", ORDINARY)
def test_ordinary_text_stays_whole(text: str) -> None:
    """RECALL-7: with every kind on: code, hashes, ids, versions, prices, dates, data."""
    assert Door(KINDS, "").clean(text).text == text


@pytest.mark.parametrize("kind", KINDS)
def test_a_kind_that_is_off_stays(kind: Kind) -> None:
    """RECALL-7: each can be switched."""
    door = Door.of(PrivacyConfig.model_validate({name: name != kind for name in KINDS}))

    assert all(kind not in door.clean(plain(text)).kinds for text in PLANTED[kind])


def test_addresses_and_numbers_to_call_stay_unless_they_are_asked_for(tmp_path: Path) -> None:
    """RECALL-7, ALL-1: switched by a variable of the environment."""
    text = "Ada: ada@example.org, +49 30 901820, 8.8.8.8, 4111 1111 1111 1111"
    given = {"STRATA_PRIVACY__EMAILS": "true", "STRATA_PRIVACY__CARDS": "false"}
    settings = load_settings(data=str(tmp_path), environment=given)

    assert Door().clean(text).kinds == {"cards": 1}
    assert Door.of(settings.memory.privacy).clean(text).kinds == {"emails": 1}


@pytest.mark.parametrize(("kind", "region", "text"), LABELLED)
def test_no_draft_holds_a_planted_secret(kind: Kind, region: str, text: str) -> None:
    """RECALL-7, STORE-2: wherever the stream is cut, what is shown begins the whole."""
    door = Door({*ALWAYS, kind}, region)
    whole = f"{plain(text)} And so it goes on.\n"
    final = door.clean(whole).text
    for end in range(len(whole) + 1):
        shown = door.clean_growing(whole[:end])
        settled = shown if final.startswith(shown) else shown[:-LONGEST_BEGINNING]
        assert final.startswith(settled), (whole[:end], shown)


def test_a_draft_of_ordinary_text_is_near_its_end() -> None:
    """STORE-2: what is held back is a word or a number."""
    for text in ORDINARY:
        if "PRIVATE KEY" not in text and len(text) < 400:
            assert len(Door().clean_growing(f"{text}\nAnd so it goes on, ")) > len(text)


def test_a_value_is_known_by_its_name() -> None:
    """RECALL-7: in the arguments of calls and in what models send beside an answer."""
    arguments = json.dumps({"password": "opensesame", "card": 4111111111111111, "n": [1, None]})
    value = [{"arguments": arguments, "apiKey": "Zx81kQ93mmPq77Lt", "pin": 4711, "n": 4711}]

    cleaned = Door().clean_json(value)

    (call,) = json.loads(cleaned.text)
    within = json.loads(call["arguments"])
    assert within["password"] == "[redacted: password]"
    assert within["card"] == "[redacted: payment card]"
    assert within["n"] == [1, None]
    assert (call["pin"], call["n"]) == ("[redacted: password]", 4711)
    assert cleaned.kinds == {"passwords": 2, "cards": 1, "api_keys": 1}


async def test_what_was_replaced_is_counted_by_kind(tmp_path: Path) -> None:
    """RECALL-7: over a restart, in the status and in the report."""
    async with opened(tmp_path, session="s") as memory:
        stored = await memory.add("user", "My card 4111 1111 1111 1111, password: hunter2!")
        attached = await memory.attach("notes", "api_key=d41d8cd98f00b204e9800998ecf8427e")
        assert stored.redacted == 2
        assert attached.kinds == (("api_keys", 1),)
    async with opened(tmp_path, session="s") as memory:
        document = status_document(memory.snapshot(), [])
        report = memory_report(memory.snapshot(), [])

    assert document["redacted"] == {"cards": 1, "passwords": 1, "api_keys": 1}
    assert "1 payment card, 1 password and 1 API key were left out before storing." in report


async def test_values_and_preferences_are_known_by_their_names(tmp_path: Path) -> None:
    """RECALL-7, GOAL-4: a number becomes a text where a marker takes its place."""
    async with opened(tmp_path) as memory:
        password = await memory.notebook.set_value("db_password", "opensesame")
        card = await memory.notebook.set_value("card", 4111111111111111)
        await memory.preferences.set("wifi.passphrase", "correct horse battery")
        assert memory.notebook.text(password) == "[redacted: password]"
        assert memory.notebook.text(card) == "[redacted: payment card]"
        assert card.type == "text"

    written = every_byte(tmp_path)
    assert not any(s in written for s in (b"opensesame", b"4111111111111111", b"correct horse"))


def test_a_mark_says_what_was_left_out() -> None:
    """RECALL-7: in the words of the transcript; older logs know a number only."""
    assert left_out(1, (("api_keys", 1),)) == "1 API key was left out before storing"
    assert left_out(2, (("ip_addresses", 2),)) == "2 IP addresses were left out before storing"
    assert left_out(2, ()) == "2 secrets were left out before storing"


async def test_a_session_open_with_a_kind_on_stores_none_of_it(tmp_path: Path) -> None:
    """RECALL-7: everything that is written goes through the door of the open database."""
    address = "ada@example.org"
    privacy = PrivacyConfig(emails=True)
    async with opened(tmp_path, session=f"mail {address}", privacy=privacy) as memory:
        await memory.add("user", f"I am {address}.")
        await memory.goals.set(f"Write to {address}")
        await memory.tasks.add(f"Ask {address}")
        await memory.notebook.note(f"{address} answers")
        await memory.preferences.set("mail", address)
        await memory.content.store(f"From {address}", source=address, tags=[address])
        await memory.rename(f"about {address}")
        await memory.execution.ran(tool="t", arguments=address, result=address, ok=True)
        await memory.settled()

    assert address.encode() not in every_byte(tmp_path)


async def test_a_session_is_found_by_a_name_from_before_the_switch(tmp_path: Path) -> None:
    """RECALL-7: what was stored before stays as it is, and reachable."""
    async with opened(tmp_path, session="mail ada@example.org") as memory:
        await memory.add("user", "Hello.")
    privacy = PrivacyConfig(emails=True)
    async with opened(tmp_path, session="mail ada@example.org", privacy=privacy) as memory:
        assert memory.state.messages == 1


ADVERSARIAL = [
    "password: ",
    "password for the ",
    'password="',
    "sk-",
    "-eyJ",
    "://a:",
    "mysql -u ",
    "4111 1111 1111 1112 ",
    "DE89 3704 0044 ",
    "4 ",
    "12345678901",
    "a@",
    "+1 ",
    "1.",
    "2001:",
    "ssn ",
    "codice fiscale A1 ",
    "Authorization: Bearer ",
    "Private-Lines: 1\n",
    "AB",
    "x",
    "| password |\n|---|\n",
    "a,password\n",
    "insert into a (password) values ('",
    "login a:b ",
    "echo a | ",
    "auth('a', '",
    "cookie: a=b; ",
    "<password>",
    'name="password" ',
    "secret that the ",
    "recovery phrase: abc ",
    "db_key=",
    "LS0tLS1CRUdJTiBSU0EgUFJJVkFURS",
    "a:b@tcp(",
    "tokens:\n a: b1\n",
    "passwords: {a: b, ",
    "a:bB1cccc@",
    "set password to ",
    '\\"password\\": \\"',
]


@pytest.mark.parametrize("piece", ADVERSARIAL)
def test_time_grows_with_the_length_alone(piece: str) -> None:
    """RECALL-7, ALL-7: four times the text takes about four times as long, never sixteen."""
    door = Door(KINDS, "DE")

    def seconds(length: int) -> float:
        text = (piece * length)[:length]
        best = 60.0
        for _ in range(3):
            started = time.process_time()
            door.clean(text)
            door.clean_growing(text)
            best = min(best, time.process_time() - started)
        return best

    assert seconds(24_000) < 9 * seconds(6_000) + 0.05
