"""Secrets never come to disk."""

import json
import time
from pathlib import Path

import pytest

from memory.answer import NewMessage
from memory.memory import Memory
from memory.privacy import Door
from memory.storage.drafts import Draft
from tests.memory.doubles import ScriptedModel, every_byte, opened, words

BASE64 = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj"
KEY_BODY = "\n".join([BASE64] * 4 + ["MzEfYyjiWA4R4/M2bS1GB4t7NXp98C3SupX2="])
PEM = f"-----BEGIN PRIVATE KEY-----\n{KEY_BODY}\n-----END PRIVATE KEY-----"

SECRETS = {
    "openai": "sk-proj-Zm9vYmFyYmF6cXV4MTIzNDU2Nzg5MA",
    "anthropic": "sk-ant-api03-Zm9vYmFyYmF6cXV4MTIzNDU2Nzg5MA",
    "stripe": "sk_live_4eC39HqLyjWDarjtT1zdp7dc",
    "aws": "AKIAIOSFODNN7EXAMPLE",
    "google": "AIzaSyD-9tSrke72PouQMnMX-a7eZSW0jkFMBWY",
    "github": "ghp_16C7e42F292c6912E7710c838347Ae178B4a",
    "github fine-grained": "github_pat_11ABCDEFG0aBcDeFgHiJkL_mNoPqRsTuV",
    "gitlab": "glpat-xUnXYZ1234567890abcd",
    "slack": "xoxb-123456789012-abcdefGHIJKL",
    "hugging face": "hf_abcdefghijklmnopqrstuvwxyzABCDEF",
    "npm": "npm_abcdefghijklmnopqrstuvwxyz0123456789",
    "jwt": "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N",
    "private key": PEM,
    "rsa key": PEM.replace("PRIVATE", "RSA PRIVATE"),
    "encrypted key": PEM.replace(
        "KEY-----\n", "KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: A,B\n\n", 1
    ),
    "pgp key": PEM.replace("KEY-----", "KEY BLOCK-----").replace(" PRIVATE", " PGP PRIVATE"),
    "key on one line": PEM.replace("\n", "\\n"),
    "key without its end": PEM.rpartition("-----END")[0],
}


@pytest.mark.parametrize("secret", SECRETS.values(), ids=list(SECRETS))
def test_each_kind_is_replaced_and_the_rest_stays(secret: str) -> None:
    """RECALL-7: obvious secrets, whoever issued them."""
    cleaned = Door().clean(f"My key is {secret}\nKeep it safe.")

    assert cleaned.redacted == 1
    assert cleaned.text.startswith("My key is [redacted: ")
    assert cleaned.text.endswith("Keep it safe.")
    assert BASE64 not in cleaned.text
    assert secret not in cleaned.text


@pytest.mark.parametrize(
    "prose",
    [
        "A PEM file begins with -----BEGIN PRIVATE KEY----- as its first line.",
        "It begins -----BEGIN PRIVATE KEY----- and ends -----END PRIVATE KEY-----; mind them.",
        "The task-list of the risk-averse desk: ask-me-anything-about-it-tomorrow.",
        "hf_ and gsk_ and eyJ are prefixes; sk-12 is too short.",
        "AKIA is where AWS keys begin.",
        "<!-- ----- -->",
    ],
)
def test_prose_about_secrets_loses_nothing(prose: str) -> None:
    """RECALL-7: what merely mentions a secret's form is no secret."""
    assert Door().clean(prose).text == prose
    assert Door().clean(prose).redacted == 0


def test_a_long_text_about_a_key_is_drafted_while_it_grows() -> None:
    """STORE-2: prose after a header is held back for a moment only."""
    text = "-----BEGIN PRIVATE KEY----- is the header. " + "It says what follows. " * 40

    assert Door().clean_growing(text) == text


@pytest.mark.parametrize("secret", SECRETS.values(), ids=list(SECRETS))
def test_no_beginning_of_a_secret_leaves_the_door(secret: str) -> None:
    """RECALL-7: however the stream is cut, what a draft shows tells nothing of it."""
    text = f"Here: {secret} Done."
    harmless = 10
    """Characters of a prefix that everybody knows."""
    for end in range(len(text) + 1):
        shown = Door().clean_growing(text[:end])
        rest = shown.removeprefix("Here: ").removesuffix(" Done."[: max(0, end - len(text) + 6)])
        assert rest.startswith("[redacted") or rest == "" or len(rest) <= harmless, (end, shown)


MOST_SECONDS = 8


