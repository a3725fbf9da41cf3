"""Talking on the screen: what is typed, sent, streamed, stopped and refused (CHAT-1, ALL-2)."""

from pathlib import Path

import pytest
from textual.events import Key, Paste

from tests.support.misbehaving_server import GOOD_ANSWER
from tests.tui.conftest import OpenChat, memory_in

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def test_the_composer_takes_text_before_memory_is_open(open_chat: OpenChat) -> None:
    """CHAT-1: the screen is there at once; what is sent early goes as soon as it can."""
    async with open_chat() as chat:
        assert chat.state == "opening"
        await chat.press(*"early", "enter")
        await chat.answered(2)
        assert chat.said == [("you", "early"), ("strata", GOOD_ANSWER)]
        assert chat.composer.text == ""


async def test_an_answer_has_its_figures(open_chat: OpenChat) -> None:
    """CHAT-1, CHAT-9: speaker, time, seconds and tokens stand above the text."""
    async with open_chat() as chat:
        await chat.ready()
        await chat.say("hello")
        await chat.answered(2)
        answer = chat.messages[-1]
        assert answer.figures[1].endswith(" s")
        assert answer.figures[2] == "8 tokens"
        assert "default" in chat.status
        assert "openai/good" in chat.status
        assert "folds in" in chat.gauge


async def test_enter_sends_all_that_was_typed_before_it(open_chat: OpenChat) -> None:
    """CHAT-1: keys that come in a burst are obeyed in their order."""
    async with open_chat("slow") as chat:
        await chat.ready()
        for key in [*"burst", "enter", *"next"]:
            chat.app.simulate_key(key)
        await chat.until(lambda: chat.said[:1] == [("you", "burst")])
        await chat.until(lambda: chat.composer.text == "next")
        await chat.press("escape")
        await chat.ready()


async def test_all_text_that_is_typed_arrives(open_chat: OpenChat) -> None:
    """CHAT-1: joiners, marks, selectors, tags of a flag and blanks of any kind are text."""
    typed = "\u0645\u06cc\u200c\u062e\u0648 👩\u200d👧 e\u0301 ❤\ufe0f a\u00a0b\u3000c \U0001fae8 "
    flag = "\U0001f3f4\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f"
    async with open_chat("echo") as chat:
        await chat.ready()
        for character in typed + flag:
            chat.app.post_message(Key(character, character))
        await chat.until(lambda: chat.composer.text == typed + flag)
        await chat.press("enter")
        await chat.answered(2)
        assert chat.said[0] == ("you", typed + flag)
        assert flag in "\n".join(chat.seen)


async def test_what_hides_or_turns_a_text_is_not_typed(open_chat: OpenChat) -> None:
    """ALL-8: controls, marks that turn the direction, and tags that belong to no flag."""
    async with open_chat() as chat:
        await chat.ready()
        for character in "a\u202e\u2066\x07\x9b\ufeff\U000e0067\u2028b":
            chat.app.post_message(Key(f"key {ord(character)}", character))
        await chat.until(lambda: chat.composer.text.endswith("b"))
        assert chat.composer.text == "ab"


async def test_a_newline_has_its_own_key(open_chat: OpenChat) -> None:
    """CHAT-1: Ctrl+J breaks the line, Enter sends."""
    async with open_chat() as chat:
        await chat.ready()
        await chat.press(*"one", "ctrl+j", *"two")
        assert chat.composer.text == "one\ntwo"
        assert chat.composer.size.height == 2
        await chat.press("enter")
        await chat.answered(2)
        assert chat.said[0] == ("you", "one\ntwo")


async def test_escape_stops_the_answer_and_keeps_what_had_come(
    open_chat: OpenChat, data: Path
) -> None:
    """CHAT-1, STORE-2: the answer is marked as stopped, here and after a restart."""
    async with open_chat("slow") as chat:
        await chat.ready()
        await chat.say("count")
        await chat.until(lambda: "w3" in "".join(chat.seen))
        assert chat.state == "answering"
        await chat.press("escape")
        await chat.ready()
        answer = chat.messages[-1]
        assert answer.text.startswith("w0 w1 w2 w3")
        assert answer.mark == "stopped"
    async with memory_in(data) as memory:
        assert memory.state.folding.verbatim[-1].interrupted
    async with open_chat() as chat:
        await chat.ready()
        assert chat.messages[-1].mark == "stopped"
        assert chat.messages[-1].text == answer.text


async def test_a_stop_before_the_first_word_is_told(open_chat: OpenChat) -> None:
    """CHAT-1: the message stands unanswered, and there is a way to ask again."""
    async with open_chat("hang-after-headers") as chat:
        await chat.ready()
        await chat.say("anybody there?")
        await chat.until(lambda: chat.state == "waiting for the model")
        await chat.press("escape")
        await chat.ready()
        assert chat.said == [("you", "anybody there?")]
        assert "@retry" in chat.notices


async def test_a_message_typed_while_an_answer_streams_waits(open_chat: OpenChat) -> None:
    """CHAT-1: it stays in the composer and goes when the answer is complete or stopped."""
    async with open_chat("slow") as chat:
        await chat.ready()
        await chat.say("first")
        await chat.until(lambda: chat.state == "answering")
        await chat.say("second")
        await chat.until(lambda: "Esc stops the answer" in chat.hint)
        assert chat.composer.text == "second"
        await chat.press("escape")
        await chat.until(lambda: ("you", "second") in chat.said)
        assert chat.composer.text == ""
        await chat.until(lambda: chat.state == "answering")
        await chat.press("escape")
        await chat.ready()


async def test_changing_a_message_that_waits_keeps_it(open_chat: OpenChat) -> None:
    """CHAT-1: a text that is still being written is not sent by itself."""
    async with open_chat("slow") as chat:
        await chat.ready()
        await chat.say("first")
        await chat.until(lambda: chat.state == "answering")
        await chat.say("sec")
        await chat.until(lambda: chat.composer.held)
        await chat.press(*"ond")
        await chat.press("escape")
        await chat.answered(2)
        assert chat.composer.text == "second"
        assert [speaker for speaker, _ in chat.said] == ["you", "strata"]


async def test_a_refused_message_stays_in_the_composer(open_chat: OpenChat) -> None:
    """PROMPT-3, ALL-2: what can't fit is not taken, and nothing is lost."""
    async with open_chat(memory__context_window=1_000) as chat:
        await chat.ready()
        text = "word " * 2_000
        await chat.say(text)
        await chat.until(lambda: "is the most that fits here" in chat.notices)
        assert chat.composer.message == text
        assert chat.said == []


@pytest.mark.parametrize(
    ("model", "sentence"), [("401", "key"), ("404", "model"), ("html", ""), ("empty", "")]
)
async def test_a_failure_stands_where_the_answer_would_be(
    open_chat: OpenChat, model: str, sentence: str
) -> None:
    """ALL-2: one sentence with the next step; the message is kept and the next one works."""
    async with open_chat(model) as chat:
        await chat.ready()
        await chat.say("hello")
        await chat.until(lambda: chat.notices)
        await chat.ready()
        assert sentence in chat.notices
        assert chat.said == [("you", "hello")]
        await chat.say("@model openai/good")
        await chat.until(lambda: "openai/good answers" in chat.notices)
        await chat.say("again")
        await chat.answered(3)
        assert chat.said[-1] == ("strata", GOOD_ANSWER)


async def test_a_cut_answer_is_kept_and_marked(open_chat: OpenChat) -> None:
    """ALL-2, STORE-2: what had arrived stays, with the reason below it."""
    async with open_chat("cut") as chat:
        await chat.ready()
        await chat.say("hello")
        await chat.until(lambda: chat.notices)
        assert chat.messages[-1].text.startswith("This much came before")
        assert chat.messages[-1].mark == "interrupted"


async def test_nothing_in_a_text_is_obeyed(open_chat: OpenChat) -> None:
    """ALL-8: brackets, escapes, controls, reversed and wide text, from user and model alike."""
    nasty = "[bold]x[/] [/] [@click=app.quit]y \x1b[2J\x1b]0;t\x07 \u202eabc 日本 שלום 👩‍👩‍👧 \ttab"
    async with open_chat("echo") as chat:
        await chat.ready()
        chat.composer.post_message(Paste(nasty))
        await chat.until(lambda: "日本" in chat.composer.text)
        assert "\x1b" not in chat.composer.text
        await chat.press("enter")
        await chat.answered(2)
        shown = "\n".join(chat.seen)
        assert shown.count("[bold]x[/] [/] [@click=app.quit]y") == 2
        assert not set("\x1b\x07\u202e").intersection(shown)


async def test_an_answer_with_escapes_shows_none(open_chat: OpenChat, data: Path) -> None:
    """ALL-8: a log that another program wrote is no danger either."""
    async with memory_in(data) as memory:
        await memory.add("user", "show me")
        await memory.add("assistant", "\x1b[31mred\x1b[0m\x07 [/red] \x9b2J \u202edone")
        await memory.add("tool", "\x1b]52;c;aGk=\x07clip", tool_call_id="c1")
    async with open_chat() as chat:
        await chat.ready()
        shown = "\n".join(chat.seen)
        assert "red [/red]  \\u202edone" in shown
        assert "clip" in shown
        assert not set("\x1b\x07\x9b\u202e").intersection(shown)


async def test_a_paste_of_five_megabytes_is_quick(open_chat: OpenChat) -> None:
    """CHAT-6, ALL-7: it stands in the composer by name, is sent in full, or refused in full."""
    text = "five megabytes of text \r\n" * 200_000
    async with open_chat() as chat:
        await chat.ready()
        chat.composer.post_message(Paste(text))
        await chat.until(lambda: chat.composer.text.startswith("[pasted 1: 4.8M"), seconds=3)
        assert chat.composer.message == text.replace("\r\n", "\n")
        await chat.press(*" x")
        assert chat.composer.text.endswith("characters] x")
        await chat.press("enter")
        await chat.until(lambda: "is the most that fits" in chat.notices)
        assert chat.composer.message == text.replace("\r\n", "\n") + " x"


async def test_up_and_down_walk_through_what_was_sent(open_chat: OpenChat, data: Path) -> None:
    """CHAT-1: at the edges of the text; what was said before the restart is there too."""
    async with memory_in(data) as memory:
        await memory.add("user", "from before")
    async with open_chat() as chat:
        await chat.ready()
        await chat.say("new")
        await chat.answered(3)
        await chat.write("draft")
        await chat.press("up")
        assert chat.composer.text == "new"
        await chat.press("up")
        assert chat.composer.text == "from before"
        await chat.press("down", "down")
        assert chat.composer.text == "draft"


async def test_leaving_while_an_answer_streams_keeps_what_had_come(
    open_chat: OpenChat, data: Path
) -> None:
    """STORE-2: Ctrl+Q loses nothing that was shown."""
    async with open_chat("slow") as chat:
        await chat.ready()
        await chat.say("count")
        await chat.until(lambda: "w5" in "".join(chat.seen))
        await chat.press("ctrl+q")
    async with memory_in(data) as memory:
        assert memory.snapshot().window[1].preview.startswith("w0 w1 w2 w3 w4 w5")