@pytest.mark.parametrize(
    "text",
    [
        "plain words, one after the other. " * 30_000,
        "sk-" * 330_000,
        "-" * 1_000_000,
        "-----BEGIN PRIVATE KEY-----" * 37_000,
        "-----BEGIN PRIVATE KEY-----" + "Ab: c\n" * 160_000,
        "eyJaaaaaaaaaaaa." * 62_000,
        "a" * 1_000_000,
    ],
    ids=["prose", "prefixes", "dashes", "headers", "fields", "tokens", "one word"],
)
def test_a_megabyte_passes_in_a_time_that_grows_with_its_length(text: str) -> None:
    """RECALL-7, ALL-7: about a second; what grows with the square would take hours."""
    door = Door()
    started = time.process_time()

    door.clean(text)
    door.clean_growing(text)

    # Many times what it takes, on whatever machine.
    assert time.process_time() - started < MOST_SECONDS


def test_the_structure_of_a_value_stays_whole() -> None:
    """RECALL-7: a secret that spans two fields must not swallow what is between them."""
    header, _, footer = PEM.partition(BASE64)
    value = [{"a": header + BASE64, "b": [1, None, True], "c\ud800": footer}]

    cleaned = Door().clean_json(value)

    decoded = json.loads(cleaned.text)
    assert cleaned.redacted >= 1
    assert decoded[0]["b"] == [1, None, True]
    assert BASE64 not in decoded[0]["a"]


async def test_no_secret_reaches_any_file(tmp_path: Path) -> None:
    """RECALL-7: looked for byte by byte, wherever a text can come from."""
    model = ScriptedModel([f"Ada said {SECRETS['aws']} and moved."])
    secret_call = {
        "id": SECRETS["npm"],
        "type": "function",
        "function": {"name": "login", "arguments": json.dumps({"key": SECRETS["github"]})},
    }
    async with opened(
        tmp_path, session=f"about {SECRETS['gitlab']}", model=model, profile="stress"
    ) as memory:
        await memory.add("user", f"My key is {SECRETS['openai']} and {PEM}")
        await memory.add(
            "assistant",
            "",
            tool_calls=[secret_call],
            reasoning={"reasoning_content": SECRETS["anthropic"]},
        )
        await memory.add("tool", SECRETS["slack"], tool_call_id=SECRETS["npm"])
        await memory.rename(f"now {SECRETS['google']}")
        await memory.add_all([NewMessage("user", SECRETS["jwt"], "import")])
        for n in range(5, 12):
            await memory.add("user", words(n))
        await memory.settled()
        assert memory.state.compactions == 1
        prompt = await memory.prompt()
        answer = memory.answer(await memory.prepare(prompt))
        for start in range(0, 40, 7):
            answer.grow(SECRETS["stripe"][start : start + 7])
            await _write_draft(memory)
        await answer.close()
        written = every_byte(tmp_path)

    found = [name for name, text in SECRETS.items() if text.encode() in written]
    assert found == []
    assert BASE64.encode() not in written


async def test_a_secret_split_over_chunks_never_reaches_the_draft(tmp_path: Path) -> None:
    """RECALL-7, STORE-2: not even for the moment until its second half comes."""
    async with opened(tmp_path) as memory:
        await memory.add("user", "Which key?")
        answer = memory.answer(await memory.prepare(await memory.prompt()))
        secret = SECRETS["openai"]

        answer.grow(f"Use {secret[:14]}")
        assert await _write_draft(memory) == "Use "
        assert secret[:14].encode() not in every_byte(tmp_path)
        answer.grow(f"{secret[14:]} now.")
        assert await _write_draft(memory) == "Use [redacted: API key] now."
        stored = await answer.close()

        assert stored is not None
        assert (stored.content, stored.redacted) == ("Use [redacted: API key] now.", 1)
        assert secret[14:].encode() not in every_byte(tmp_path)


async def _write_draft(memory: Memory) -> str:
    """Has the draft written now rather than soon; returns what it then says."""
    answer = memory._requests.answering
    assert answer is not None
    await memory._journal.write_draft(Draft(answer.request, answer.text, answer.reasoning))
    draft = await memory._journal.drafts.orphan()
    assert draft is not None
    return draft.text


async def test_a_tool_that_a_model_names_passes_too(tmp_path: Path) -> None:
    """RECALL-7, CONT-1: the names of calls stand in items as well; a result finds its call."""
    secret = "sk-ant-" + "a1B2" * 10
    function = {"name": f"read {secret}", "arguments": "{}"}
    call = {"id": secret, "type": "function", "function": function}
    async with opened(tmp_path) as memory:
        await memory.add("assistant", "", tool_calls=[call])
        await memory.add("tool", "No tool is called so.", tool_call_id=secret)
        (item,) = await memory.content.items()
        assert item.source == "read [redacted: API key]"
    assert secret.encode() not in every_byte(tmp_path)
